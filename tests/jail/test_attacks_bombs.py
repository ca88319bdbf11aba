"""Attacks on capacity: processes, memory, space, inodes, output. The `host` fixture runs a plain reply after each."""

from __future__ import annotations

import errno
import time

import pytest

from qfuzz.jail.limits import Limits
from qfuzz.model.observation import Observation, file_entry
from tests.jail.hosts import Host

LIMITS = Limits()


def run_within(host: Host, reply: str, seconds: float, timeout: float) -> Observation:
    began = time.monotonic()
    observation = host.run(reply, timeout=timeout)
    assert time.monotonic() - began < seconds
    return observation


@pytest.mark.parametrize(
    "bomb",
    [
        ":(){ :|:& };:",
        "bomb() { bomb & bomb & wait; }; bomb",
        "python3 -c 'import os\nwhile True:\n try: os.fork()\n except OSError: pass'",
        "while :; do setsid sh -c 'sleep 1000' & done",
        "python3 -c 'import threading, time\nwhile True:\n threading.Thread(target=time.sleep, args=(1000,)).start()'",
    ],
)
def test_fork_bombs(host: Host, bomb: str) -> None:
    run_within(host, bomb, seconds=20, timeout=1.0)


def test_the_number_of_processes_is_limited(host: Host) -> None:
    observation = run_within(
        host,
        """
        python3 -c '
import os, time
started = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
        started += 1
except OSError as error:
    print(started, error.errno)
'
        """,
        seconds=5,
        timeout=4.0,
    )
    started, number = map(int, observation.stdout.data.split())
    assert number == errno.EAGAIN
    # What runs for the jail itself counts too: bash, Python, the space's init, the agent and its parent.
    assert started == LIMITS.processes - 5


@pytest.mark.parametrize(
    "bomb",
    [
        "python3 -c 'b = bytearray()\nwhile True: b += bytes(1 << 24)'",
        "for i in 1 2 3 4; do python3 -c 'b = b\"x\" * (900 << 20)\nimport time; time.sleep(9)' & done; wait",
        "tail /dev/zero",
        "python3 -c 'import mmap\nm = []\nwhile True: m.append(mmap.mmap(-1, 1 << 26)); m[-1].write(bytes(1 << 26))'",
    ],
)
def test_memory_bombs(host: Host, bomb: str) -> None:
    observation = run_within(host, bomb, seconds=20, timeout=10.0)
    assert observation.limit == "memory" or observation.status.code, observation


def test_memory_that_is_shared_and_not_resident_counts(host: Host) -> None:
    observation = run_within(
        host,
        """
        python3 - <<'END'
import mmap, time
kept = []
while True:
    block = mmap.mmap(-1, 1 << 26)
    for offset in range(0, 1 << 26, 4096):
        block[offset] = 1
    block.madvise(mmap.MADV_DONTNEED)
    kept.append(block)
END
        """,
        seconds=20,
        timeout=10.0,
    )
    assert observation.limit == "memory"


def test_memory_in_the_buffers_of_sockets_counts(host: Host) -> None:
    observation = run_within(
        host,
        """
        python3 - <<'END'
import os, socket, time
for _ in range(30):
    if os.fork() == 0:
        kept = []
        try:
            while True:
                pair = socket.socketpair()
                kept.append(pair)
                for end in pair:
                    end.setblocking(False)
                    try:
                        while True:
                            end.send(bytes(32768))
                    except BlockingIOError:
                        pass
        except OSError:
            time.sleep(1000)
time.sleep(1000)
END
        """,
        seconds=20,
        timeout=10.0,
    )
    assert observation.limit == "memory"


@pytest.mark.parametrize("place", ["/work", "/tmp", "/home/user", "/dev/shm"])
def test_disk_bombs(host: Host, place: str) -> None:
    observation = run_within(
        host, f"for i in 1 2 3 4; do cat /dev/zero > {place}/$i; done; df --output=used {place}", seconds=8, timeout=5.0
    )
    assert b"No space left" in observation.stderr.data or b"File size limit" in observation.stderr.data
    used_kib = int(observation.stdout.data.split()[1])
    assert used_kib * 1024 <= LIMITS.work_bytes


def test_a_file_can_not_grow_over_its_limit(host: Host) -> None:
    observation = run_within(host, "truncate -s 1T big; truncate -s 10M ok; stat -c %s ok", seconds=5, timeout=4.0)
    assert observation.stdout.data == b"10485760\n"
    assert observation.tree.entries[b"ok"].truncated
    assert observation.tree.entries[b"ok"] == file_entry(0o644, bytes(LIMITS.tree_file_bytes), truncated=True)


def test_inode_bombs(host: Host) -> None:
    observation = run_within(
        host,
        """
        for place in /work /tmp /home/user /dev/shm; do
            (cd $place && mkdir x && seq 1 30000 | xargs touch; cd x && seq 1 100 | xargs mkdir) 2>&1 | tail -n 1
        done
        """,
        seconds=20,
        timeout=10.0,
    )
    assert observation.stdout.data.count(b"No space left on device") == 4
    assert observation.tree.truncated
    assert len(observation.tree.entries) == LIMITS.tree_paths


@pytest.mark.parametrize("command", ["yes", "yes >&2", "cat /dev/zero & cat /dev/zero >&2", "yes | tee /dev/stderr"])
def test_output_bombs(host: Host, command: str) -> None:
    observation = run_within(host, command, seconds=10, timeout=8.0)
    assert observation.limit == "output" or "&" in command
    kept = [observation.stdout, observation.stderr]
    assert all(len(stream.data) <= LIMITS.output_keep_bytes for stream in kept)
    assert any(stream.truncated for stream in kept)


def test_output_up_to_the_limit_is_kept_whole(host: Host) -> None:
    size = LIMITS.output_keep_bytes
    observation = host.run(f"head -c {size} /dev/zero; head -c {size + 1} /dev/zero >&2")
    assert observation.stdout.data == bytes(size)
    assert not observation.stdout.truncated
    assert observation.stderr.data == bytes(size)
    assert observation.stderr.truncated


def test_descriptor_and_argument_bombs(host: Host) -> None:
    observation = run_within(
        host,
        """
        python3 -c '
import os, socket
kept = []
try:
    while True:
        kept.append(socket.socketpair())
except OSError as error:
    print(error.errno)
'
        a=x; for i in {1..18}; do a=$a$a; done; /bin/true "$a" || echo too long
        """,
        seconds=8,
        timeout=6.0,
    )
    assert observation.stdout.data == b"24\ntoo long\n"
