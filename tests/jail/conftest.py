"""One warm pool for each kind of host for all jail tests, and the check that it is unhurt after each of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from qfuzz.jail.pool import Pool
from qfuzz.model.errors import HostError
from qfuzz.model.task import Fixture, FixtureFile
from tests.jail.hosts import ORDINARY_USER, Host, LocalHost, OrdinaryHost, interpreter_for


@pytest.fixture(scope="session")
def user_namespaces() -> None:
    try:
        Pool(1).close()
    except HostError as error:
        pytest.skip(f"no jail can be made here: {error}")


@pytest.fixture(scope="session", params=["started by root", "started by an ordinary user"])
def shared_host(request: pytest.FixtureRequest) -> Iterator[Host]:
    request.getfixturevalue("user_namespaces")
    as_root = request.param == "started by root"
    if as_root and os.geteuid() != 0:
        pytest.skip("these tests are not run by root")
    if as_root or os.geteuid() != 0:
        local = LocalHost()
        yield local
        local.close()
        return
    interpreter = interpreter_for(ORDINARY_USER)
    if interpreter is None:
        pytest.skip("an ordinary user of this machine can start no Python like this one")
    with tempfile.TemporaryDirectory() as folder:
        host = OrdinaryHost(Path(folder), interpreter)
        yield host
        host.close()


PLAIN = r"""
printf '%s|' "$PWD" "$HOME" "$PATH"; umask; nice; ulimit -a -S; ulimit -a -H
python3 -c 'import os; print(os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(0, 0), os.times()[2:4])'
ls -lA --time-style=+ /work /home/user /tmp /dev/shm /run/qfuzz/in; stat -c '%a %n' /work /home/user /tmp /dev/shm
cat /proc/sysvipc/shm /proc/sysvipc/msg /proc/sysvipc/sem /proc/self/oom_score_adj
set -- /proc/[0-9]*; echo "$# processes"
cat greeting | tee "copy of greeting" >&2; exec 3<&0; exit 7
"""


@pytest.fixture
def host(shared_host: Host) -> Iterator[Host]:
    """A pool that must run a plain reply after the test exactly as it did before."""
    fixture = Fixture((FixtureFile(b"greeting", b"hello\n"),))
    before = shared_host.run(PLAIN, fixture)
    assert before.status.code == 7, before
    assert before.stderr.data == b"hello\n", before
    assert before.tree.entries[b"copy of greeting"].content == b"hello\n"
    yield shared_host
    after = shared_host.run(PLAIN, fixture)
    assert after.stdout.data.splitlines() == before.stdout.data.splitlines()
    assert (after.status, after.stderr, after.tree) == (before.status, before.stderr, before.tree)
