"""Where programs of packages from PyPI are looked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from qfuzz.model.tools import find_tool, is_shown, shown_tools


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is installed: bin and lib."""
    for name in ("bin", "lib"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sys, "path", ["", str(tmp_path / "none"), __file__, str(tmp_path / "lib")])
    return tmp_path


def install(environment: Path, mode: int = 0o755, record: bytes = b"x.py,,\n../bin/task,sha256=x,10\n") -> Path:
    program = environment / "bin" / "task"
    program.write_text("#!/bin/sh\n")
    program.chmod(mode)
    info = environment / "lib" / "go_task_bin-3.54.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_bytes(record)
    return program


def test_a_program_is_found_where_its_package_put_it(environment: Path) -> None:
    assert find_tool("task") is None
    program = install(environment)
    assert find_tool("task") == program
    assert dict(shown_tools()) == {"task": program}
    program.unlink()
    assert find_tool("task") is None


def test_another_program_of_that_name_is_left_alone(environment: Path) -> None:
    (environment / "bin" / "task").write_text("a list of things to do")
    assert find_tool("task") is None
    assert list(shown_tools()) == []


@pytest.mark.parametrize("record", [b"", b"\xff,,", b"../bin/tusk,,\n", b"task,,\n"])
def test_a_record_without_it(environment: Path, record: bytes) -> None:
    install(environment, record=record)
    assert find_tool("task") is None


def test_what_replies_may_not_execute_is_not_shown(environment: Path) -> None:
    program = install(environment, 0o700 if os.geteuid() == 0 else 0o600)
    assert find_tool("task") == program
    assert not is_shown(program)
    assert list(shown_tools()) == []
