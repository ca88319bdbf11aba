"""Running a program that answers: what it reads, what ends it, what it leaves behind."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from qfuzz.collect.program import ERROR_TAIL_BYTES, MAX_OUTPUT_BYTES, End, Ran, run_program

LONG = 60.0


def run(command: str, prompt: bytes = b"", timeout: float = LONG, **environment: str) -> Ran:
    return run_program(command, prompt, environment, timeout, threading.Event())


def is_alive(pid: int) -> bool:
    """Whether there is such a process that still runs; the kernel may take a moment to end it."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return False
        except OSError:
            return False
        time.sleep(0.01)
    return True


def test_bytes_go_in_and_come_out_as_they_are() -> None:
    every = bytes(range(256)) * 1000
    ran = run("cat; echo no >&2", every)
    assert (ran.end, ran.status, ran.stdout, ran.errors) == (End.EXITED, 0, every, b"no\n")
    assert 0 < ran.seconds < LONG


def test_a_program_that_reads_nothing_does_not_block_us() -> None:
    ran = run('printf "$WHO"', b"x" * (1 << 20), WHO="it")
    assert (ran.status, ran.stdout) == (0, b"it")


@pytest.mark.parametrize(("command", "status"), [("exit 3", 3), ("kill -TERM $$", -15), ("no-such-program", 127)])
def test_the_status_is_reported(command: str, status: int) -> None:
    ran = run(command)
    assert (ran.end, ran.status) == (End.EXITED, status)


@pytest.mark.parametrize("how", ["sleep 300", "trap '' TERM INT HUP; sleep 300", "exec >&- 2>&-; sleep 300"])
def test_the_whole_group_is_killed_when_time_is_up(how: str, tmp_path: Path) -> None:
    ran = run(f"({how}) & echo $! > {tmp_path}/pid; echo begun; wait", timeout=0.5)
    assert (ran.end, ran.stdout) == (End.TIMEOUT, b"begun\n")
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_a_child_that_holds_the_pipes_is_not_waited_for(tmp_path: Path) -> None:
    began = time.monotonic()
    ran = run(f"sleep 300 & echo $! > {tmp_path}/pid; echo done")
    assert (ran.end, ran.stdout) == (End.EXITED, b"done\n")
    assert time.monotonic() - began < LONG / 2
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_output_without_end_is_cut_off() -> None:
    ran = run("yes")
    assert ran.end is End.TOO_LONG
    assert MAX_OUTPUT_BYTES < len(ran.stdout) < 2 * MAX_OUTPUT_BYTES


def test_only_the_end_of_standard_error_is_kept() -> None:
    ran = run("yes no | head -n 100000 >&2; printf last >&2")
    assert len(ran.errors) == ERROR_TAIL_BYTES
    assert ran.errors.endswith(b"no\nlast")


def test_a_stop_ends_it_soon(tmp_path: Path) -> None:
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    ran = run_program(f"echo $$ > {tmp_path}/pid; sleep 300", b"", {}, LONG, stopped)
    assert ran.end is End.STOPPED
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_no_descriptor_is_left_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        run("cat", b"x")
    assert len(os.listdir("/proc/self/fd")) == before
