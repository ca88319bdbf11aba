"""Findings as a SARIF log (OASIS Standard, Static Analysis Results Interchange Format 2.1.0 with errata 01)."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import qfuzz
from qfuzz.lint.findings import Finding, Linted
from qfuzz.model.content import JsonValue

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


class SarifLog:
    """Collects results; `log` is the whole document."""

    def __init__(self) -> None:
        self._rules: dict[str, int] = {}
        self._results: list[dict[str, JsonValue]] = []

    def add(self, one: Linted) -> None:
        self._results += [self._result(one, finding) for finding in one.findings]

    def log(self) -> dict[str, JsonValue]:
        rules = [{"id": rule, "shortDescription": {"text": _words(rule)}} for rule in self._rules]
        driver = {"name": "qfuzz", "version": qfuzz.__version__, "rules": rules}
        run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": self._results}
        return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}

    def _result(self, one: Linted, finding: Finding) -> dict[str, JsonValue]:
        char = finding.char
        index = self._rules.setdefault(finding.rule_id, len(self._rules))
        text = _plain(char.char)
        return {
            "ruleId": finding.rule_id,
            "ruleIndex": index,
            "level": finding.level.value,
            "message": {"text": f"{text} in {char.context}, over {one.transport}: {char.rule}"},
            "locations": [_location(one, finding)],
            "properties": {
                "tags": list(finding.hazards),
                "transport": one.transport,
                "offset": char.offset,
                "line": char.line,
                "column": char.column,
                "char": text,
                "context": char.context,
            },
        }


def _words(rule_id: str) -> str:
    """A rule's title. What a finding says may hold names and numbers of the one reply, so it is no title."""
    boundary, _, name = rule_id.partition("/")
    return f"{name.replace('-', ' ')} ({boundary})"


def _location(one: Linted, finding: Finding) -> dict[str, JsonValue]:
    """In a file that is the reply, the very characters; in a file of records, the line of the record."""
    char = finding.char
    region: dict[str, JsonValue]
    if one.source.line is None:
        region = {
            "startLine": char.line,
            "startColumn": char.column,
            "byteOffset": char.offset,
            "byteLength": finding.end - char.offset,
        }
    else:
        region = {"startLine": one.source.line}
    location: dict[str, JsonValue] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(one.source.file)}, "region": region}
    }
    if one.reply.task_id is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": one.reply.task_id, "kind": "object"}]
    return location


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _plain(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
