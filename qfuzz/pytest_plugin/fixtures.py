"""The fixtures. Nothing of qfuzz is loaded before one of them is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import pytest

from qfuzz.pytest_plugin.lab import NO_JAIL_FOR_FUZZING, Lab, fail, lab_of, told

if TYPE_CHECKING:
    from qfuzz.model.content import JsonValue
    from qfuzz.model.task import Fixture, Task
    from qfuzz.pytest_plugin.faithful import Tried
    from qfuzz.pytest_plugin.replay import Replay
    from qfuzz.transports.base import Transport

FIXTURES = frozenset({"qfuzz_transport", "qfuzz_replay", "assert_faithful", "assert_escapes"})


class ReplayFunction(Protocol):
    def __call__(
        self,
        program: bytes | str,
        transport: str,
        *,
        task: Task | str | None = None,
        fixture: Fixture | Mapping[str, JsonValue] | None = None,
    ) -> Replay: ...


class FaithfulFunction(Protocol):
    def __call__(self, transport: str, *, examples: int = 100, seed: int = 0) -> Tried: ...


class EscapesFunction(Protocol):
    def __call__(
        self,
        func: str | Callable[[str], str],
        *,
        shells: Sequence[str] = ("bash",),
        contexts: Sequence[str] = ("argument",),
        examples: int = 30_000,
        seed: int = 0,
    ) -> None: ...


@pytest.fixture(scope="session")
def qfuzz_transport(request: pytest.FixtureRequest) -> Callable[[str], Transport]:
    """A function from a name or a stack, own transports included, to the transport."""
    lab = lab_of(request.config)

    def transport(name: str) -> Transport:
        with told():
            return lab.resolve(name)
        raise AssertionError("told() ends the test")

    return transport


@pytest.fixture(scope="session")
def qfuzz_replay(request: pytest.FixtureRequest) -> ReplayFunction:
    """A function that runs a program directly and over a transport, in the jail, and says whether it survived.

    The work directory is that of a task (or of the public one with this id), or a fixture (or a dict like a task's).

    assert qfuzz_replay("echo '$5'", "quoted").survived
    """
    lab = lab_of(request.config)

    def replay(
        program: bytes | str,
        transport: str,
        *,
        task: Task | str | None = None,
        fixture: Fixture | Mapping[str, JsonValue] | None = None,
    ) -> Replay:
        from qfuzz.pytest_plugin.replay import replayed

        with told():
            return replayed(lab_with_jail(lab), program, transport, task, fixture)
        raise AssertionError("told() ends the test")

    return replay


@pytest.fixture(scope="session")
def assert_faithful(request: pytest.FixtureRequest) -> FaithfulFunction:
    """A function that draws programs which work directly, and fails with the smallest one that does not survive.

    assert_faithful("mine", examples=500)
    """
    lab = lab_of(request.config)

    def check(transport: str, *, examples: int = 100, seed: int = 0) -> Tried:
        with told():
            from qfuzz.pytest_plugin import faithful

            return faithful.check(lab_with_jail(lab), transport, examples, seed)
        raise AssertionError("told() ends the test")

    return check


@pytest.fixture(scope="session")
def assert_escapes(request: pytest.FixtureRequest) -> EscapesFunction:
    """A function that fails with the shortest words which a shell does not read back from their escaped form.

    assert_escapes(shlex.quote)
    assert_escapes("my_package.text:quote", shells=["bash", "dash"])
    """
    lab = lab_of(request.config)

    def check(
        func: str | Callable[[str], str],
        *,
        shells: Sequence[str] = ("bash",),
        contexts: Sequence[str] = ("argument",),
        examples: int = 30_000,
        seed: int = 0,
    ) -> None:
        with told():
            from qfuzz.api.fuzz import check_escape, describe

            pool = lab_with_jail(lab).pool
            found = check_escape(
                func, shells=shells, contexts=contexts, examples=examples, seed=seed, findings=3, pool=pool
            )
            if found:
                fail("\n\n".join(map(describe, found)))

    return check


def lab_with_jail(lab: Lab) -> Lab:
    """The lab; fails the test where it runs without a jail."""
    if not lab.isolated:
        fail(NO_JAIL_FOR_FUZZING)
    return lab
