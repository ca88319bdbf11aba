"""What the engine relies on: the whole of an observation, threads, replacement, and an end without leftovers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from qfuzz.jail import pool as pool_module
from qfuzz.jail.execution import Execution
from qfuzz.jail.interpreter import Interpreter, running_interpreter
from qfuzz.jail.pool import Isolation, LaunchError, Pool
from qfuzz.model.delivery import Launch, SideFile
from qfuzz.model.errors import HarnessError
from qfuzz.model.observation import Ending, Entry, Kind, Status, file_entry
from qfuzz.model.task import Fixture, FixtureFile, FixtureSymlink
from tests.jail.hosts import execution

FIXTURE = Fixture(
    files=(FixtureFile(b"a.txt", b"one\n"), FixtureFile(b"d/e/run", b"#!/bin/sh\n", 0o755), FixtureFile(b"odd\n", b"")),
    dirs=(b"empty", b"d/g"),
    symlinks=(FixtureSymlink(b"l", b"a.txt"),),
)


@pytest.fixture(scope="module", params=["bwrap", "none"])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    isolation: Isolation = request.param
    if isolation == "bwrap":
        request.getfixturevalue("user_namespaces")
    with Pool(2, isolation=isolation) as made:
        yield made


def test_an_observation_has_all_that_the_run_left(pool: Pool) -> None:
    observation = pool.run(execution("cat a.txt; echo no >&2; echo new > d/new; rm l; exit 3", FIXTURE))
    assert observation.status == Status(Ending.EXIT, 3)
    assert (observation.stdout.data, observation.stderr.data) == (b"one\n", b"no\n")
    assert observation.tree.entries == {
        b"a.txt": Entry(Kind.FILE, 0o644, b"one\n"),
        b"d": Entry(Kind.DIR, 0o755),
        b"d/e": Entry(Kind.DIR, 0o755),
        b"d/e/run": Entry(Kind.FILE, 0o755, b"#!/bin/sh\n"),
        b"d/g": Entry(Kind.DIR, 0o755),
        b"d/new": Entry(Kind.FILE, 0o644, b"new\n"),
        b"empty": Entry(Kind.DIR, 0o755),
        b"odd\n": Entry(Kind.FILE, 0o644),
    }
    assert observation.git is None
    assert 0 < observation.seconds < 5


def test_the_next_run_finds_nothing_of_the_last(pool: Pool) -> None:
    pool.run(execution("touch x ~/x /tmp/x; cd; touch y", FIXTURE))
    observation = pool.run(execution("find . ~ -mindepth 1"))
    assert observation.stdout.data == b""
    assert observation.tree.entries == {}


def test_death_by_a_signal_is_told_from_its_status(pool: Pool) -> None:
    assert pool.run(execution("kill -TERM $$")).status == Status(Ending.SIGNAL, signal.SIGTERM)
    assert pool.run(execution("exit 143")).status == Status(Ending.EXIT, 143)


def test_a_timeout_ends_the_run_and_keeps_what_was_written(pool: Pool) -> None:
    observation = pool.run(execution("echo begun; echo x > f; (sleep 100 &); sleep 100", timeout=0.4))
    assert observation.status.ending is Ending.TIMEOUT
    assert observation.stdout.data == b"begun\n"
    assert observation.tree.entries[b"f"].content == b"x\n"


def test_signals_are_not_ignored_as_python_ignores_them(pool: Pool) -> None:
    observation = pool.run(execution("yes | head -n 1; echo ${PIPESTATUS[0]}; trap -p; kill -INT $$; echo survived"))
    assert observation.stdout.data == b"y\n141\n"
    assert observation.status == Status(Ending.SIGNAL, signal.SIGINT)


@pytest.mark.parametrize("size", [0, 1, 1000, (1 << 16) - 1, 1 << 16, 3_000_000])
def test_standard_input_arrives_whole_through_a_pipe(pool: Pool, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    launch = Launch(b"/bin/bash", (b"bash", b"-c", b"test -p /dev/stdin; echo $?; cat > f"), b"", stdin=data[:size])
    observation = pool.run(Execution(launch, Fixture(), 20.0))
    assert observation.stdout.data == b"0\n"
    assert observation.tree.entries[b"f"] == file_entry(0o644, data[:size])


def test_standard_input_that_nobody_reads_does_no_harm(pool: Pool) -> None:
    launch = Launch(b"/bin/bash", (b"bash", b"-c", b"exec <&-; sleep 0.05; echo ok"), b"", stdin=bytes(1 << 20))
    assert pool.run(Execution(launch, Fixture(), 10.0)).stdout.data == b"ok\n"


def test_side_files_are_there_for_one_run_and_outside_the_tree(pool: Pool) -> None:
    files = (
        SideFile(b"/run/qfuzz/in/deep/er/script", b'echo "$1 from $0"\n', 0o555),
        SideFile(b"/run/qfuzz/in/other", b"x"),
    )
    launch = Launch(b"/bin/bash", (b"bash", b"/run/qfuzz/in/deep/er/script", b"hello"), b"", files=files)
    observation = pool.run(Execution(launch, Fixture(), 10.0))
    assert observation.stdout.data.startswith(b"hello from /")
    assert observation.stdout.data.endswith(b"/in/deep/er/script\n")
    assert observation.tree.entries == {}
    again = pool.run(Execution(Launch(b"/bin/cat", (b"cat", b"/run/qfuzz/in/other"), b""), Fixture(), 10.0))
    assert again.status.code == 1


def test_side_files_can_not_be_changed() -> None:
    with Pool(1) as pool:
        launch = Launch(
            b"/bin/bash",
            (b"bash", b"-c", b"cd /run/qfuzz/in; echo x >> f; rm -f f; chmod 777 f; touch g; cat f"),
            b"",
            files=(SideFile(b"/run/qfuzz/in/f", b"kept"),),
        )
        assert pool.run(Execution(launch, Fixture(), 10.0)).stdout.data == b"kept"


def test_arguments_and_argv_0_arrive_as_bytes(pool: Pool) -> None:
    words = (b"sh\xff", b"-c", b'printf "%s|" "$0" "$@"', b"zero", b"\xfe\n", b"", b"x" * 100_000)
    observation = pool.run(Execution(Launch(b"/bin/bash", words, b""), Fixture(), 10.0))
    assert observation.stdout.data == b"zero|\xfe\n||" + b"x" * 100_000 + b"|"


def test_a_program_that_can_not_be_executed_is_no_observation(pool: Pool) -> None:
    for executable, argv, number in (
        (b"/bin/no-such-shell", (b"x",), 2),
        (b"/bin/bash", (b"bash", b"-c", b"x" * (1 << 18)), 7),
    ):
        with pytest.raises(LaunchError) as caught:
            pool.run(Execution(Launch(executable, argv, b""), Fixture(), 5.0))
        assert caught.value.errno == number
    assert pool.run(execution("echo ok")).stdout.data == b"ok\n"


def test_a_fixture_that_can_not_be_laid_is_no_observation(pool: Pool) -> None:
    twice = Fixture(files=(FixtureFile(b"a", b""), FixtureFile(b"a", b"")))
    with pytest.raises(HarnessError, match="fixture"):
        pool.run(execution(":", twice))
    assert pool.run(execution("ls")).stdout.data == b""


def test_many_threads_share_few_jails(pool: Pool) -> None:
    def run(number: int) -> bytes:
        return pool.run(execution(f"echo {number} > f; cat f")).stdout.data

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(run, range(200))) == [b"%d\n" % number for number in range(200)]


def test_a_run_alone_meets_no_other(pool: Pool) -> None:
    spans: list[tuple[float, float, bool]] = []

    def run(alone: bool) -> None:
        for _ in range(5):
            began = time.monotonic()
            (pool.run_alone if alone else pool.run)(execution("sleep 0.01"))
            spans.append((time.monotonic(), began, alone))

    threads = [threading.Thread(target=run, args=(alone,)) for alone in (True, False, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # A run alone takes its time in the jail; a run beside it that began and ended within it would show.
    alone = [(began, end) for end, began, is_alone in spans if is_alone]
    others = [(began, end) for end, began, is_alone in spans if not is_alone]
    assert not [1 for a, b in alone for c, d in others if a < c and d < b]


def test_versions_name_what_determines_observations(pool: Pool) -> None:
    assert pool.versions["bash"].split(".")[0].isdigit()
    assert pool.versions["git"].startswith("git version")
    assert pool.versions["kernel"].startswith(os.uname().release)
    assert len(pool.versions["sh"]) == 64


@pytest.mark.usefixtures("user_namespaces")
class TestWarmJails:
    def test_a_jail_that_dies_is_replaced_and_the_run_repeated(self) -> None:
        before = _children(os.getpid())
        with Pool(1) as pool:
            for process in set(_children(os.getpid())) - set(before):
                os.kill(process, signal.SIGKILL)
            assert pool.run(execution("echo again")).stdout.data == b"again\n"

    def test_a_jail_that_dies_twice_is_the_harness_failing(self) -> None:
        before = _children(os.getpid())
        with Pool(1) as pool:
            killer = threading.Thread(target=_kill_children_for, args=(1.5, before))
            killer.start()
            with pytest.raises(HarnessError, match="two jails"):
                pool.run(execution("sleep 5"))
            killer.join()
            assert pool.run(execution("echo ok")).stdout.data == b"ok\n"

    def test_the_running_python_serves_where_the_systems_can_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        own = running_interpreter()
        if not own.home:
            own = Interpreter(own.path)
        monkeypatch.setattr(pool_module, "find_interpreter", lambda: own)
        with Pool(1) as pool:
            observation = pool.run(
                execution(f"ls -d {own.home or '/nothing'}; python3 -c 'import sys; print(sys.prefix)'")
            )
            assert observation.stdout.data == b"/usr\n"

    def test_no_process_of_a_jail_belongs_to_the_hosts_root(self) -> None:
        before = set(_descendants(os.getpid()))
        with Pool(2) as pool, ThreadPoolExecutor(2) as threads:
            # Both jails are up, and no launcher is on its way to become somebody else.
            list(threads.map(pool.run, [execution("sleep 0.2")] * 2))
            runs = [threads.submit(pool.run, execution("sleep 1; echo ran")) for _ in range(2)]
            time.sleep(0.4)
            inside = set(_descendants(os.getpid())) - before
            owners = {Path(f"/proc/{pid}/status").read_text().partition("\nUid:")[2].split()[0] for pid in inside}
            assert [run.result().stdout.data for run in runs] == [b"ran\n"] * 2
        assert len(inside) >= 10
        assert "0" not in owners

    def test_nothing_is_left_when_the_pool_closes(self) -> None:
        before = set(_descendants(os.getpid()))
        with Pool(1) as pool:
            pool.run(execution("sleep 100 &"))
            inside = set(_descendants(os.getpid())) - before
            # bubblewrap, the agent's parent, the agent, the init of its process space.
            assert len(inside) >= 4
        _wait_until_gone(inside)

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    def test_nothing_is_left_when_the_host_dies_in_the_middle_of_a_run(self, number: int) -> None:
        program = (
            "from tests.jail.hosts import execution; from qfuzz.jail.pool import Pool\n"
            "with Pool(1) as pool:\n"
            "    print('ready', flush=True); pool.run(execution('setsid sleep 100 & sleep 100', timeout=90))"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[2],
        )
        assert child.stdout is not None
        with child.stdout:
            assert child.stdout.readline() == b"ready\n"
            time.sleep(0.2)
            inside = _descendants(child.pid)
            assert len(inside) >= 6
            child.send_signal(number)
            child.wait(20)
        _wait_until_gone(set(inside))


def _parents() -> dict[int, int]:
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                found[int(name)] = int(Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()[1])
            except OSError:
                continue
    return found


def _children(pid: int) -> list[int]:
    return [child for child, parent in _parents().items() if parent == pid]


def _descendants(pid: int) -> list[int]:
    parents = _parents()
    found: list[int] = []
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        below = [child for child, parent in parents.items() if parent == current]
        found += below
        waiting += below
    return found


def _kill_children_for(seconds: float, spared: list[int]) -> None:
    """Kills the children of this process over and over; `spared` are those of other tests."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.3)
        for pid in set(_children(os.getpid())) - set(spared):
            os.kill(pid, signal.SIGKILL)


def _wait_until_gone(pids: set[int]) -> None:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        if not pids & set(_parents()):
            return
        time.sleep(0.02)
    raise AssertionError(f"still there: {pids & set(_parents())}")
