"""The fixtures. Nothing of qfuzz is loaded before one of them is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import pytest

from qfuzz.pytest_plugin.lab import NO_JAIL_FOR_FUZZING, Lab, lab_of, told

if TYPE_CHECKING:
    from qfuzz.model.task import Fixture, Task
    from qfuzz.pytest_plugin.replay import Replay
    from qfuzz.transports.base import Transport

FIXTURES = frozenset({"qfuzz_transport", "qfuzz_replay", "assert_faithful", "assert_escapes"})


class ReplayFunction(Protocol):
    def __call__(
        self, program: bytes | str, transport: str, *, task: Task | None = None, fixture: Fixture | None = None
    ) -> Replay: ...


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

    assert qfuzz_replay("echo '$5'", "quoted").survived
    """
    lab = lab_of(request.config)

    def replay(
        program: bytes | str, transport: str, *, task: Task | None = None, fixture: Fixture | None = None
    ) -> Replay:
        from qfuzz.pytest_plugin.replay import replayed

        with told():
            return replayed(lab_with_jail(lab), program, transport, task, fixture)
        raise AssertionError("told() ends the test")

    return replay


def lab_with_jail(lab: Lab) -> Lab:
    """The lab; fails the test where it runs without a jail."""
    if not lab.isolated:
        pytest.fail(NO_JAIL_FOR_FUZZING, pytrace=False)
    return lab
