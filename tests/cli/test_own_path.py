"""Transports of the user's own on the command line: where they are found, which commands take them, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qfuzz.cli.stacks import transports_of, without_failed
from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.errors import PathError
from qfuzz.own.load import own_transports
from tests.cli.command import Said, qfuzz
from tests.cli.inside import Inside

CONFIG = """
[transports.mine]
template = "bash -c {}"
escape = "escapes:forgets"
[transports.whole]
template = "bash -c {}"
escape = "shlex:quote"
faithful = true
[transports.box]
exec = ["bash", "{reply_file}"]
summary = "a box"
[transports.never]
exec = ["cat", "{reply_file}"]
[transports.typed]
exec = ["bash", "-s"]
stdin = true
"""
ESCAPES = "def forgets(text):\n    return '\"' + text.replace('\"', '\\\\\"') + '\"'\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qfuzz.toml").write_text(CONFIG)
    (tmp_path / "escapes.py").write_text(ESCAPES)
    replies = ["echo 'costs $5'", "echo fine"]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps({"reply": reply}) + "\n" for reply in replies))
    (tmp_path / "r.sh").write_text("echo 'costs $5'")
    return tmp_path


def test_a_file_beside_is_found_and_listed(inside: Inside, folder: Path) -> None:
    said = inside.call("transports", "--json")
    found = {each["name"]: each for each in map(json.loads, said.out.splitlines())}
    assert found["mine"] == {
        "name": "mine",
        "faithful": False,
        "summary": "bash -c {} with the reply escaped by escapes:forgets",
    }
    assert found["box"]["summary"] == "a box"
    shown = inside.call("transports", "show", "json-naive > mine", "--sample", "echo $X")
    assert 'after mine\n  bash -c "echo $X"\n' in shown.out
    (folder / "qfuzz.toml").rename(folder / "other.toml")
    unknown = "unknown transport 'mine'; `qfuzz transports` lists the known ones"
    assert inside.refuses("transports", "show", "mine") == f"{unknown}; no qfuzz.toml is here"
    assert inside.refuses("transports", "--config", "other.toml", "show", "mien") == unknown.replace(
        "'mine'; ", "'mien'; did you mean mine? "
    )
    assert inside.call("transports", "--config", "other.toml", "show", "mine").status == 0
    assert "unknown transport 'mine'" in inside.refuses("transports", "show", "mine")


def test_every_command_refuses_a_bad_file_in_one_line(inside: Inside, folder: Path) -> None:
    (folder / "qfuzz.toml").write_text("[transports.x]\ntemplate = 'bash -c'\n")
    for arguments in (
        ("transports",),
        ("diff", "log.jsonl", "--transport", "nested"),
        ("explain", "--reply", "r.sh", "--transport", "nested"),
        ("lint", "log.jsonl"),
        ("prompts",),
        ("shrink", "abc"),
        ("regress", "x.breakers.jsonl"),
    ):
        said = inside.refuses(*arguments)
        assert said.startswith("qfuzz.toml:2: transports.x.template: expected one place {} for the reply, not none")
    assert (
        inside.refuses("diff", "log.jsonl", "--config", "no.toml")
        == "no.toml: can't be read (No such file or directory)"
    )


@pytest.mark.parametrize("kind", ["a folder", "a dangling link"])
def test_what_has_the_name_and_is_no_file_is_refused(inside: Inside, tmp_path: Path, kind: str) -> None:
    if kind == "a folder":
        (tmp_path / "qfuzz.toml").mkdir()
    else:
        (tmp_path / "qfuzz.toml").symlink_to("nowhere")
    assert inside.refuses("transports").startswith("qfuzz.toml: can't be read (")


def test_diff_arrived_explain_and_shrink_take_them(folder: Path) -> None:
    names = ("--transport", "mine", "--transport", "whole", "--transport", "box")
    said = qfuzz(["diff", "log.jsonl", *names, "--json"], cwd=folder)
    assert said.status == 1, said
    breakers = [record for record in said.records() if record["breaker"]]
    assert [record["transport"] for record in breakers] == ["mine"]
    explained = qfuzz(["explain", str(breakers[0]["id"])], cwd=folder)
    assert explained.status == 0, explained
    assert "echo 'costs '" in explained.out
    assert "bash -c 'bash -c \"echo" in explained.out
    assert qfuzz(["shrink", str(breakers[0]["id"])], cwd=folder).status == 0
    forgotten = qfuzz(["explain", str(breakers[0]["id"]), "--config", "empty.toml"], cwd=_with_empty(folder))
    assert forgotten.status == 2
    assert "unknown transport 'mine'" in forgotten.err
    arrived = qfuzz(["diff", "log.jsonl", *names, "--arrived"], cwd=folder)
    assert arrived.status == 1
    assert "mine: 1 of 2 did not arrive as they were" in arrived.out
    assert "box:" not in arrived.out
    fresh = qfuzz(["explain", "--reply", "r.sh", "--transport", "mine", "--json"], cwd=folder)
    assert fresh.status == 0, fresh
    assert fresh.records()[0]["arrived"] == "echo 'costs '"


def _with_empty(folder: Path) -> Path:
    (folder / "empty.toml").write_text("")
    return folder


def test_a_path_that_fails_its_test_is_said_before_anything_runs(folder: Path) -> None:
    said = qfuzz(["diff", "log.jsonl", "--transport", "never"], cwd=folder)
    assert (said.status, said.out) == (2, "")
    assert said.err == (
        "qfuzz: never: never runs the reply: `touch qfuzz-canary` did nothing; it started 0 shells (status 0)\n"
    )
    unseen = qfuzz(["diff", "log.jsonl", "--transport", "typed", "--arrived"], cwd=folder)
    assert unseen.status == 2
    assert "typed starts no shell with the reply as an argument or a file" in unseen.err


def test_lint_says_that_it_knows_no_rules_or_trusts_what_is_claimed(inside: Inside, folder: Path) -> None:
    assert "lint knows no rules of mine" in inside.refuses("lint", folder / "log.jsonl", "--transport", "mine")
    assert inside.call("lint", folder / "log.jsonl", "--transport", "whole").status == 0


def test_regress_takes_them(folder: Path) -> None:
    for transport, status in (("mine", 1), ("whole", 0)):
        case = {
            "schema": 1,
            "reply": "echo 'costs $5'",
            "transport": transport,
            "expect": "survives",
            "reason": "all do",
        }
        (folder / "x.breakers.jsonl").write_text(json.dumps(case) + "\n")
        said = qfuzz(["regress", "x.breakers.jsonl"], cwd=folder)
        assert said.status == status, said


UNUSABLE = """
[transports.gone]
exec = ["no-such-agent", "{reply_file}"]
[transports.lost]
template = "bash -c {}"
escape = "escapes:remembers"
"""
GONE = "qfuzz.toml:19: transports.gone.exec: the program no-such-agent is not in /usr/bin:/bin"
LOST = "escapes:remembers: can't be imported (AttributeError: "


@pytest.fixture
def mixed(folder: Path) -> Path:
    """A folder whose file has transports that can be used, and some that can't."""
    (folder / "qfuzz.toml").write_text(CONFIG + UNUSABLE)
    return folder


def test_only_who_names_an_unusable_transport_is_told(inside: Inside, mixed: Path) -> None:
    for command in (("diff", "log.jsonl"), ("explain", "--reply", "r.sh"), ("fuzz",)):
        assert inside.refuses(*command, "--transport", "gone") == GONE
    assert inside.refuses("diff", "log.jsonl", "--transport", "mine", "--transport", "lost").startswith(LOST)
    assert inside.call("transports", "show", "gone").status == 0
    said = qfuzz(["diff", "log.jsonl", "--transport", "whole", "--transport", "box", "--no-shrink"], cwd=mixed)
    assert (said.status, said.err) == (0, "")


def test_all_leaves_out_what_can_not_be_used(mixed: Path, capfd: pytest.CaptureFixture[str]) -> None:
    own = ("mine", "whole", "box", "never", "typed", "gone", "lost")
    with own_transports(mixed / "qfuzz.toml") as names, Pool(1) as pool:
        assert names == own
        stacks = transports_of(["all"], "bwrap")
        found = [each for each in stacks if each.name in own]
        assert [each.name for each in found] == ["mine", "whole", "box", "never", "typed"]
        failed: dict[str, PathError] = {}
        machinery(pool, 10.0, found, failed)
        left = without_failed(found, failed, ["all", "box"])
        assert [each.name for each in left] == ["mine", "whole", "box", "typed"]
        with pytest.raises(PathError, match="never runs the reply"):
            without_failed(found, failed, ["all", "never"])
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("left out: ")]
    assert f"left out: {mixed}/{GONE}" in said
    assert any(line.startswith(f"left out: {LOST}") for line in said)
    assert any(line.startswith("left out: never: never runs the reply: ") for line in said)


def test_regress_replays_the_cases_of_the_others(mixed: Path) -> None:
    case = {"schema": 1, "reply": "echo 'costs $5'", "expect": "survives", "reason": "all do"}
    lines = [json.dumps(case | {"transport": name}) for name in ("whole", "gone", "lost", "never")]
    (mixed / "x.breakers.jsonl").write_text("\n".join(lines) + "\n")
    said = qfuzz(["regress", "x.breakers.jsonl", "--json"], cwd=mixed)
    standings = {str(record["transport"]): record["standing"] for record in said.records()}
    assert standings == {"whole": "as-expected", "gone": "left-out", "lost": "unjudged", "never": "unjudged"}
    assert said.status == 2
    assert GONE in said.err
    assert LOST in said.err
    assert "never runs the reply" in said.err


def test_explain_of_a_program_names_its_service_and_where_to_mend(tmp_path: Path) -> None:
    (tmp_path / "qfuzz.toml").write_text(
        '[transports.tool]\nexec = ["bash", "-c", "bash {reply_file} | cat -A"]\n'
        'service = ["sleep", "100"]\nready = ["true"]\n'
    )
    (tmp_path / "r.sh").write_text("printf '\\t'")
    said = qfuzz(["explain", "--reply", "r.sh", "--transport", "tool"], cwd=tmp_path)
    assert said.status == 0, said
    assert "To deliver it whole\n  have the program hand the reply to its shell " in said.out
    assert "Its service, to be started first\n  sleep 100\n\nTo see it without qfuzz\n" in said.out


def test_doctor_looks_at_the_file_and_says_what_a_transport_lacks(
    inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qfuzz.cli.doctor.examine", lambda: iter(()))
    assert inside.call("doctor") == Said(0, "", "")
    Path("own.toml").write_text(
        '[transports.good]\ntemplate = "bash -c {}"\n'
        '[transports.gone]\nexec = ["bash", "{reply}"]\nshow = ["nowhere"]\n'
    )
    good, gone = inside.call("doctor", "--config", "own.toml", "--json").records()
    assert (good["ok"], good["absent"], good["detail"]) == (True, False, "own.toml has good, gone")
    assert (gone["ok"], gone["absent"]) == (True, True)
    assert str(gone["detail"]).startswith("gone can't be used: ")
    Path("qfuzz.toml").write_text('[transports.bad]\ntemplate = "bash -c"\n')
    said = inside.call("doctor")
    assert (said.status, said.err) == (2, "")
    assert said.out.startswith("NOT OK  config       qfuzz.toml:2: ")
