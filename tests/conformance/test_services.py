"""Boundaries that start a program of their own beside the reply: what a reply does to it, and what it leaves behind.

Over the registry: every boundary that is at home in the jail only. Each test runs a plain reply before and after.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, FixtureFile
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve
from tests.available import available

FIXTURE = Fixture((FixtureFile(b"kept.txt", b"kept\n"),))
STACKS = [name for name, boundary in load().boundaries.items() if boundary.needs_jail]
USERS = [name for name in STACKS if load().boundaries[name].id_mapped]
TERMINALS = [name for name in STACKS if name.startswith(("pty", "tmux"))]

PLAIN = b"; ".join(
    (
        b"history",
        b"env | grep -v -e ^TMUX= -e ^SUDO_COMMAND= | sort",
        b"pwd; umask; ulimit -a; nice",
        b"set -o; shopt; alias; trap",
        b"ls -A ~ /tmp",
        b"ps -e -o comm= | grep -c -e sleep -e python",
        b"stty -a < /dev/tty 2> /dev/null",
        b"cat kept.txt > out.txt",
    )
)
"""One line, so that it can be typed."""

_LISTENER = b'import socket, time; s = socket.create_server(("127.0.0.1", 2222)); time.sleep(60)'

ATTACKS = {
    "kill the parent": b"kill -9 $PPID; sleep 0.2",
    "kill the shell": b"kill -9 $$",
    "kill everything": b"kill -9 -1",
    "stop the parent": b"kill -STOP $PPID; sleep 0.1",
    "exit": b"exit 3",
    "become another program": b"exec sleep 0.1",
    "close what is open": b"exec 0<&- 1>&- 2>&-",
    "change the terminal": b"stty raw -echo 2> /dev/null; stty -icanon min 255 < /dev/tty 2> /dev/null; true",
    "end the terminal's server": b"tmux kill-server 2> /dev/null; true",
    "fill the screen": b"head -c 3000000 /dev/zero | tr '\\0' 'x' >&2; true",
    "leave a listener": b"setsid python3 -c '" + _LISTENER + b"' &",
    "slow the parent down": b"renice -n 19 $PPID > /dev/null 2>&1; prlimit --pid $PPID --nofile=3 2> /dev/null; true",
}

BOMBS = {
    "fork": b"bomb() { bomb & bomb & wait; }; bomb",
    "memory": b"python3 -c 'x = [bytearray(1 << 20) for _ in range(4000)]'",
    "output": b"yes",
    "space": b"head -c 200000000 /dev/zero > big; head -c 200000000 /dev/zero > /tmp/big",
    "inodes": b"python3 -c 'for i in range(99999): open(str(i), \"w\").close()'",
}

STATE = {
    "history": b"echo remembered; history -s remembered; history -w ~/.bash_history",
    "environment": b"export LEAKED=1; echo 'export LEAKED=1' >> ~/.bashrc; echo 'export LEAKED=1' > ~/.bash_profile",
    "directory": b"cd /tmp; mkdir left; cd left",
    "options": b"set -fu; shopt -s nullglob; alias ls=false; trap 'echo trapped' EXIT",
    "limits": b"ulimit -n 20; umask 077; renice -n 5 $$ > /dev/null",
    "a running process": b"setsid sleep 60 < /dev/null > /dev/null 2>&1 & sleep 0.05",
}


ONE_OF_A_KIND = frozenset({"su-command", "ssh-argv", "pty-typed", "tmux-keys", "taskfile"})
"""The others of a kind start the same programs, and are tried at night."""


NO_SHELL = frozenset({"taskfile"})
"""What reads a reply by itself, without most of what these programs ask of a shell: they are handed on to bash."""


def run(pool: Pool, name: str, program: bytes, timeout: float = 10.0) -> Observation:
    text = resolve(name).armor(program) if name in NO_SHELL else program
    assert text is not None
    delivery = resolve(name).deliver(text)
    assert isinstance(delivery, Launch), delivery
    observation = machinery(pool, timeout).run(delivery, FIXTURE)
    # What the terminal shows has times in it; how long it took is nobody's business here.
    return replace(observation, seconds=0.0, stderr=replace(observation.stderr, data=b""))


@pytest.fixture(scope="module")
def before() -> dict[str, Observation]:
    return {}


def plain(pool: Pool, name: str, before: dict[str, Observation]) -> Observation:
    if name not in before:
        before[name] = run(pool, name, PLAIN)
        assert before[name].status.code == 0, before[name]
        assert before[name].tree.entries[b"out.txt"].content == b"kept\n"
    return before[name]


@pytest.mark.parametrize("name", available(STACKS, nightly_but=ONE_OF_A_KIND))
def test_an_attack_costs_a_reply_its_own_result_at_most(pool: Pool, before: dict[str, Observation], name: str) -> None:
    expected = plain(pool, name, before)
    for attack, program in ATTACKS.items():
        run(pool, name, program, timeout=0.7)
        assert run(pool, name, PLAIN) == expected, attack


@pytest.mark.parametrize("name", available(STACKS, nightly_but=ONE_OF_A_KIND))
def test_a_bomb_ends_at_its_limit(pool: Pool, before: dict[str, Observation], name: str) -> None:
    expected = plain(pool, name, before)
    for bomb, program in BOMBS.items():
        run(pool, name, program, timeout=0.7)
        assert run(pool, name, PLAIN) == expected, bomb


@pytest.mark.parametrize("name", available(STACKS, nightly_but=ONE_OF_A_KIND))
def test_nothing_is_carried_over_to_the_next_reply(pool: Pool, before: dict[str, Observation], name: str) -> None:
    expected = plain(pool, name, before)
    for kind, program in STATE.items():
        run(pool, name, program)
        assert run(pool, name, PLAIN) == expected, kind


@pytest.mark.parametrize("name", available(TERMINALS, nightly_but=ONE_OF_A_KIND))
def test_input_that_is_left_over_is_nobodys(pool: Pool, before: dict[str, Observation], name: str) -> None:
    expected = plain(pool, name, before)
    run(pool, name, b"sleep 60\necho left > over.txt\n'unfinished", timeout=0.7)
    assert run(pool, name, PLAIN) == expected


@pytest.mark.parametrize("name", available(TERMINALS, nightly_but=ONE_OF_A_KIND))
def test_output_and_status_come_around_the_terminal(pool: Pool, name: str) -> None:
    observation = run(pool, name, b"printf 'a\\rb\\n$ \\033[31mred\\n'; echo hidden >&2; (exit 5)")
    assert observation.stdout.data == b"a\rb\n$ \033[31mred\n"
    assert observation.status.code == 5


def test_a_terminal_that_is_lost_ends_like_one_that_hung_up(pool: Pool) -> None:
    if missing_of(resolve("tmux-keys")):
        pytest.skip(str(missing_of(resolve("tmux-keys"))))
    assert run(pool, "tmux-keys", b"tmux kill-server; sleep 5").status.code == 129


@pytest.mark.parametrize("name", available(USERS, nightly_but=ONE_OF_A_KIND))
def test_a_changed_user_gains_nothing(pool: Pool, name: str) -> None:
    observation = run(
        pool,
        name,
        b"id -u; grep -c 'Cap[IPEA].*:.0*$' /proc/self/status; head -c1 /etc/shadow; sudo -n id; su -c id; "
        b"unshare -U id; mount -t tmpfs none /tmp; touch /etc/x /run/qfuzz/in/x; ls /proc/1/root/",
    )
    assert observation.stdout.data == b"1000\n4\n"
