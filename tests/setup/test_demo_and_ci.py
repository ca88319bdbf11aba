"""scripts/demo.sh and .ci/run pass on what failed, and nothing else; with stand-ins for what they call."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def stand_in(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)


def run(script: Path, **variables: str) -> tuple[int, str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run(
        [script], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def demo(tmp_path: Path, checkout: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "corpus/replies").mkdir(parents=True)
    for name in ("a.jsonl", "b c.jsonl"):
        (tmp_path / "corpus/replies" / name).touch()
    stand_in(tmp_path / ".venv/bin/qfuzz", 'printf "<%s>" "$@"; [[ $1 == diff ]] && exit $DIFF; exit $VALIDATE')
    return Path(shutil.copy2(checkout / "scripts/demo.sh", tmp_path / "scripts"))


@pytest.mark.parametrize(
    ("validate", "diff", "status"), [(0, 0, 0), (0, 1, 0), (0, 2, 2), (0, 130, 130), (1, 0, 1), (1, 1, 1), (2, 0, 2)]
)
def test_breakers_do_not_fail_the_demo_and_all_else_does(demo, validate, diff, status):
    assert run(demo, VALIDATE=str(validate), DIFF=str(diff))[0] == status


def test_the_demo_replays_every_file_of_replies(demo):
    shown = run(demo, VALIDATE="0", DIFF="1")[1]
    assert "<validate>" in shown
    assert "<diff><corpus/replies/b c.jsonl><corpus/replies/a.jsonl><--db><build/demo.db>" in shown
    assert "<diff><corpus/replies/b c.jsonl><--db><build/demo.db><--transport><nested>" in shown


def test_a_demo_without_replies_fails(demo):
    shutil.rmtree(demo.parent.parent / "corpus/replies")
    assert run(demo, VALIDATE="0", DIFF="0")[0] == 2


@pytest.fixture
def ci(tmp_path: Path, checkout: Path) -> Path:
    stand_in(
        tmp_path / "bin/make", 'echo "<${!#}>"; for failing in $FAILING; do [[ ${!#} != "$failing" ]] || exit 2; done'
    )
    stand_in(tmp_path / ".venv/bin/python", "exit 0")
    (tmp_path / ".ci").mkdir()
    return Path(shutil.copy2(checkout / ".ci/run", tmp_path / ".ci"))


@pytest.mark.parametrize(
    ("failing", "status", "steps"),
    [
        ("", 0, ["setup", "lint", "types", "test"]),
        ("lint", 1, ["setup", "lint", "types", "test"]),
        ("types test", 1, ["setup", "lint", "types", "test"]),
        ("test", 1, ["setup", "lint", "types", "test"]),
        ("setup", 2, ["setup"]),
    ],
)
def test_ci_runs_every_step_and_fails_with_any(ci, failing, status, steps):
    path = f"{ci.parent.parent}/bin:{os.environ['PATH']}"
    found, shown = run(ci, PATH=path, FAILING=failing)
    assert found == status
    assert [line.strip("<>") for line in shown.splitlines() if line.startswith("<")] == steps
    if status == 0:
        assert shown.splitlines()[-1] == "<test>"
