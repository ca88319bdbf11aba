"""ssh to an sshd that listens on a port of the jail's loopback carries what ssh to one behind a pipe carries.

The transports use the pipe, which takes a fourth of the time (see qfuzz/transports/ssh.py).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, SideFile
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, FixtureFile
from qfuzz.transports.loader import load, resolve
from tests.available import available

WAYS = [name for name in load().boundaries if name.startswith("ssh-")]
FOLDER = b"/run/qfuzz/in/ssh/"

PIPE = b"Host *\n    ProxyCommand /usr/sbin/sshd -i -f /run/qfuzz/in/ssh/sshd_config\n"
PORT = b"Match exec /run/qfuzz/in/ssh/start\n    HostName 127.0.0.1\n    Port 2222\n"
LISTEN = b"ListenAddress 127.0.0.1\nPort 2222\nPidFile /run/qfuzz/tap/sshd\n"
# The server leaves for the background before it listens, and then writes its number.
START = b"""#!/bin/sh
/usr/sbin/sshd -f /run/qfuzz/in/ssh/sshd_config || exit
until [ -s /run/qfuzz/tap/sshd ]; do sleep 0.01; done
"""

PROGRAMS = (
    b"env | sort; pwd; umask; printf '%s\\n' \"$-\" $0; cat kept.txt > out.txt",
    b"printf '%s|' 'a\tb' \"it's\" '$HOME `x` \\\\' '! \xc3\xa9 \xff'; exit 7",
    b"cat <<'end' | tr a-z A-Z\nmany\nlines\nend\nhead -c 300000 /dev/zero | tr '\\0' x",
)


def on_a_port(launch: Launch) -> Launch:
    """The launch with a server that listens, in place of the one behind the pipe."""
    changed = []
    for file in launch.files:
        content = file.content
        if file.path == FOLDER + b"ssh_config":
            assert PIPE in content
            content = content.replace(PIPE, PORT)
        elif file.path == FOLDER + b"sshd_config":
            content = content.replace(b"PidFile none\n", LISTEN)
        changed.append(replace(file, content=content))
    return replace(launch, files=(*changed, SideFile(FOLDER + b"start", START, 0o555)))


def observed(pool: Pool, launch: Launch) -> Observation:
    fixture = Fixture((FixtureFile(b"kept.txt", b"kept\n"),))
    return replace(machinery(pool, 10.0).run(launch, fixture), seconds=0.0)


@pytest.mark.parametrize("name", available(WAYS, nightly_but=frozenset({"ssh-argv", "ssh-pasted"})))
def test_a_port_carries_what_a_pipe_carries(pool: Pool, name: str) -> None:
    for program in PROGRAMS:
        launch = resolve(name).deliver(program)
        assert isinstance(launch, Launch)
        by_port = on_a_port(launch)
        assert observed(pool, by_port) == observed(pool, launch), program
    unreachable = replace(by_port, files=tuple(file for file in by_port.files if file.path != FOLDER + b"start"))
    assert observed(pool, unreachable).status.code == 255
