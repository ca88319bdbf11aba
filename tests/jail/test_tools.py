"""Programs of packages from PyPI in a jail: there to be executed, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qfuzz.jail.pool import Pool
from qfuzz.model.observation import Observation
from qfuzz.model.tools import FOLDER
from tests.jail.hosts import execution

PROGRAM = b"#!/bin/sh\necho task of ours\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in a folder that the user of a jail can't enter."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    path = folder / "task"
    path.write_bytes(PROGRAM)
    path.chmod(0o755)
    monkeypatch.setattr("qfuzz.jail.bubblewrap.shown_tools", lambda: iter([("task", path)]))
    return path


@pytest.fixture
def pool(program: Path) -> Iterator[Pool]:
    assert program.exists()
    with Pool(1) as started:
        yield started


def run(pool: Pool, reply: str) -> Observation:
    return pool.run(execution(reply))


def test_it_is_executed_and_in_no_path(pool: Pool) -> None:
    assert run(pool, f"{FOLDER}/task; command -v task; ls {FOLDER}").stdout.data == b"task of ours\ntask\n"


def test_it_can_neither_be_changed_nor_removed_nor_covered(pool: Pool, program: Path) -> None:
    run(
        pool,
        f"cd {FOLDER}; chmod 777 task; echo hurt >> task; rm -f task; mv task t; ln -sf /bin/sh task; touch new; "
        f"mount -t tmpfs none {FOLDER}; umount {FOLDER}/task",
    )
    assert program.read_bytes() == PROGRAM
    assert run(pool, f"{FOLDER}/task; ls {FOLDER}").stdout.data == b"task of ours\ntask\n"


def test_a_jail_without_any_has_no_folder_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qfuzz.jail.bubblewrap.shown_tools", lambda: iter(()))
    with Pool(1) as pool:
        assert run(pool, f"test -e {FOLDER}").status.code == 1
        assert pool.versions["task"] == ""


def test_its_version_is_part_of_what_determines_an_observation(pool: Pool) -> None:
    assert pool.versions["task"] == "task of ours"
