"""Explaining from Python: the same content as the command prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from qfuzz.api import explain
from qfuzz.model.errors import InputError, UsageError
from qfuzz.report.explain import explained_record, explained_text


def test_a_breaker_is_explained() -> None:
    explained = explain(b"printf '%s' '$5' > a; printf '%s' '\"x\"' > b", "nested")
    assert explained is not None
    assert explained.forms.repair is not None
    assert ["".join(one.char for one in cause) for cause in explained.forms.repair.causes] == ["$", '""']
    (dollar,) = explained.forms.repair.causes[0]
    assert (dollar.offset, dollar.line, dollar.column, dollar.context) == (13, 1, 14, "single quotes")
    lines = list(explained_text(explained))
    assert max(map(len, lines)) <= 80
    assert all(line.isprintable() for line in lines)


def test_the_record_has_the_documented_keys_and_equals_the_command(tmp_path: Path) -> None:
    (tmp_path / "reply.sh").write_bytes(b"echo '$HOME'")
    command = [sys.executable, "-m", "qfuzz", "explain", "--reply", "reply.sh", "--transport", "nested", "--json"]
    said = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=60).stdout)
    explained = explain(b"echo '$HOME'", "nested")
    assert explained is not None
    assert said == explained_record(explained)
    assert {"reply", "transport", "arrived", "payload", "minimal_reply", "repair_set", "causes"} <= set(said)
    assert set(said["causes"][0][0]) == {"offset", "line", "column", "char", "context", "rule"}
    assert said["arrived"] == "echo '/home/user'"


def test_the_reproduction_needs_no_qfuzz() -> None:
    explained = explain(b"echo '$HOME'", "nested")
    assert explained is not None
    line = explained_record(explained)["reproduce"]
    assert line.startswith("bash -c ")
    assert "qfuzz" not in line


def test_what_works_is_not_explained_and_bad_input_is_typed() -> None:
    assert explain(b"echo hi", "nested") is None
    with pytest.raises(UsageError):
        explain(b"echo hi", "no-such-path")
    with pytest.raises(InputError):
        explain(b"x\0", "nested")
