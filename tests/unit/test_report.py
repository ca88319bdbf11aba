"""What people read of a run: counts that add up, a table that fits, names that do no harm."""

from __future__ import annotations

import io
import os
import pty
import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.engine.events import Judged, Result, Sample
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.model.observation import Entry, Kind, Observation, Tree
from qfuzz.model.reply import Reply
from qfuzz.model.task import ExpectFile
from qfuzz.model.verdict import Outcome, Verdict
from qfuzz.oracle.compare import Comparison, Stability
from qfuzz.report.progress import LINE_SECONDS, Bar, Lines, progress_display
from qfuzz.report.records import judged_records
from qfuzz.report.tally import Counts, Tally
from qfuzz.report.text import WIDTH, BreakerList, print_table
from qfuzz.transports.loader import load
from tests.examples import observed, task_of
from tests.fakes import Script, events_of, judged

TASK = task_of(ExpectFile(b"out.txt", b"x"))
UNDELIVERED: dict[Outcome | None, Refusal | Rejection] = {
    Outcome.REFUSED: Refusal("nested", 3, "no"),
    Outcome.REJECTED: Rejection("nested", "no"),
}


def result(outcome: Outcome | None, stability: Stability | None, code: int = 0, breaker: bool = False) -> Result:
    return Result(
        "0123456789abcdef" * 4,
        "nested",
        UNDELIVERED.get(outcome),
        None,
        observed(code) if stability else None,
        None if outcome is None else Verdict(outcome, "" if outcome is Outcome.PASS else "why"),
        None if stability is None else Comparison(stability),
        breaker,
    )


def event_of(direct: Result, *results: Result, reply: Reply | None = None, with_task: bool = True) -> Judged:
    task = TASK if with_task else None
    said = reply or Reply(b"x", "family/t1-x" if with_task else None)
    sample = Sample(0, said, task, "t" if with_task else "", TASK.fixture, "f")
    return Judged(sample, replace(direct, transport="direct"), results, 0, 0)


failures = [Outcome.TIMEOUT, Outcome.SHELL_SYNTAX, Outcome.ENVIRONMENT, Outcome.RUNTIME_ERROR, Outcome.SILENT_WRONG]
stabilities = st.sampled_from([Stability.SAME, Stability.DIVERGED, Stability.NONDETERMINISTIC])


@st.composite
def judged_events(draw: st.DrawFn) -> Judged:
    """Whatever the engine can say of one sample over one transport."""
    with_task = draw(st.booleans())
    kind = draw(st.sampled_from(["run", "rejected", "refused", "harness", "direct refused", "all harness"]))
    direct_passes = draw(st.booleans())
    direct_outcome = Outcome.PASS if direct_passes else draw(st.sampled_from(failures))
    late = direct_outcome is Outcome.TIMEOUT
    if kind == "all harness":
        broken = result(Outcome.HARNESS_ERROR, None)
        return event_of(broken, broken, with_task=with_task)
    if kind == "direct refused":
        outcome = draw(st.sampled_from([Outcome.REFUSED, Outcome.REJECTED, *([Outcome.PASS] if with_task else [])]))
        return event_of(result(Outcome.REFUSED, None), result(outcome, None), with_task=with_task)
    direct = result(direct_outcome if with_task else None, None)
    if kind == "run":
        passes = draw(st.booleans())
        outcome = Outcome.PASS if passes else draw(st.sampled_from(failures))
        stability = Stability.DIRECT_TIMEOUT if late else draw(stabilities)
        breaker = direct_passes and not passes if with_task else stability is Stability.DIVERGED
        one = result(outcome if with_task else None, stability, draw(st.sampled_from([0, 2])), breaker)
    else:
        named = {"rejected": Outcome.REJECTED, "refused": Outcome.REFUSED, "harness": Outcome.HARNESS_ERROR}
        breaks = kind == "rejected" and (direct_passes if with_task else not late)
        one = result(named[kind], None, breaker=breaks)
    return event_of(direct, one, with_task=with_task)


def tally_of(events: Iterable[Judged]) -> Tally:
    tally = Tally()
    for event in events:
        tally.add(event)
    return tally


def counts_of(tally: Tally, with_task: bool) -> Counts:
    found = [row.counts for row in tally.rows() if row.with_task is with_task]
    assert len(found) <= 1
    return found[0] if found else Counts()


@given(st.lists(judged_events(), max_size=12))
def test_every_sample_is_counted_once(events: list[Judged]) -> None:
    tally = tally_of(events)
    for with_task in (True, False):
        counts = counts_of(tally, with_task)
        samples = sum((event.sample.task is not None) is with_task for event in events)
        elsewhere = counts.refused + counts.harness_errors + counts.no_direct
        if with_task:
            assert samples == counts.judged + elsewhere
        else:
            settled = counts.compared + counts.nondeterministic + counts.direct_timeouts + counts.rejected
            assert samples == settled + elsewhere
    assert tally.breakers == sum(each.breaker for event in events for each in event.results)


@given(st.lists(judged_events(), max_size=12))
def test_what_is_judged_adds_up(events: list[Judged]) -> None:
    counts = counts_of(tally_of(events), True)
    assert counts.judged == counts.transported_passed + counts.failed
    assert counts.breakers == counts.direct_passed - counts.kept
    assert 0 <= counts.kept <= min(counts.direct_passed, counts.transported_passed)
    assert counts.failed_with_exit_0 + counts.rejected <= counts.failed
    damage = counts.damage_points()
    retention = counts.retention()
    assert (damage is None) == (counts.judged == 0)
    assert damage is None or -100 <= damage <= 100
    assert (retention is None) == (counts.direct_passed == 0)
    assert retention is None or 0 <= retention <= 1
    without = counts_of(tally_of(events), False)
    assert without.diverged <= without.compared
    assert without.judged == without.failed == 0


@given(st.lists(judged_events(), max_size=12))
def test_the_order_of_samples_does_not_matter(events: list[Judged]) -> None:
    forwards, backwards = tally_of(events), tally_of(reversed(events))
    for with_task in (True, False):
        assert counts_of(forwards, with_task) == counts_of(backwards, with_task)


def table_of(tally: Tally) -> list[str]:
    stream = io.StringIO()
    print_table(tally, stream)
    return stream.getvalue().splitlines()


@given(st.lists(judged_events(), max_size=12))
def test_samples_with_and_without_task_have_a_row_each(events: list[Judged]) -> None:
    rows = [line for line in table_of(tally_of(events)) if line.startswith("  nested ")]
    assert len(rows) == len({event.sample.task is None for event in events})


CONTRACTS = ("raw", "native", "disclosed:nested", "disclosed:single")


@pytest.mark.parametrize("models", [("",), ("m1", "m2")])
@pytest.mark.parametrize("with_task", [True, False])
def test_the_table_of_the_shipped_replies_fits_without_folding(models: tuple[str, ...], with_task: bool) -> None:
    tally = Tally()
    for model in models:
        for contract in CONTRACTS:
            reply = Reply(b"x", "family/t1-x" if with_task else None, contract, model)
            for number in range(112):
                right = result(Outcome.PASS if with_task else None, Stability.SAME)
                wrong = result(Outcome.SILENT_WRONG if with_task else None, Stability.DIVERGED, breaker=True)
                one = right if number == 0 else wrong
                results = [replace(one, transport=name) for name in load().names()]
                tally.add(event_of(right, *results, reply=reply, with_task=with_task))
    lines = table_of(tally)
    assert max(map(len, lines)) <= WIDTH
    assert lines[0].split()[0] == "transport"
    titles = [f"{model}, {contract}" if len(models) > 1 else contract for model in models for contract in CONTRACTS]
    told = [line for line in lines if "replies told of it pass" in line]
    assert len(told) == (2 * len(models) if with_task else 0)
    assert [line for line in lines[2:] if not line.startswith(" ") and line not in told] == titles
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names == load().names() * len(titles)


def test_numbers_are_never_cut_off() -> None:
    tally = Tally()
    long = "json-naive > script-file > double-nested > quoted"
    for reply in (Reply(b"x", "t", "disclosed:nested", "a model with a long name"), Reply(b"x", "t", model="b")):
        broken = replace(result(Outcome.SILENT_WRONG, Stability.DIVERGED, breaker=True), transport=long)
        tally.add(event_of(result(Outcome.PASS, None), broken, reply=reply))
    for row in tally.rows():
        for name in ("judged", "direct_passed", "failed", "failed_with_exit_0", "breakers", "rejected"):
            setattr(row.counts, name, 123_456)
    lines = table_of(tally)
    assert "\n".join(lines).count("123456/123456") == 4
    assert max(map(len, lines)) <= WIDTH
    assert lines[2:4] == ["a model with a long name, disclosed:nested", f"  {long}"]


def test_no_data_is_not_zero() -> None:
    row = table_of(tally_of([event_of(result(Outcome.PASS, None), result(Outcome.REFUSED, None))]))[3]
    assert row.split() == ["nested", "0/0", "0/0", "-", "-", "0/0", "0", "1", "0"]


def test_what_no_column_counts_is_said_in_a_note() -> None:
    broken = event_of(result(Outcome.HARNESS_ERROR, None), result(Outcome.HARNESS_ERROR, None))
    long = event_of(result(Outcome.REFUSED, None), result(Outcome.PASS, None))
    shaky = event_of(result(Outcome.PASS, None), result(Outcome.PASS, Stability.NONDETERMINISTIC))
    notes = table_of(tally_of([broken, long, long, shaky, shaky, shaky]))[4:]
    assert [re.sub(r"\D", "", note) for note in notes] == ["3", "2", "1", ""]
    assert notes[-1] == "  why"


def test_breakers_are_listed_by_transport_up_to_a_number() -> None:
    breaking = result(Outcome.SILENT_WRONG, Stability.DIVERGED, breaker=True)
    listed = BreakerList(("nested", "quoted"), 2)
    for trial in range(5):
        one = replace(breaking, key=f"{trial}" * 64)
        listed.add(event_of(result(Outcome.PASS, Stability.SAME), one, reply=Reply(b"x", "a/t1-b", "raw", "", trial)))
    stream = io.StringIO()
    listed.print(stream)
    assert stream.getvalue() == (
        "\nnested: 5 breakers\n"
        "  0000000000000000  a/t1-b (raw 0)  silent-wrong: why\n"
        "  1111111111111111  a/t1-b (raw 1)  silent-wrong: why\n"
        "  and 3 more; the view `breakers` of the database lists all\n"
    )


NASTY = "a\x1b[31mb\n\x07\u202ec\x85d"


def test_names_and_messages_do_nothing_to_a_terminal() -> None:
    verdict = Verdict(Outcome.REJECTED, NASTY)
    breaking = Result("0" * 64, "nested", Rejection("nested", NASTY), verdict=verdict, breaker=True)
    event = event_of(result(Outcome.PASS, None), breaking, reply=Reply(b"x", NASTY, NASTY, NASTY))
    other = event_of(result(Outcome.PASS, None), breaking, reply=Reply(b"x", NASTY, NASTY, "other"))
    listed = BreakerList(("nested",), 5)
    listed.add(event)
    stream = io.StringIO()
    listed.print(stream)
    print_table(tally_of([event, other]), stream)
    text = stream.getvalue()
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\\x1b" in text
    assert len(text.splitlines()) <= 12


def test_differences_of_odd_paths_are_one_printable_line() -> None:
    script = Script(lambda launch, ordinal: _tree_named(launch.program))  # noqa: ARG005
    event = judged(events_of([b"odd\n\x1b$x"], script))[0]
    listed = BreakerList(("nested",), 5)
    listed.add(event)
    stream = io.StringIO()
    listed.print(stream)
    assert all(line.isprintable() for line in stream.getvalue().split("\n"))
    assert len(stream.getvalue().splitlines()) == 3


def test_unstable_replies_are_named_once_and_no_more_than_a_few() -> None:
    tally = Tally()
    for line in range(1, 9):
        event = event_of(result(None, None), *[result(None, Stability.NONDETERMINISTIC)] * 2, with_task=False)
        tally.add(replace(event, sample=replace(event.sample, where=f"a.jsonl:{line}")))
    named = ", ".join(f"a.jsonl:{line}" for line in range(1, 6))
    assert table_of(tally)[-1] == f"Not stable, so not compared: {named} and 3 more."


def _tree_named(name: bytes) -> Observation:
    return observed(tree=Tree({name: Entry(Kind.FILE, 0o644, b"")}))


def test_records_have_the_documented_keys_in_order() -> None:
    refused = result(Outcome.REFUSED, None)
    ran = result(None, Stability.DIVERGED, 3, True)
    event = event_of(result(Outcome.PASS, None), refused, ran, reply=Reply(b"x", "t", "raw", "m", 2))
    direct, first, second = judged_records(event)
    keys = [
        "task_id",
        "model",
        "contract",
        "trial",
        "transport",
        "verdict",
        "exit",
        "diverged",
        "breaker",
        "id",
        "where",
        "stability",
        "declared",
    ]
    assert list(direct) == list(first) == list(second) == keys
    assert [each["transport"] for each in (direct, first)] == ["direct", "nested"]
    assert (first["verdict"], first["exit"], first["diverged"], first["breaker"]) == ("refused", None, None, False)
    assert (second["verdict"], second["exit"], second["diverged"], second["breaker"]) == (None, 3, True, True)
    assert direct["diverged"] is None


def test_a_death_by_signal_and_a_timeout_are_told_apart_in_records() -> None:
    late = replace(result(Outcome.TIMEOUT, Stability.DIRECT_TIMEOUT), observation=None)
    (_, record) = judged_records(event_of(result(Outcome.PASS, None), late))
    assert (record["verdict"], record["exit"], record["diverged"]) == ("timeout", None, None)


def test_plain_lines_come_seldom() -> None:
    now = 0.0
    stream = io.StringIO()
    with Lines(10, stream, lambda: now) as lines:
        for _ in range(10):
            now += LINE_SECONDS / 4
            lines.advance()
    assert stream.getvalue() == "replayed 4 of 10\nreplayed 8 of 10\n"


def test_a_file_gets_lines_and_a_terminal_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress_display(3, io.StringIO()), Lines)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        display = progress_display(3, terminal)
        assert isinstance(display, Bar)
        with display:
            for _ in range(3):
                display.advance()
        os.set_blocking(ours, False)
        drawn = b"".join(iter(lambda: _read(ours), b"")).decode()
    os.close(ours)
    assert "replaying" in drawn
    assert "3/3" in drawn


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return b""
