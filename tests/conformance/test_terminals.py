"""Transports that type into a terminal: who gets what is typed, what they own, and what comes back from them."""

from __future__ import annotations

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.transports.loader import load, resolve
from tests.available import available

TERMINALS = [name for name in load().boundaries if name.startswith(("pty-", "tmux-"))]
LINE_BY_LINE = ("pty-typed", "pty-plain")

READERS = {
    "read": (b'read -r x; echo "got $x"\nhello', b"got hello\n"),
    "read, then a command": (b"read x\nfoo\necho [$x]", b"[foo]\n"),
    "a function that reads": (b'ask() { read -r y; echo "$y!"; }; ask\nme', b"me!\n"),
    "mapfile": (b"mapfile -t -n 2 a\n1\n2\necho ${#a[@]}", b"2\n"),
    "a command that reads": (b"head -n 1\nfirst\necho second", b"first\nsecond\n"),
    "a command that reads late": (b"sleep 0.4\nread x\nfoo\necho [$x]", b"[foo]\n"),
}

OWN_PROMPTS = {
    "another": b"PS1='# '; echo hi\n(exit 3)",
    "none": b"unset PS1 PS2; echo hi\n(exit 3)",
    "not on the terminal": b"exec 2> err.txt; echo hi\n(exit 3)",
    "none of a prompt's commands": b"unset PROMPT_COMMAND; echo hi\n(exit 3)",
    "of another shell": b"exec bash --norc\necho hi\nexit 3",
}

OWNED = {
    "history": (b'echo "a!x"', TERMINALS),
    "quick substitution": (b"echo 'x\n^x^y\n'", TERMINALS),
    "completion": (b"echo 'a\tb'", ["pty-typed", "tmux-keys", "tmux-literal"]),
    "not UTF-8": (b"printf %s 'a\xe9b'", ["pty-typed", "tmux-keys", "tmux-literal"]),
    "a carriage return": (b"printf %s 'a\rb'", TERMINALS),
    "a long line": (b"echo " + b"x" * 4200, ["pty-plain"]),
}


def run(pool: Pool, name: str, program: bytes) -> Observation:
    delivery = resolve(name).deliver(program)
    assert isinstance(delivery, Launch), delivery
    return machinery(pool, 8.0).run(delivery, Fixture())


@pytest.mark.parametrize("name", available(LINE_BY_LINE))
@pytest.mark.parametrize("reader", READERS)
def test_who_reads_gets_the_following_lines(pool: Pool, name: str, reader: str) -> None:
    program, expected = READERS[reader]
    observation = run(pool, name, program)
    assert (observation.status.code, observation.stdout.data) == (0, expected)


@pytest.mark.parametrize("name", available(TERMINALS, nightly_but=frozenset({"pty-typed", "tmux-keys"})))
@pytest.mark.parametrize("prompt", OWN_PROMPTS)
def test_a_prompt_of_the_replys_own_does_not_hold_it_up(pool: Pool, name: str, prompt: str) -> None:
    if name == "pty-pasted" and prompt == "of another shell":
        pytest.skip("the first shell has read the whole paste by then")
    observation = run(pool, name, OWN_PROMPTS[prompt])
    assert (observation.status.code, observation.stdout.data) == (3, b"hi\n")


@pytest.mark.parametrize("name", available(TERMINALS))
def test_signals_do_what_they_do_elsewhere(pool: Pool, name: str) -> None:
    program = b"yes | head -n 1; echo ${PIPESTATUS[0]}; grep -E '^Sig(Ign|Blk)' /proc/self/status"
    direct = run(pool, "direct", program).stdout.data
    assert b"141" in direct
    armored = resolve(name).armor(program)
    assert armored is not None
    assert run(pool, name, program).stdout.data == direct
    assert run(pool, name, armored).stdout.data == direct


@pytest.mark.parametrize("name", available(TERMINALS))
def test_armor_brings_the_environment_back(pool: Pool, name: str) -> None:
    program = b'echo "$_ ${SHELL:-none}"; env | sort; PS1=; echo $-; echo $SHLVL'
    armored = resolve(name).armor(program)
    assert armored is not None
    assert run(pool, name, armored).stdout.data == run(pool, "direct", program).stdout.data


@pytest.mark.parametrize("owned", OWNED)
def test_what_a_terminal_owns_does_not_come_through(pool: Pool, owned: str) -> None:
    program, names = OWNED[owned]
    direct = run(pool, "direct", program)
    assert direct.status.code == 0
    for name in names:
        typed = run(pool, name, program)
        assert (typed.status, typed.stdout) != (direct.status, direct.stdout), name


@pytest.mark.parametrize("name", available([name for name in TERMINALS if name.startswith("tmux-")]))
@pytest.mark.parametrize("status", [b"99999999999999999999", b"-1", b"x", b"256"])
def test_a_forged_status_is_no_status(pool: Pool, name: str, status: bytes) -> None:
    observation = run(pool, name, b"echo " + status + b" > /run/qfuzz/tap/status; sleep 0.1; (exit 3)")
    assert observation.status.code == 3
