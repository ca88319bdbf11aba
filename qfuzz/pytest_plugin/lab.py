"""What a test process runs with: one warm pool, opened by the first test that needs it and closed at the end.

This module is loaded with the plugin, so it loads nothing of qfuzz itself until it is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import pytest

if TYPE_CHECKING:
    from qfuzz.engine.attempt import Machinery
    from qfuzz.engine.laboratory import Breaker
    from qfuzz.jail.pool import Pool
    from qfuzz.model.forms import Forms
    from qfuzz.regress.files import Placed
    from qfuzz.regress.judge import Replayed
    from qfuzz.transports.base import Transport

MOST_EXPLAINED = 25
"""Failures of a process whose causes are looked for; it costs executions, and nobody reads more of them."""

CONFIG_NAME = "qfuzz.toml"

NO_JAIL_FOR_FUZZING = (
    "--qfuzz-isolation none is for breaker files that somebody has read; what a test makes up runs in the jail only"
)


@dataclass(frozen=True, slots=True)
class Bench:
    """What replays over one transport, and looks for causes there."""

    machinery: Machinery
    make_forms: Callable[[Breaker], Forms]


class Lab:
    """The machinery of one test process, made when it is first asked for. Raises QfuzzError where it can't be had."""

    def __init__(self, config: pytest.Config) -> None:
        self._cleanup = ExitStack()
        self._isolation: Literal["bwrap", "none"] = config.getoption("--qfuzz-isolation")
        self._jobs: int = config.getoption("--qfuzz-jobs")
        self._benches: dict[str, Bench] = {}
        self._root = config.rootpath
        self._config_file = _config_file(config)
        self._left = MOST_EXPLAINED
        self.timeout_seconds: float = config.getoption("--qfuzz-timeout")

    @property
    def isolated(self) -> bool:
        return self._isolation != "none"

    @cached_property
    def _own(self) -> tuple[str, ...]:
        """The names of the user's own transports, known from here on."""
        if self._config_file is None:
            from qfuzz.transports.registry import REGISTRY

            self._cleanup.enter_context(REGISTRY.noting(f"no {CONFIG_NAME} is in {self._root}"))
            return ()
        from qfuzz.own.load import own_transports

        return self._cleanup.enter_context(own_transports(self._config_file))

    @cached_property
    def pool(self) -> Pool:
        from qfuzz.jail.pool import Pool
        from qfuzz.transports.loader import resolve

        # Of those that lack something here what there is: whether one can be used is asked where one is.
        shown = [path for name in self._own for path in resolve(name).shown]
        return self._cleanup.enter_context(Pool(self._jobs, isolation=self._isolation, shown=shown))

    def know(self, name: str | None) -> Transport | None:
        """The transport of this name, be it here or not; without a name only the file with own ones is read.

        Raises UsageError for an unknown one and InputError for a bad file.
        """
        from qfuzz.transports.loader import resolve

        assert self._own is not None, "read first"
        return None if name is None else resolve(name)

    def resolve(self, name: str) -> Transport:
        """The transport or stack of this name, if this machine has it; raises UsageError and HostError."""
        from qfuzz.engine.here import require_here
        from qfuzz.model.errors import UsageError

        if not isinstance(name, str):
            raise UsageError(f"expected the name of a transport or a stack, a str, not {type(name).__name__}")
        transport = self.know(name)
        assert transport is not None, "it has a name"
        require_here(transport, self._isolation)
        return transport

    def _bench(self, name: str) -> Bench:
        """What replays over the transport of this name. A path of the user's own is tested here, once."""
        from qfuzz.engine.forms import form_maker
        from qfuzz.engine.machinery import machinery

        transport = self.resolve(name)
        if transport.name not in self._benches:
            machines = machinery(self.pool, self.timeout_seconds, [transport])
            make_forms = self._cleanup.enter_context(form_maker(machines, strict=False))
            self._benches[transport.name] = Bench(machines, make_forms)
        return self._benches[transport.name]

    def replay(self, placed: Placed) -> Replayed:
        from qfuzz.regress.run import replay_cases

        machines = self._bench(placed.case.transport).machinery
        (replayed,) = replay_cases([placed], machines, self.timeout_seconds, 1)
        return replayed

    def lines(self, replayed: Replayed) -> str:
        """All that is known of a case that is not as expected, as `qfuzz regress` prints it."""
        from qfuzz.regress.run import explained
        from qfuzz.regress.text import case_lines

        page = None
        if self._left:
            page = explained(replayed, self._bench(replayed.placed.case.transport).make_forms)
            self._left -= page is not None
        return "\n".join(case_lines(replayed, page))

    def close(self) -> None:
        self._cleanup.close()


def _config_file(config: pytest.Config) -> Path | None:
    """The file with own transports: that of the option, else the one of the root folder, where there is one."""
    named: str | None = config.getoption("--qfuzz-config")
    if named is not None:
        return config.invocation_params.dir / named
    beside = config.rootpath / CONFIG_NAME
    return beside if os.path.lexists(beside) else None


_LAB: pytest.StashKey[Lab] = pytest.StashKey()


def lab_of(config: pytest.Config) -> Lab:
    """The lab of this process."""
    if _LAB not in config.stash:
        config.stash[_LAB] = Lab(config)
    return config.stash[_LAB]


def check_options(config: pytest.Config) -> None:
    """Raises pytest.UsageError for options, and for a file with own transports, that no test can be run with; loads
    nothing where there are none.

    What this machine lacks is left to the tests, which skip or fail for it.
    """
    transport: str | None = config.getoption("--qfuzz-transport")
    # A worker of pytest-xdist has what the process that started it has found good.
    if hasattr(config, "workerinput") or (transport is None and _config_file(config) is None):
        return
    from qfuzz.model.errors import QfuzzError

    option = ""
    try:
        lab_of(config).know(None)
        option = "--qfuzz-transport: "
        lab_of(config).know(transport)
    except QfuzzError as error:
        close_lab(config)
        raise pytest.UsageError(f"{option}{error}") from None


def close_lab(config: pytest.Config) -> None:
    """Ends the jails, where there are any."""
    if _LAB in config.stash:
        config.stash[_LAB].close()
        del config.stash[_LAB]


@contextmanager
def told() -> Iterator[None]:
    """Turns errors of qfuzz into the outcome of a test, in one line.

    What this machine lacks skips the test with the reason on a developer's machine. In CI it fails, with the remedy: a
    gate that looks at nothing must not be green.
    """
    from qfuzz.model.errors import HostError, QfuzzError

    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        _lacking("Hypothesis is not installed; pip install 'qfuzz[fuzz]'")
    except HostError as error:
        _lacking(str(error))
    except QfuzzError as error:
        fail(str(error))


def fail(said: str) -> NoReturn:
    """Fails the test with this text alone: unlike pytest.fail without what was handled on the way."""
    raise pytest.fail.Exception(said, pytrace=False) from None


def _lacking(what: str) -> NoReturn:
    if in_ci():
        fail(f"{what} (CI is set: a case that is not run is no pass)")
    raise pytest.skip.Exception(what) from None


def in_ci() -> bool:
    """Whether this is a CI service, by the variable that all of them set."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
