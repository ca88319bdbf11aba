"""Replaying cases with a shell that answers as told: how each stands, and what is said of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from qfuzz.gen.public import load_public
from qfuzz.model.case import Case, Expect, Failure, TaskName, Way
from qfuzz.model.case_codec import encode_case
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HarnessError, InputError, UsageError
from qfuzz.model.observation import Observation
from qfuzz.model.verdict import Channel
from qfuzz.regress.files import Placed, names_of, over, read_cases, task_name
from qfuzz.regress.judge import Replayed, Standing
from qfuzz.regress.junit import Told, junit_xml
from qfuzz.regress.run import replay_cases, transports_of
from qfuzz.regress.text import case_line, case_lines, exit_status, summary
from tests.examples import observed
from tests.fakes import LATE, Script

SILENT = Failure(Way.SILENT, (Channel.STDOUT,))
BROKEN = Case("nested", Expect.BROKEN, b"x", SILENT)


def place(*cases: Case) -> tuple[Placed, ...]:
    return tuple(
        Placed(case, f"f.breakers.jsonl:{number}", name, None, case.fixture)
        for number, (case, name) in enumerate(zip(cases, names_of(cases), strict=True), 1)
    )


def stands(case: Case, script: Script) -> Replayed:
    (replayed,) = replay_cases(place(case), script.machinery(), 1.0, 1)
    return replayed


def same(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001
    return observed(stdout=b"same")


def by_turns(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001
    return observed(stdout=b"%d" % ordinal)


def failing(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001
    raise HarnessError("no jail answered")


def test_the_standing_of_a_case() -> None:
    survives = replace(BROKEN, expect=Expect.SURVIVES)
    assert stands(BROKEN, Script()).standing is Standing.AS_EXPECTED
    assert stands(BROKEN, Script(same)).standing is Standing.MENDED
    assert stands(survives, Script(same)).standing is Standing.AS_EXPECTED
    broke = stands(survives, Script())
    assert (broke.standing, broke.failure) == (Standing.BROKE, SILENT)
    otherwise = replace(BROKEN, failure=Failure(Way.STATUS, (Channel.STATUS,)))
    assert stands(otherwise, Script()).standing is Standing.OTHERWISE
    assert "status (status) became silent (stdout)" in case_line(stands(otherwise, Script()))


def test_a_rejection_is_a_way_to_break() -> None:
    case = Case("json-naive", Expect.BROKEN, b'"', Failure(Way.REJECTED))
    assert stands(case, Script()).as_expected
    broke = stands(replace(case, expect=Expect.SURVIVES), Script())
    assert broke.standing is Standing.BROKE
    assert "rejected: json-naive: " in case_line(broke)


def test_what_is_not_carried_is_no_damage() -> None:
    refused = stands(Case("json", Expect.SURVIVES, b"\xff"), Script(same))
    assert refused.standing is Standing.REFUSED
    assert "json can't carry it: JSON can't hold bytes that are not UTF-8 (byte 0)" in case_line(refused)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (Script(by_turns), "does not do the same twice"),
        (Script(lambda launch, ordinal: LATE), "does not end in 1 s directly"),  # noqa: ARG005
        (Script(failing), "no jail answered"),
    ],
)
@pytest.mark.parametrize("expect", Expect)
def test_what_shows_nothing_is_not_judged(script: Script, said: str, expect: Expect) -> None:
    replayed = stands(replace(BROKEN, expect=expect), script)
    assert replayed.standing is Standing.UNJUDGED
    assert said in case_line(replayed)


def test_what_direct_can_not_run_is_not_judged() -> None:
    assert stands(Case("script-file", Expect.SURVIVES, b"x" * 200_000), Script(same)).standing is Standing.UNJUDGED


def test_a_transported_run_that_does_not_end_is_a_way_to_break() -> None:
    def late_inside(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001
        return LATE if launch.inner_shells else observed()

    replayed = stands(BROKEN, Script(late_inside))
    assert replayed.failure is not None
    assert replayed.failure.way is Way.TIMEOUT


def test_equal_programs_share_their_direct_runs_and_nothing_is_kept_for_the_next_run() -> None:
    cases = [Case(name, Expect.SURVIVES, b"x") for name in ("nested", "single", "quoted")]
    script = Script(same)
    assert all(each.as_expected for each in replay_cases(place(*cases), script.machinery(), 1.0, 2))
    assert Counter(script.runs)[b"x"] == 2
    once = len(script.runs)
    list(replay_cases(place(*cases), script.machinery(), 1.0, 2))
    assert len(script.runs) == 2 * once


def test_cases_come_in_order_for_any_number_of_jobs() -> None:
    cases = place(*(Case(name, Expect.SURVIVES, b"%d" % n) for n in range(9) for name in ("nested", "single")))
    for jobs in (1, 4):
        done = [each.placed for each in replay_cases(cases, Script(same).machinery(), 1.0, jobs)]
        assert done == list(cases)


def test_an_unknown_transport_is_placed_before_anything_runs() -> None:
    cases = place(BROKEN, Case("pigeon", Expect.SURVIVES, b"x"))
    with pytest.raises(UsageError, match=r"^f\.breakers\.jsonl:2: unknown transport 'pigeon'"):
        transports_of(cases)
    script = Script(same)
    with pytest.raises(UsageError, match=r"^unknown transport 'pigeon'"):
        list(replay_cases(cases, script.machinery(), 1.0, 1))
    assert script.log == []


def test_names_are_readable_and_unique() -> None:
    task = TaskName("json-write/t2-x", "0" * 16)
    alone = Case("single", Expect.SURVIVES, b"a", task=task)
    pair = [Case("nested", Expect.SURVIVES, program, task=task) for program in (b"a", b"b")]
    names = names_of([*pair, alone, Case("nested", Expect.SURVIVES, b"a")])
    assert names[2:] == ["json-write/t2-x over single", "a over nested"]
    assert all(name.startswith("json-write/t2-x over nested ") for name in names[:2])
    assert len(set(names)) == 4
    assert names_of(reversed([*pair, alone]))[::-1] == names[:3], "a name does not depend on the other lines' order"


def test_over_another_transport_each_program_is_once() -> None:
    cases = place(
        *(Case(name, Expect.BROKEN, b"x", SILENT) for name in ("nested", "single")), Case("sh", Expect.SURVIVES, b"y")
    )
    moved = over("quoted", [cases[:1], cases[1:]])
    assert [(each.case.transport, each.case.program, each.case.expect, each.where[-1]) for each in moved] == [
        ("quoted", b"x", Expect.SURVIVES, "1"),
        ("quoted", b"y", Expect.SURVIVES, "3"),
    ]


def test_a_task_is_found_by_name_and_digest(tmp_path: Path) -> None:
    task = load_public()[0]
    file = tmp_path / "a.breakers.jsonl"
    file.write_bytes(encode_case(replace(BROKEN, task=task_name(task))))
    (placed,) = read_cases(file)
    assert (placed.task, placed.fixture, placed.where) == (task, task.fixture, f"{file}:1")
    file.write_bytes(encode_case(replace(BROKEN, task=TaskName(task.task_id, "0" * 16))))
    with pytest.raises(InputError, match=r":1: task '.*' was edited since; export the breaker again"):
        read_cases(file)
    file.write_bytes(encode_case(replace(BROKEN, task=TaskName("no/t0-such", "0" * 16))))
    with pytest.raises(InputError, match=r":1: unknown task 'no/t0-such'; name its task set with --tasks"):
        read_cases(file)


def test_a_line_that_repeats_another_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.breakers.jsonl"
    file.write_bytes(encode_case(BROKEN) + b"\n" + encode_case(replace(BROKEN, expect=Expect.SURVIVES)))
    with pytest.raises(InputError, match=r":3: the same transport, reply and task as line 1"):
        read_cases(file)


@pytest.mark.parametrize(
    ("standings", "refused_is_fault", "status"),
    [
        ({Standing.AS_EXPECTED: 3}, True, 0),
        ({Standing.AS_EXPECTED: 3, Standing.BROKE: 1}, True, 1),
        ({Standing.AS_EXPECTED: 3, Standing.MENDED: 1}, True, 1),
        ({Standing.AS_EXPECTED: 3, Standing.OTHERWISE: 1}, True, 1),
        ({Standing.AS_EXPECTED: 3, Standing.REFUSED: 1}, True, 1),
        ({Standing.AS_EXPECTED: 3, Standing.REFUSED: 1}, False, 0),
        ({Standing.REFUSED: 4}, False, 2),
        ({Standing.AS_EXPECTED: 3, Standing.UNJUDGED: 1}, True, 2),
        ({Standing.BROKE: 3, Standing.UNJUDGED: 1}, True, 1),
        ({Standing.AS_EXPECTED: 3, Standing.LEFT_OUT: 1}, True, 2),
        ({Standing.BROKE: 1, Standing.LEFT_OUT: 1}, True, 1),
        ({}, True, 2),
    ],
)
def test_the_exit_status(standings: dict[Standing, int], refused_is_fault: bool, status: int) -> None:
    assert exit_status(Counter(standings), refused_is_fault=refused_is_fault) == status


def test_the_summary_counts_every_standing() -> None:
    assert summary(Counter({Standing.AS_EXPECTED: 1})) == "1 case: 1 as expected"
    said = summary(Counter(dict.fromkeys(Standing, 2)))
    assert said.startswith("14 cases: 2 as expected, 2 broke, ")
    assert said.count(" 2 ") == len(Standing)


ODD = Case("nested", Expect.SURVIVES, b"\x1b]<&\"'>" + "\ufffe\x0b \ud7ff".encode() + b"\xff")

SUITE_ATTRIBUTES = {"name", "tests", "failures", "errors", "skipped"}


def test_the_report_is_xml_of_the_usual_shape() -> None:
    cases = [
        replace(ODD, transport="json"),
        ODD,
        replace(ODD, expect=Expect.BROKEN, failure=Failure(Way.REJECTED), reason="\x07 \ud83d"),
        Case("json-naive", Expect.SURVIVES, b'"\x01'),
        Case("json", Expect.SURVIVES, b"fine"),
    ]
    unjudged = stands(Case("nested", Expect.SURVIVES, b"turns"), Script(by_turns))
    done = [*replay_cases(place(*cases), Script().machinery(), 1.0, 1), unjudged]
    told = [Told(each, tuple(case_lines(each, None))) for each in done]
    for refused_is_fault in (True, False):
        document = junit_xml(told, refused_is_fault=refused_is_fault)
        root = ET.fromstring(document)
        assert root.tag == "testsuites"
        (suite,) = root
        assert suite.tag == "testsuite"
        assert set(suite.attrib) == SUITE_ATTRIBUTES
        listed = [case[0].tag if len(case) else "" for case in suite]
        assert {case.tag for case in suite} == {"testcase"}
        assert all(set(case.attrib) == {"classname", "name"} for case in suite)
        first = "failure" if refused_is_fault else "skipped"
        standings = [each.standing.value for each in done]
        assert listed == [first, "failure", "failure", "failure", "", "error"], standings
        assert {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")} == {
            "tests": 6,
            "failures": listed.count("failure"),
            "errors": 1,
            "skipped": listed.count("skipped"),
        }
        assert all(each[0].attrib["message"] for each in suite if len(each))


def test_the_report_takes_any_text() -> None:
    odd = "\0\x1b\ufffe \udcff ]]> <&> \U0001f41a"
    (broke,) = replay_cases(place(replace(BROKEN, expect=Expect.SURVIVES)), Script().machinery(), 1.0, 1)
    placed = replace(broke.placed, where=f"{odd}.breakers.jsonl:1", name=odd)
    document = junit_xml([Told(replace(broke, placed=placed), (odd, odd))], refused_is_fault=True)
    ((suite,),) = ([*ET.fromstring(document)],)
    shown = "\\x00\\x1b\\ufffe \\udcff ]]> <&> \U0001f41a"
    assert suite.attrib["name"] == f"{shown}.breakers.jsonl"
    (case,) = suite
    assert case.attrib["name"] == case[0].attrib["message"] == shown
    assert case[0].text == f"{shown}\n{shown}"


def test_a_case_without_a_task_is_called_by_its_program() -> None:
    assert Case("nested", Expect.SURVIVES, b"printf '\n\xff'").label == r"printf '\n\xff'"
    long = Case("nested", Expect.SURVIVES, b"x" * 100).label
    assert long == "x" * 40 + "..."
