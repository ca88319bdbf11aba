"""`qfuzz lint` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.command import write_lines
from tests.cli.inside import Inside

SARIF = json.loads((Path(__file__).parents[1] / "data" / "sarif-schema-2.1.0.json").read_text())
DOLLAR = {"task_id": "family/t1-x", "reply": "p '$x'", "trial": 2}
PLAIN = {"reply": "p 'x'"}


def test_flagged_and_not(inside: Inside) -> None:
    write_lines(Path("both.jsonl"), DOLLAR, PLAIN)
    said = inside.call("lint", "both.jsonl")
    assert said.status == 1
    assert said.err == ""
    assert said.out == (
        "both.jsonl:1: family/t1-x over nested: 1 flagged\n"
        "  1 p '$x'\n"
        "       ^\n"
        "  $ starts an expansion between double quotes\n"
        "      single quotes: 1:4\n"
        "\n"
        "nested: 1 of 2 flagged, 1 predicted to arrive whole\n"
    )


def test_nothing_flagged(inside: Inside) -> None:
    write_lines(Path("plain.jsonl"), PLAIN)
    said = inside.call("lint", "plain.jsonl", "--transport", "nested", "--transport", "quoted > json")
    assert (said.status, said.err) == (0, "")
    assert said.out == (
        "nested: 0 of 1 flagged, 1 predicted to arrive whole\n"
        "quoted > json: 0 of 1 flagged, 1 predicted to arrive whole\n"
    )


def test_json_lines(inside: Inside) -> None:
    write_lines(Path("both.jsonl"), DOLLAR, PLAIN)
    said = inside.call("lint", "both.jsonl", "--json", "--transport", "nested", "--transport", "single")
    assert said.status == 1
    assert said.err == (
        "nested: 1 of 2 flagged, 1 predicted to arrive whole\nsingle: 2 of 2 flagged, 0 predicted to arrive whole\n"
    )
    records = said.records()
    assert [(one["source"], one["transport"], one["flagged"]) for one in records] == [
        ("both.jsonl:1", "nested", True),
        ("both.jsonl:1", "single", True),
        ("both.jsonl:2", "nested", False),
        ("both.jsonl:2", "single", True),
    ]
    assert records[0]["trial"] == 2


def test_one_reply_and_sarif(inside: Inside) -> None:
    Path("command.sh").write_bytes(b"p 'a'\np \"$x\xff\"\n")
    said = inside.call("lint", "--reply", "command.sh", "--sarif", "log.sarif")
    assert said.status == 1
    log = json.loads(Path("log.sarif").read_text())
    jsonschema.Draft7Validator(SARIF).validate(log)
    places = [one["locations"][0]["physicalLocation"] for one in log["runs"][0]["results"]]
    assert [place["region"]["byteOffset"] for place in places] == [8, 9, 12]
    assert {place["artifactLocation"]["uri"] for place in places} == {"command.sh"}


def test_faults_of_the_author(inside: Inside) -> None:
    Path("command.sh").write_text("f=$1\nrm $f\n")
    said = inside.call("lint", "--reply", "command.sh", "--author", "--transport", "single", "--json")
    assert said.status == 1
    single, direct = said.records()
    assert (single["transport"], single["flagged"]) == ("single", False)
    assert direct["transport"] == "direct"
    (finding,) = direct["findings"]  # type: ignore[misc]
    assert finding["rule_id"] == "author/SC2086"
    assert (finding["line"], finding["column"], finding["offset"], finding["char"]) == (2, 4, 8, "$f")
    assert {"glob", "double-blank"} <= set(finding["hazards"])
    assert "direct: 1 of 1 with faults of the author's" in said.err


def test_no_fault_of_the_author(inside: Inside) -> None:
    Path("command.sh").write_text('rm -- "$1"\n')
    said = inside.call("lint", "--reply", "command.sh", "--author", "--transport", "direct")
    assert (said.status, said.out) == (0, "direct: 0 of 1 with faults of the author's\n")


def test_shellcheck_is_missing(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("command.sh").write_text("a")
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    line = inside.refuses("lint", "--reply", "command.sh", "--author")
    assert line == "--author: shellcheck is not installed; pip install 'qfuzz[lint]'"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "give either REPLIES or --reply FILE"),
        (["a.jsonl", "--reply", "a"], "give either REPLIES or --reply FILE"),
        (["none.jsonl"], "none.jsonl: can't be read"),
        (["--reply", "none.sh"], "none.sh: can't be read"),
        (["--reply", "."], ".: can't be read"),
        (["bad.jsonl"], "bad.jsonl:1: is not JSON"),
        (["bad.jsonl", "--transport", "carrier-pigeon"], "unknown transport 'carrier-pigeon'"),
        (["bad.jsonl", "--transport", "nested > json-naive"], "nested > json-naive breaks every reply"),
    ],
)
def test_bad_input_is_one_line(inside: Inside, arguments: list[str], complaint: str) -> None:
    Path("bad.jsonl").write_text("no\n")
    assert inside.refuses("lint", *arguments).startswith(complaint)


def test_bad_lines_can_be_passed_over(inside: Inside) -> None:
    Path("some.jsonl").write_text("no\n" + json.dumps(PLAIN) + "\n")
    said = inside.call("lint", "some.jsonl", "--skip-bad")
    assert said.status == 0
    assert said.err.startswith("skipped some.jsonl:1: is not JSON")
    assert said.out == "nested: 0 of 1 flagged, 1 predicted to arrive whole\n"


def test_a_log_that_can_not_be_written(inside: Inside) -> None:
    write_lines(Path("plain.jsonl"), PLAIN)
    said = inside.call("lint", "plain.jsonl", "--sarif", "no/such/log.sarif")
    assert said.status == 2
    assert said.err.startswith("qfuzz: no/such/log.sarif: can't be written")
