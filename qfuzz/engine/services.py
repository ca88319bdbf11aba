"""Whether the programs beside a reply work here at all: asked before the first reply, so that none is blamed for them.

A program can be there and not start: another version, a plugin or a library that is missing, a rule of the machine.
"""

from __future__ import annotations

import threading
from collections.abc import MutableMapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from qfuzz.engine.here import require_here
from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HarnessError, HostError, QfuzzError
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.model.text import last_line
from qfuzz.transports.available import EXTRA_HINT, PACKAGES
from qfuzz.transports.base import Boundary, Transport

_PLAIN = b"true"
_SECONDS = 20.0
_ATTEMPTS = 2
"""A machine that is out of something for a moment is no machine without the program."""

_known: WeakKeyDictionary[Pool, dict[str, HostError | None]] = WeakKeyDictionary()
_knowing = threading.Lock()


def check_services(
    pool: Pool, transports: Sequence[Transport], failed: MutableMapping[str, QfuzzError] | None = None
) -> None:
    """Runs `true` over each boundary of `transports` that is at home in the jail only, once a pool.

    Raises HostError for one that does not carry it, or puts that into `failed`, by the transport's name.
    """
    for transport in transports:
        for boundary in transport.boundaries:
            alone = replace(transport, name=boundary.name, boundaries=(boundary,))
            error = _fault(pool, alone) if boundary.needs_jail else None
            if error is None:
                continue
            if failed is None:
                raise error
            failed.setdefault(transport.name, error)


def _fault(pool: Pool, alone: Transport) -> HostError | None:
    with _knowing:
        known = _known.setdefault(pool, {})
        if alone.name not in known:
            known[alone.name] = _found(pool, alone)
        return known[alone.name]


def _found(pool: Pool, alone: Transport) -> HostError | None:
    launch = alone.deliver(_PLAIN)
    assert isinstance(launch, Launch), f"{alone.name} does not carry {_PLAIN!r}"
    (boundary,) = alone.boundaries
    try:
        require_here(alone, pool.isolation)
    except HostError as error:
        return error
    said = ""
    for _ in range(_ATTEMPTS):
        try:
            observation = pool.run(Execution(launch, Fixture(), _SECONDS))
        except HostError as error:
            return _not_here(boundary, error.what, error.hint)
        except HarnessError as error:
            said = str(error)
            continue
        if observation.status.code == 0:
            return None
        said = _said(observation)
    packages = " ".join(sorted({PACKAGES[program] for program in boundary.programs}))
    hint = f"sudo apt-get install --reinstall {packages}" if packages else EXTRA_HINT
    return _not_here(boundary, f"it does not run even `{_PLAIN.decode()}` ({said})", hint)


def _not_here(boundary: Boundary, why: str, hint: str) -> HostError:
    return HostError(f"{boundary.name} is not available here, because {why}", hint=hint)


def _said(observation: Observation) -> str:
    """How it ended, and the last line on stderr."""
    code = observation.status.code
    ended = f"no end within {_SECONDS:.0f} s" if code is None else f"status {code}"
    last = last_line(observation.stderr.data)
    return f"{ended}, saying: {last}" if last else ended
