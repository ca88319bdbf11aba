"""Reading and wiping as an agent without a jail does it: an ordinary user whom permissions stop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from qfuzz.jail.recipe import agent_zip
from tests.jail.hosts import ORDINARY_USER, interpreter_for

PROGRAM = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from agent import files, tree
os.chdir(sys.argv[2])
os.makedirs("a/b/c")
open("a/b/c/f", "w").write("secret")
os.mkfifo("a/fifo")
for name in ("a/b/c/f", "a/b/c", "a/b", "a"):
    os.chmod(name, 0)
here = os.open(".", os.O_RDONLY)
depth = 0
os.mkdir("deep")
os.chdir("deep")
for _ in range(300):
    os.mkdir("wipe-1")
    os.chdir("wipe-1")
os.fchdir(here)
reader = tree.TreeReader(100, 20, 1000, 1000)
reader.read(here)
files.wipe(here)
modes = [tree.META.unpack(meta)[1] for meta in reader.metas]
print(json.dumps([[path.decode() for path in reader.paths], modes, reader.truncated, os.listdir(here)]))
"""


def test_modes_do_not_stop_reading_and_wiping() -> None:
    interpreter: str | None = sys.executable
    drop: tuple[str, ...] = ()
    if os.geteuid() == 0:
        interpreter = interpreter_for(ORDINARY_USER)
        drop = ("setpriv", f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups")
    if interpreter is None:
        pytest.skip("an ordinary user of this machine can start no Python like this one")
    with tempfile.TemporaryDirectory() as folder:
        agent, work = Path(folder, "agent.zip"), Path(folder, "work")
        agent.write_bytes(agent_zip())
        work.mkdir()
        work.chmod(0o777)
        Path(folder).chmod(0o755)
        done = subprocess.run(
            [*drop, interpreter, "-c", PROGRAM, str(agent), str(work)], capture_output=True, cwd="/", timeout=60
        )
    assert done.returncode == 0, done
    paths, modes, truncated, left = json.loads(done.stdout)
    assert paths[:5] == ["a", "a/b", "a/b/c", "a/b/c/f", "a/fifo"]
    assert modes[:4] == [0, 0, 0, 0]
    assert truncated
    assert left == []
