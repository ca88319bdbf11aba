"""Runs over paths of which nothing is known: which shells start, what outlives the path, and its service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.jail.execution import Execution, Tap
from qfuzz.jail.pool import Pool, Watched
from qfuzz.model.delivery import Launch, OwnRun, SideFile
from qfuzz.model.errors import PathError
from qfuzz.model.observation import Ending
from qfuzz.model.task import Fixture
from tests.jail.hosts import execution


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as made:
        yield made


def launch(script: str, *words: bytes, **own: object) -> Launch:
    """A path that is a Python program, so that no shell starts but those that it starts."""
    argv = (b"env", b"python3", b"-c", script.encode(), *words)
    return Launch(b"/usr/bin/env", argv, b"", own=OwnRun("mine", box=True, **own))  # type: ignore[arg-type]


def watch(pool: Pool, script: str, shell: int = 0, tap: Tap = Tap.HAND_ON, **own: object) -> Watched:
    return pool.watched(Execution(launch(script, **own), Fixture(), 10.0, tap, shell))


RUN = "import subprocess as s, sys; sys.exit(s.run({}, **{}).returncode)"


@pytest.mark.parametrize(
    ("start", "keywords"),
    [
        (["bash", "-c", "echo hi; exit 3"], {}),
        (["/bin/bash", "-c", "echo hi; exit 3"], {}),
        (["/usr/bin/bash", "-ec", "echo hi; exit 3"], {"env": {"PATH": "/nowhere"}}),
        (["sh", "-c", "echo hi; exit 3"], {"env": {}}),
        ("echo hi; exit 3", {"shell": True}),
        ("echo hi; exit 3", {"shell": True, "capture_output": True}),
        (["timeout", "9", "bash", "-c", "echo hi; exit 3"], {}),
        (["bash", "-c", "echo hi; exit 3"], {"env": {"BASH_ENV": "/no/such", "PATH": "/usr/bin"}}),
    ],
)
def test_a_shell_is_seen_however_it_is_started(pool: Pool, start: object, keywords: dict[str, object]) -> None:
    watched = watch(pool, RUN.format(repr(start), repr(keywords)), 1)
    assert watched.observation.arrived == b"echo hi; exit 3"
    assert watched.observation.status.code == 3
    assert watched.observation.stdout.data == (b"" if "capture_output" in keywords else b"hi\n")
    assert (watched.shells, watched.left, watched.early) == (1, False, False)


def test_all_shells_are_listed_in_the_order_in_which_they_start(pool: Pool) -> None:
    script = "import os; os.system('bash -c \"sh -c : x; true\"; true'); os.system('bash /run/qfuzz/in/f')"
    one = launch(script)
    file = SideFile(b"/run/qfuzz/in/f", b"echo from a file\n")
    one = Launch(one.executable, one.argv, b"", files=(file,), own=one.own)
    watched = pool.watched(Execution(one, Fixture(), 10.0, Tap.HAND_ON))
    assert watched.observation.arrived is not None
    assert watched.observation.arrived.split(b"\0") == [
        b'bash -c "sh -c : x; true"; true',
        b"sh -c : x; true",
        b":",
        b"bash /run/qfuzz/in/f",
        b"echo from a file\n",
    ]
    assert watched.shells == 5


def test_the_shell_with_the_number_does_not_start(pool: Pool) -> None:
    script = "import os; os.system('bash -c \"touch inner\"; touch outer')"
    stopped = watch(pool, script, 2, Tap.STOP).observation
    assert (stopped.arrived, list(stopped.tree.entries)) == (b"touch inner", [b"outer"])
    stopped = watch(pool, script, 1, Tap.STOP).observation
    assert (stopped.arrived, list(stopped.tree.entries)) == (b'bash -c "touch inner"; touch outer', [])
    assert watch(pool, script, 3, Tap.STOP).observation.arrived is None


def test_the_next_run_finds_the_shells_of_the_system(pool: Pool) -> None:
    look = (
        "sha256sum /usr/bin/bash /bin/sh; ls /run/qfuzz/tap; "
        "wc -l < /proc/self/mountinfo; echo $SHLVL $-; readlink /proc/self/ns/mnt"
    )
    before = pool.run(execution(look))
    watched = watch(pool, "import os; os.system('bash -c :'); os.system('rm -rf /run/qfuzz/tap/*')")
    # What a reply does to the notes is its own loss.
    assert watched.shells == 0
    assert pool.run(execution(look)).stdout == before.stdout


def test_a_timeout_lifts_the_stand_ins(pool: Pool) -> None:
    one = launch("import os; os.system('bash -c \"sleep 100\"')")
    watched = pool.watched(Execution(one, Fixture(), 0.5, Tap.HAND_ON, 2))
    assert watched.observation.status.ending is Ending.TIMEOUT
    assert watched.observation.arrived == b"sleep 100"
    assert not watched.early
    assert pool.run(execution("head -c 4 /usr/bin/bash")).stdout.data == b"\x7fELF"


LEAVE = "import subprocess as s; s.Popen(['bash', '-c', 'sleep 0.{}; touch done'], stdin=s.DEVNULL)"


def test_what_outlives_the_path_is_told(pool: Pool) -> None:
    early = watch(pool, LEAVE.format(4), 1)
    assert (early.left, early.early) == (True, True)
    # The shell that mattered has ended; something that it left has not.
    left = watch(pool, "import os; os.system('sleep 0.4 &')", 1)
    assert (left.left, left.early) == (True, False)
    plain = watch(pool, "import os; os.system('sleep 0.1')", 1)
    assert (plain.left, plain.early) == (False, False)


SERVER = """
import socket, sys, time
time.sleep(0.2)
s = socket.socket(socket.AF_UNIX); s.bind('/tmp/server'); s.listen()
print('listening', flush=True)
while True:
    c, _ = s.accept()
    c.sendall(b'served'); c.close()
"""
ASK = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/tmp/server'); print(s.recv(9))"


def serving(server: str, ready: tuple[bytes, ...] = (b"test", b"-S", b"/tmp/server"), seconds: float = 5.0) -> OwnRun:
    return OwnRun("mine", box=True, service=(b"python3", b"-c", server.encode()), ready=ready, ready_seconds=seconds)


def serve(pool: Pool, own: OwnRun, script: str = ASK) -> Watched:
    one = launch(script)
    return pool.watched(Execution(Launch(one.executable, one.argv, b"", own=own), Fixture(), 10.0))


def test_a_service_is_there_when_the_path_begins_and_gone_after(pool: Pool) -> None:
    before = pool.run(execution("set -- /proc/[0-9]*; echo $#"))
    for _ in range(2):
        watched = serve(pool, serving(SERVER))
        assert watched.observation.stdout.data == b"b'served'\n", watched
        assert watched.observation.tree.entries == {}
        assert not watched.left
    assert pool.run(execution("set -- /proc/[0-9]*; echo $#")).stdout == before.stdout


def test_without_a_jail_shells_are_seen_by_name_and_services_serve() -> None:
    with Pool(1, isolation="none") as pool:
        assert watch(pool, "import os; os.system('bash -c :')", 1).observation.arrived == b":"
        waiting = OwnRun("mine", box=True, service=(b"sleep", b"50"), ready=(b"true",), ready_seconds=5.0)
        assert serve(pool, waiting, "print(6 * 7)").observation.stdout.data == b"42\n"


@pytest.mark.parametrize(
    ("own", "what"),
    [
        (serving("import sys; sys.exit('no port')"), "the service ended with status 1, saying: no port"),
        (serving("import time; time.sleep(9)", seconds=0.3), "not ready in 0.3 s: `ready` ended with status 1"),
        (serving("import time; time.sleep(9)", (b"sleep", b"9"), 0.3), "not ready in 0.3 s: `ready` gave no answer"),
        (serving(SERVER, (b"no-such-program",), 1.0), "`ready` ended with status 127, saying: env: "),
        (serving(SERVER.replace("while True:", "for _ in '1':") + "sys.exit(7)"), "ended while the path was in use"),
    ],
)
def test_a_service_that_fails_is_no_result(pool: Pool, own: OwnRun, what: str) -> None:
    with pytest.raises(PathError) as caught:
        serve(pool, own, ASK + "; import time; time.sleep(0.4)")
    assert what in str(caught.value)
    assert caught.value.where == "mine"
    assert pool.run(execution("echo ok; ls -A /tmp /run/qfuzz/tap")).stdout.data == b"ok\n/run/qfuzz/tap:\n\n/tmp:\n"


def test_a_service_may_go_on_in_the_background(pool: Pool) -> None:
    daemon = "import os, sys\nif os.fork(): os._exit(0)\n" + SERVER
    assert serve(pool, serving(daemon)).observation.stdout.data == b"b'served'\n"
