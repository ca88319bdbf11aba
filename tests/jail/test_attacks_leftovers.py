"""Attacks that try to leave something for the next reply. The `host` fixture looks for most of it."""

from __future__ import annotations

import time

import pytest

from qfuzz.model.observation import Ending
from tests.jail.hosts import Host

TABLES = "tail -q -n +2 /proc/sysvipc/shm /proc/sysvipc/msg /proc/sysvipc/sem; find /dev/shm /tmp ~ -mindepth 1"


@pytest.mark.parametrize(
    "background",
    [
        "sleep 1000 &",
        "setsid sleep 1000 & disown",
        "nohup sleep 1000 & ",
        "(setsid sh -c 'trap \"\" HUP TERM INT; exec sleep 1000' &)",
        "exec 3< <(sleep 1000)",
        "coproc sleep 1000",
        "python3 -c 'import os, time\nif os.fork() == 0:\n os.setsid()\n os.fork()\n time.sleep(1000)'",
        "sleep 1000 & kill -STOP $!",
        "mkfifo p; cat p & cat < p > q &",
    ],
)
def test_a_background_child_neither_survives_nor_delays(host: Host, background: str) -> None:
    began = time.monotonic()
    observation = host.run(f"{background}\necho done")
    assert observation.stdout.data == b"done\n"
    assert observation.status.code == 0
    assert time.monotonic() - began < 2
    assert host.run("set -- /proc/[0-9]*; echo $#").stdout.data == b"2\n"


def test_a_child_made_as_the_agents_own_does_not_survive(host: Host) -> None:
    """clone with CLONE_PARENT, by the process that the agent started, makes one whose parent is the agent."""
    observation = host.run(
        """
        exec python3 -c '
import ctypes, os, time
libc = ctypes.CDLL(None)
if libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x8000 | 17, 0, 0, 0, 0) == 0:
    os.setsid()
    time.sleep(1000)
time.sleep(0.1)
print(sum(name.isdigit() for name in os.listdir("/proc")))
'
        """
    )
    assert observation.stdout.data == b"3\n"
    assert host.run("set -- /proc/[0-9]*; echo $#").stdout.data == b"2\n"


def test_files_and_modes_of_every_place_are_put_back(host: Host) -> None:
    observation = host.run(
        """
        for place in /work /home/user /tmp /dev/shm; do
            mkdir -p $place/a/b/.hidden; echo x > $place/a/b/.hidden/f; echo y > "$place/-rf"; ln -s / $place/root
            chmod 000 $place/a/b $place/a; chmod 000 $place
        done
        """
    )
    assert observation.status.code == 0
    assert set(observation.tree.entries) == {b"a", b"a/b", b"a/b/.hidden", b"a/b/.hidden/f", b"-rf", b"root"}


def test_attributes_of_a_place_do_not_reach_the_next_reply(host: Host) -> None:
    """A default access control list would change the modes of all files that the next reply makes."""
    host.run(
        """
        python3 -c '
import os, struct
entry = lambda tag, rights: struct.pack("<HHI", tag, rights, 0xFFFFFFFF)
acl = struct.pack("<I", 2) + entry(1, 7) + entry(4, 7) + entry(0x20, 7)
for place in "/work", "/tmp", "/dev/shm", "/home/user":
    for name, value in ("system.posix_acl_default", acl), ("user.mark", b"1"):
        try:
            os.setxattr(place, name, value)
        except OSError:
            pass
'
        """
    )
    observation = host.run(
        """
        for p in /work /tmp ~; do
            touch $p/f; stat -c %a $p/f; python3 -c "import os; print(os.listxattr('$p'))"
        done
        """
    )
    assert observation.stdout.data == b"644\n[]\n" * 3


def test_system_v_and_posix_objects_do_not_outlive_a_reply(host: Host) -> None:
    host.run(
        """
        ipcmk -M 4096; ipcmk -Q; ipcmk -S 2
        python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None)
libc.shmget(4711, 4096, 0o1666); libc.msgget(4711, 0o1666); libc.semget(4711, 1, 0o1666)
libc.mq_open(b"/qfuzz-test", os.O_CREAT | os.O_RDWR, 0o666, None)
if os.uname().machine == "x86_64":
    for keyring in (-4, -5, -3):
        libc.syscall(248, b"user", b"qfuzz-test", b"x", 1, keyring)
END
        echo x > /dev/shm/object
        """
    )
    assert host.run(TABLES).stdout.data == b""
    observation = host.run(
        """
        python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None)
print(libc.mq_open(b"/qfuzz-test", os.O_RDWR) >= 0, libc.shmget(4711, 4096, 0o666) >= 0)
END
        grep qfuzz-test /proc/keys
        """
    )
    assert observation.stdout.data == b"False False\n"


def test_ports_and_names_of_sockets_are_free_again(host: Host) -> None:
    bind = """
        python3 - <<'END'
import socket
server = socket.socket(); server.bind(("127.0.0.1", 5000)); server.listen()
client = socket.create_connection(("127.0.0.1", 5000))
accepted, _ = server.accept()
accepted.close()  # The side that closes first keeps its port in TIME_WAIT.
client.close()
name = socket.socket(socket.AF_UNIX); name.bind("\\0taken"); name.listen()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("127.0.0.1", 5000))
END
    """
    for _ in range(2):
        observation = host.run(bind)
        assert observation.status.code == 0, observation


def test_timers_alarms_and_locks_end_with_the_reply(host: Host) -> None:
    host.run("python3 -c 'import signal, fcntl; signal.alarm(1); fcntl.flock(open(\"/usr/bin/bash\"), fcntl.LOCK_EX)'")
    observation = host.run("flock -n /usr/bin/bash echo free; sleep 1.1; echo no alarm")
    assert observation.stdout.data == b"free\nno alarm\n"


@pytest.mark.parametrize(
    "hang",
    [
        "sleep 1000",
        "while :; do :; done",
        "kill -STOP $$",
        "trap '' TERM INT HUP QUIT; while :; do sleep 1; done",
        "cat < <(sleep 1000)",
        "read -r line < /dev/ptmx; sleep 1000",
        "mkfifo f; cat f",
        "exec 1>&- 2>&-; sleep 1000",
    ],
)
def test_a_reply_that_hangs_ends_in_time(host: Host, hang: str) -> None:
    began = time.monotonic()
    observation = host.run(f"echo begun; {hang}", timeout=0.5)
    assert observation.status.ending is Ending.TIMEOUT
    assert observation.status.code is None
    assert observation.stdout.data == b"begun\n"
    assert time.monotonic() - began < 3
