"""Stacks of layers that start something: what can't work is refused, and what is not refused works."""

from __future__ import annotations

import itertools

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import UsageError
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.oracle.compare import differing_channels
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve
from tests.available import available

REGISTRY = load()
OTHERS = [name for name, each in REGISTRY.boundaries.items() if not each.needs_jail or each.tools]
SLOW = frozenset({"npm-run", "shell-quote-glued", "shell-quote-quoted", "shell-quote-eval", "taskfile"})
HARMLESS = b"echo hi"
PROGRAM = b"echo $(touch made && echo ok); echo 'a b' > \"c d\"; echo \"`touch q`\"; echo '$(touch x)'"
KINDS = ("su-command", "sudo-login", "ssh-argv", "ssh-pasted", "pty-typed", "tmux-keys", "taskfile")
"""One of each kind of program beside the reply."""


def run(pool: Pool, stack: str, program: bytes) -> Observation | None:
    delivery = resolve(stack).deliver(program)
    return machinery(pool, 20.0).run(delivery, Fixture()) if isinstance(delivery, Launch) else None


def can_be(stack: str) -> bool:
    try:
        return missing_of(resolve(stack)) is None
    except UsageError:
        return False


def test_two_services_of_a_stack_work_or_are_refused(pool: Pool) -> None:
    stacks = [f"{one} > {other}" for one, other in itertools.product(KINDS, KINDS)]
    made = {stack: run(pool, stack, HARMLESS) for stack in filter(can_be, stacks)}
    assert {stack: one.stdout.data if one else None for stack, one in made.items()} == dict.fromkeys(made, b"hi\n")
    assert len(made) >= len(stacks) // 2 or missing_of(resolve("taskfile")) is not None


@pytest.mark.parametrize(
    ("stack", "said"),
    [
        (
            "sudo-bash > ssh-argv",
            "ssh-argv can't follow sudo-bash in 'sudo-bash > ssh-argv', because sudo-bash is started",
        ),
        ("su-command > su-command", "at home with the reply's user"),
        ("sudo-login > tmux-literal", "at home with the reply's user"),
        ("su-command > nested", "which are the user's to run; nested > su-command works"),
        ("sudo-bash > json > eval", "eval can't follow sudo-bash"),
        ("sudo-bash > double-nested", "nested can't follow sudo-bash"),
        ("pty-typed > pty-plain", "both are made by one program, /run/qfuzz/in/pty_typist"),
        ("tmux-keys > nested > tmux-literal", "tmux-literal can't follow tmux-keys"),
    ],
)
def test_a_stack_that_can_not_work_is_refused_with_the_reason(stack: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(stack)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", available(OTHERS, nightly_but=frozenset(OTHERS) - SLOW))
def test_what_may_follow_a_change_of_user_never_lets_root_run_the_reply(pool: Pool, name: str) -> None:
    stack = f"sudo-bash > {name}"
    if not can_be(stack):
        assert REGISTRY.boundaries[name].expands
        return
    as_user, by_root = run(pool, f"direct > {name}", PROGRAM), run(pool, stack, PROGRAM)
    assert (as_user is None) == (by_root is None)
    assert as_user is None or by_root is None or not differing_channels(as_user, by_root), (as_user, by_root)


def test_layers_of_a_kind_bring_their_files_once() -> None:
    for stack in ("ssh-argv > ssh-pasted", "npm-run > npm-run", "ssh-pasted > ssh-argv > ssh-stdin"):
        delivery = resolve(stack).deliver(HARMLESS)
        assert isinstance(delivery, Launch)
        paths = [file.path for file in delivery.files]
        assert sorted(set(paths)) == sorted(paths)
        assert paths
