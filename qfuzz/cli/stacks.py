"""The transports that a command line names, where they can be had."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from qfuzz.engine.here import require_here
from qfuzz.escape.faults import TargetError
from qfuzz.jail.pool import Isolation
from qfuzz.model.errors import HostError, QfuzzError, UsageError
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import load, resolve

ALL = "all"


def transports_of(names: Sequence[str], isolation: Isolation) -> tuple[Transport, ...]:
    """The transports of `names`, each once; direct is always there and need not be named.

    What was named must be there; of `all`, what is missing is left out and said. Raises UsageError, HostError.
    """
    resolved = [transport for name in names for transport in _named(name, isolation)]
    if all(each.name == "direct" for each in resolved):
        raise UsageError("direct is what the other transports are compared with", hint="name one of those")
    return tuple({each.name: each for each in resolved if each.name != "direct"}.values())


def _named(name: str, isolation: Isolation) -> Iterator[Transport]:
    if name != ALL:
        transport = resolve(name)
        require_here(transport, isolation)
        yield transport
        return
    for transport in map(resolve, load().names()):
        try:
            require_here(transport, isolation)
        except (HostError, TargetError) as lacking:
            print(f"left out: {lacking}", file=sys.stderr)
        else:
            yield transport


def without_failed(
    stacks: Sequence[Transport], failed: Mapping[str, QfuzzError], names: Sequence[str]
) -> tuple[Transport, ...]:
    """The transports that passed their test. What `names` names must have: raises its error; of `all`, what failed
    is left out and said."""
    named = {resolve(name).name for name in names if name != ALL}
    for name, error in failed.items():
        if name in named:
            raise error
        print(f"left out: {error}", file=sys.stderr)
    return tuple(each for each in stacks if each.name not in failed)
