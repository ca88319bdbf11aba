"""Lint by example: what each layer marks, where it says that it is, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from qfuzz.lint.check import Linter
from qfuzz.lint.findings import Finding, Level, Linted, Source, linted_record
from qfuzz.lint.layers import LAST_SHELL_READERS
from qfuzz.lint.sarif import SarifLog
from qfuzz.model.errors import UsageError
from qfuzz.model.forms import marked
from qfuzz.model.reply import Reply
from qfuzz.report.lint_text import WIDTH, linted_text
from qfuzz.report.visible import width_of
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve

SARIF = json.loads((Path(__file__).parents[1] / "data" / "sarif-schema-2.1.0.json").read_text())


def findings(stack: str, program: bytes) -> tuple[Finding, ...]:
    return Linter.over(resolve(stack)).findings(program)


def flagged(stack: str, program: bytes) -> list[tuple[str, str]]:
    """What is flagged, with the name of its rule."""
    return [(one.char.char, one.rule_id.partition("/")[2]) for one in findings(stack, program)]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (b"p 'a' # ~ * ; \xc3\xa9", []),
        (b'p "a"', [('"', "double-quote"), ('"', "double-quote")]),
        (b"p '$x$' $'a' a$ $", [("$", "dollar")]),
        (b"p $(a) ${a} $[a] $1 $? $$a", [("$", "dollar")] * 7),
        (b"p `a`", [("`", "backtick"), ("`", "backtick")]),
        (b"p \\n \\a '\\.'", []),
        (b"p \\$ \\\\ \\\n", [("\\", "backslash")] * 3),
        (b"p a\\", [("\\", "backslash")]),
    ],
)
def test_between_double_quotes(program: bytes, expected: list[tuple[str, str]]) -> None:
    assert flagged("nested", program) == expected


@pytest.mark.parametrize(
    ("stack", "program", "expected"),
    [
        ("direct", b"p \"$x\" '`'", []),
        ("quoted", b"p \"$x\" '`'", []),
        ("json", b"p \"$x\" '`'", []),
        ("script-file", b"p \"$x\" '`'", []),
        ("single", b"p \"$x\" 'a'", [("'", "apostrophe"), ("'", "apostrophe")]),
        ("json-naive", b'p\t"', [("\t", "tab"), ('"', "double-quote")]),
        ("json-naive", b"p\\n\x01", [("\\", "backslash"), ("\x01", "control-character")]),
        ("json-naive", b"p 'a' $x \x7f \xc3\xa9", []),
    ],
)
def test_one_layer(stack: str, program: bytes, expected: list[tuple[str, str]]) -> None:
    assert flagged(stack, program) == expected


@pytest.mark.parametrize("stack", ["double-nested", "single > single", "quoted > nested"])
@pytest.mark.parametrize(
    ("program", "names"),
    [
        (b"ls", []),
        (b"./a-b.c,d:e=f%g@h^i!j", []),
        (b"a b", ["blank"]),
        (b"a;b", ["operator"]),
        (b"a\\b", ["backslash"]),
        (b"$x$.", ["dollar"]),
        (b"x$", ["dollar"]),
        (b"a$'b'", ["dollar", "quote", "quote"]),
        (b"a*b[c]d[", ["pattern", "pattern"]),
        (b"a{b,c}{d}{1..3}", ["brace", "brace", "brace"]),
        (b"~a~", ["tilde"]),
        (b"#a#", ["comment"]),
        (b"-a", ["option"]),
    ],
)
def test_quotes_that_end_each_other_leave_the_program_without_any(stack: str, program: bytes, names: list[str]) -> None:
    """Braces are flagged more often than they expand: `{d}` here stands before one that does."""
    assert [name for _, name in flagged(stack, program)] == names


BOTH = ["single/apostrophe", "nested/double-quote", "nested/dollar", "nested/double-quote", "single/apostrophe"]


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        ("json-naive > nested", ["json-naive/double-quote", "nested/dollar", "json-naive/double-quote"]),
        ("single > nested", BOTH),
        ("nested > single", BOTH),
        ("nested > quoted", ["nested/double-quote", "nested/dollar", "nested/double-quote"]),
        ("nested > script-file > nested", ["nested/double-quote", "nested/dollar", "nested/double-quote"]),
        ("nested > sh", ["nested/double-quote", "nested/dollar", "nested/double-quote"]),
        ("script-file > nested", []),
        ("base64", []),
        ("base64-piped > nested", []),
        ("base64 > single", []),
        ("nested > base64", ["nested/double-quote", "nested/dollar", "nested/double-quote"]),
        ("single > base64-piped > json-naive", ["single/apostrophe", "single/apostrophe"]),
        ("quoted > single", ["single/apostrophe", "single/apostrophe"]),
    ],
)
def test_a_stack_marks_what_any_of_its_layers_marks(stack: str, expected: list[str]) -> None:
    assert [one.rule_id for one in findings(stack, b"p 'a\"$x\"b'")] == expected


@pytest.mark.parametrize("stack", ["base64 > nested", "base64-piped > sh"])
def test_what_comes_after_base64_is_followed_where_it_leaves_that_alone(stack: str) -> None:
    with pytest.raises(UsageError, match="lint can't follow what comes after base64"):
        Linter.over(resolve(stack))


@pytest.mark.parametrize("stack", ["nested > json-naive", "nested > nested > nested"])
def test_a_stack_that_breaks_every_reply(stack: str) -> None:
    with pytest.raises(UsageError, match="breaks every reply"):
        Linter.over(resolve(stack))


def test_every_registered_transport_has_rules_or_says_that_lint_knows_none() -> None:
    for name in load().names():
        transport = resolve(name)
        if missing_of(transport) is not None:
            continue
        known = (each.faithful or each.rules or each.name in LAST_SHELL_READERS for each in transport.boundaries)
        if all(known):
            assert Linter.over(transport).findings(b"true") == (), name
        else:
            with pytest.raises(UsageError, match="lint knows no rules of"):
                Linter.over(transport)


@pytest.mark.parametrize("stack", ["xargs > nested", "nested > xargs", "heredoc > single"])
def test_a_program_that_starts_a_shell_is_followed_alone_only(stack: str) -> None:
    with pytest.raises(UsageError, match="beside another shell"):
        Linter.over(resolve(stack))


def test_what_a_program_takes_from_the_reply_is_marked() -> None:
    assert [one.rule_id for one in findings("xargs", b" p 'a'")] == [
        "xargs/byte-20",
        "xargs/apostrophe",
        "xargs/apostrophe",
    ]
    heredoc = findings("heredoc", b"p $a '\\n' '\\\\'")
    assert [one.rule_id for one in heredoc] == ["heredoc/dollar", "heredoc/backslash"]
    assert [one.rule_id for one in findings("eval", b'p "$" "')] == ["eval/double-quote"] * 3


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (b'[ a = b ] && p "${x:-y}" $((1 + 2)) | a 2>&1 < b; a() { b; }; case a in b) ;; esac', []),
        (b"p 'a [[ <<< {b,c} $RANDOM' # [[ $UID", []),
        (b"[[ a ]]", ["[[ double-bracket"]),
        (b"p $'a' $\"b\"", ["$' ansi-c-quotes", '$" locale-quotes']),
        (b"a <(b) <<< c", ["<( process-substitution", "<<< here-string"]),
        (b"x=(a b); y[1]=c", ["( array", "[ array"]),
        (b"x+=a", ["x+=a append"]),
        (b"((x)); p $[1] $((x++))", ["(( arithmetic-command", "$[ old-arithmetic", "++ arithmetic-operator"]),
        (b"a &> b |& c", ["&> redirect-both", "|& pipe-both"]),
        (b"p {a,b} a{1..3}b '{a,b}' ${a,b}", ["{a,b} brace-expansion", "{1..3} brace-expansion", "${a, parameter"]),
        (
            b"p ${x/a/b} ${x:1} ${!x} ${x^^} ${x%a} ${#x}",
            ["${x/ parameter", "${x: parameter", "${! parameter", "${x^ parameter"],
        ),
        (b"function f { a; }; source b; p $UID", ["function reserved-word", "source builtin", "$UID variable"]),
        (b"echo -e 'a\\n'; echo -n a", ["-e echo-option", "'a\\n' echo-escape"]),
        (b"printf '%q' -v; read -r -p a b", ["'%q' printf", "-v printf"]),
        (b"read -a b; [ a == b ]; set -o pipefail", ["-a read-option", "== double-equals", "pipefail set-option"]),
    ],
)
def test_another_shell(program: bytes, expected: list[str]) -> None:
    assert [f"{text} {name}" for text, name in flagged("sh", program)] == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (b"cat\na", ["cat"]),
        (b"cat", []),
        (b"cat f; a", []),
        (b"a | cat; b", []),
        (b"cat <<E\nE\na", []),
        (b"read x; a", ["read"]),
        (b"grep -c a; b", ["grep"]),
        (b"grep -c a f; b", []),
        (b"ssh h a; b", ["ssh"]),
        (b"while read l; do a; done < f", ["read"]),
    ],
)
def test_standard_input(program: bytes, expected: list[str]) -> None:
    """A loop's redirection is not seen: what is flagged here may be harmless."""
    assert [text for text, _ in flagged("stdin", program)] == expected


def test_what_can_not_be_carried_is_a_finding() -> None:
    (finding,) = findings("direct", b"a" * 140_000)
    assert (finding.rule_id, finding.level, finding.char.offset) == ("direct/cannot-carry", Level.ERROR, 131_071)
    (finding,) = findings("json-naive", b"p \xff")
    assert finding.rule_id == "json-naive/cannot-carry"
    assert finding.char.char.encode("utf-8", "surrogateescape") == b"\xff"


PROGRAM = "p 'é$x'\n\n\tq \"ä\" \udcff`z`".encode("utf-8", "surrogateescape")


def test_places_are_those_of_the_minimal_forms() -> None:
    found = findings("nested", PROGRAM)
    assert len(found) == 5
    for one in found:
        assert one.char == marked(PROGRAM, one.char.offset, one.char.context, one.char.rule)
        assert one.end == one.char.offset + 1


def linted(source: Source, program: bytes = PROGRAM, task_id: str | None = None) -> Linted:
    return Linted(source, Reply(program, task_id), "nested", findings("nested", program))


def test_the_text_fits_and_hides_nothing() -> None:
    long = b"p " + b"'$x\x1b[31m' " * 60 + "日本$y".encode()
    for program in (PROGRAM, long, b'p "a"\n' * 400):
        lines = list(linted_text(linted(Source("a\x1bb.jsonl", 3), program, "family/t1-x")))
        assert all(width_of(line) <= WIDTH for line in lines)
        assert all(line.isprintable() for line in lines)
        assert lines[0].startswith("a␛b.jsonl:3: family/t1-x over nested: ")
        assert len(lines) < 60
    assert list(linted_text(linted(Source("a", None), b"p"))) == []


def test_the_sarif_log_is_one() -> None:
    log = SarifLog()
    log.add(linted(Source("dir/a b.sh", None)))
    log.add(linted(Source("/abs/r.jsonl", 7), b'p "$x"', "family/t1-x"))
    log.add(linted(Source("-", 1), b"p"))
    document = json.loads(json.dumps(log.log()))
    jsonschema.Draft7Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(document)
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["nested/dollar", "nested/double-quote", "nested/backtick"]
    first, last = run["results"][0], run["results"][-1]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"])
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "dir/a%20b.sh"},
        "region": {"startLine": 1, "startColumn": 5, "byteOffset": 5, "byteLength": 1},
    }
    assert last["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    assert last["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "family/t1-x"
    assert last["properties"]["offset"] == 5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(SARIF).validate({**document, "version": "2.0.0"})


def test_the_record_says_all() -> None:
    record = json.loads(json.dumps(linted_record(linted(Source("r.jsonl", 2), b"p '$x'", "family/t1-x"))))
    assert record["source"] == "r.jsonl:2"
    assert record["flagged"] is True
    assert record["findings"] == [
        {
            "offset": 3,
            "end": 4,
            "line": 1,
            "column": 4,
            "char": "$",
            "context": "single quotes",
            "rule": "starts an expansion between double quotes",
            "rule_id": "nested/dollar",
            "level": "warning",
            "hazards": ["dollar"],
        }
    ]
