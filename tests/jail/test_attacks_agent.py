"""Attacks on what runs beside the reply: the agent, which it can't see, and the init of its process space.

The `host` fixture compares limits, priorities, affinity and places before and after each.
"""

from __future__ import annotations

import signal

from qfuzz.model.observation import Ending, Status
from tests.jail.hosts import Host


def test_only_init_is_there_beside_the_reply(host: Host) -> None:
    observation = host.run(
        "set -- /proc/[0-9]*; echo $# $PPID; test $$ != 1; ls /proc/1/task; cat /proc/1/task/1/children"
    )
    count_and_parent, threads, *_ = observation.stdout.data.splitlines()
    assert count_and_parent == b"2 0"
    assert threads == b"1"


def test_init_survives_every_signal(host: Host) -> None:
    observation = host.run("for i in {1..64}; do kill -$i 1 2>/dev/null; done; sleep 0.1; kill -0 1 && echo alive")
    assert observation.stdout.data == b"alive\n"


def test_signalling_everything_hits_only_the_reply(host: Host) -> None:
    observation = host.run(
        "trap '' TERM; kill -TERM -1; echo survived; kill -STOP 1; kill -KILL -1; sleep 0.1; kill -9 $$"
    )
    assert observation.stdout.data == b"survived\n"
    assert observation.status == Status(Ending.SIGNAL, signal.SIGKILL)


def test_init_can_be_neither_traced_nor_read(host: Host) -> None:
    observation = host.run(
        """
        python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
    if libc.ptrace(request, 1, None, None) == 0:
        print("traced", request)
for name in ("mem", "environ", "maps", "fdinfo", "root", "cwd", "exe", "auxv", "stack", "syscall", "io"):
    path = f"/proc/1/{name}"
    try:
        os.listdir(path) if name in ("fdinfo", "root", "cwd") else open(path, "rb").read(1)
        print("read", name)
    except OSError:
        pass
for name in ("mem", "comm", "timerslack_ns", "clear_refs", "attr/current"):
    try:
        with open(f"/proc/1/{name}", "wb") as file:
            file.write(b"7")
        print("wrote", name)
    except OSError:
        pass
pidfd = os.pidfd_open(1)
if libc.syscall(438, pidfd, 0, 0) >= 0:  # pidfd_getfd
    print("took a descriptor")
data = ctypes.create_string_buffer(8)
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
local, remote = Vector(ctypes.addressof(data), 8), Vector(0x400000, 8)
if libc.process_vm_readv(1, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) >= 0:
    print("read memory")
END
        """
    )
    assert observation.stdout.data == b""
    assert observation.status.code == 0, observation


def test_limits_priority_and_affinity_can_be_set_for_nobody_else(host: Host) -> None:
    """Whatever a reply may do to init, the next reply is not a child of it: the `host` fixture looks."""
    observation = host.run(
        """
        for pid in 1 $$; do
            prlimit --pid $pid --nofile=10:10 --fsize=1:1 --data=1000:1000 --cpu=1000:1000 2>/dev/null
            test $pid = 1 && prlimit --pid $pid --nproc=2:2
            renice -n 19 -p $pid; chrt -b -p 0 $pid; chrt -i -p 0 $pid; taskset -p 1 $pid; ionice -c 3 -p $pid
            echo 1000 > /proc/$pid/oom_score_adj; echo 0 > /proc/$pid/oom_score_adj
        done
        renice -n 19 -u 1000; renice -n 19 -g 0 1 $$; ulimit -t 100 -n 5 -c 0; umask 777; exit 5
        """
    )
    assert observation.status.code == 5


def test_killing_init_by_its_processor_time_ends_the_reply_only(host: Host) -> None:
    observation = host.run("prlimit --pid 1 --cpu=0:0 && sleep 0.2; kill -CHLD 1; sleep 0.2; echo still here")
    assert observation.status in (Status(Ending.EXIT, 0), Status(Ending.SIGNAL, signal.SIGKILL))


def test_an_answer_can_not_be_forged(host: Host) -> None:
    """Writes a well-formed answer to every descriptor and every process that a reply can reach."""
    observation = host.run(
        """
        python3 - <<'END'
import os, socket, struct
head = struct.pack("<BBHdII", 0, 0, 0, 0.0, 0, 0)
fields = [head, b"forged", b"", b""]
body = struct.pack("<4I", *map(len, fields)) + b"".join(fields)
frame = struct.pack("<II", len(body), 4) + body
for fd in range(3, 1024):
    try:
        os.write(fd, frame)
        print("wrote", fd)
    except OSError:
        pass
for pid in os.listdir("/proc"):
    if pid.isdigit():
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for name in names:
            if int(name) > 2 and pid != str(os.getpid()):
                try:
                    with open(f"/proc/{pid}/fd/{name}", "wb", buffering=0) as file:
                        file.write(frame)
                    print("wrote", pid, name)
                except OSError:
                    pass
with open("/proc/net/unix") as table:
    for line in table.readlines()[1:]:
        print("socket", line)
os.write(1, b"end")
os._exit(3)
END
        exit $?
        """
    )
    assert observation.stdout.data == b"end"
    assert observation.status.code == 3


def test_a_flood_of_answers_on_stdout_stays_output(host: Host) -> None:
    frame = b"\x14\0\0\0\x01\0\0\0" + b"\0" * 20
    observation = host.run(b"for i in {1..1000}; do printf '" + frame.replace(b"\0", b"\\0") + b"'; done; exit 9")
    assert observation.status.code == 9
    assert observation.stdout.data == frame * 1000
