"""Where programs of packages from PyPI are looked for."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest

from qfuzz.model.tools import find_tool, is_shown, shown_tools


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is installed, in every scheme."""
    for name in ("scripts", "purelib"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(sysconfig, "get_path", lambda name, _: str(tmp_path / name))
    return tmp_path


def install(environment: Path, mode: int = 0o755) -> Path:
    program = environment / "scripts" / "task"
    program.write_text("#!/bin/sh\n")
    program.chmod(mode)
    (environment / "purelib" / "go_task_bin-3.54.0.dist-info").mkdir()
    return program


def test_a_program_is_found_with_its_package(environment: Path) -> None:
    assert find_tool("task") is None
    program = install(environment)
    assert find_tool("task") == program
    assert dict(shown_tools()) == {"task": program}


def test_another_program_of_that_name_is_left_alone(environment: Path) -> None:
    (environment / "scripts" / "task").write_text("a list of things to do")
    assert find_tool("task") is None
    assert list(shown_tools()) == []


def test_what_replies_may_not_execute_is_not_shown(environment: Path) -> None:
    program = install(environment, 0o700 if os.geteuid() == 0 else 0o600)
    assert find_tool("task") == program
    assert not is_shown(program)
    assert list(shown_tools()) == []
