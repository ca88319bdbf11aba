"""What the engine needs of the jail, made from a pool: run, run alone, ask a shell for syntax, see what arrived."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.own import OwnPaths, seconds_of
from qfuzz.engine.services import check_services
from qfuzz.jail.environment import ENVIRONMENT
from qfuzz.jail.execution import Execution, Tap
from qfuzz.jail.id_mapped import files_digest
from qfuzz.jail.pool import Pool
from qfuzz.jail.recipe import agent_zip
from qfuzz.jail.userland import environment
from qfuzz.model.content import JsonValue, sha256_hex
from qfuzz.model.delivery import SHELLS, Launch
from qfuzz.model.errors import HarnessError, QfuzzError
from qfuzz.model.observation import OBSERVED, Ending, Observation
from qfuzz.model.task import Fixture
from qfuzz.transports.available import SERVERS_PATH
from qfuzz.transports.base import Transport

_SYNTAX_SECONDS = 10.0


def machinery(
    pool: Pool,
    timeout_seconds: float,
    transports: Sequence[Transport] = (),
    failed: MutableMapping[str, QfuzzError] | None = None,
) -> Machinery:
    """The machinery that executes in `pool` with this timeout for each execution.

    `transports` are those that will be used, with each that has layers of the user's own, or that start programs beside
    the reply: these are tested first. Raises PathError or HostError where one of them fails the test, or puts it into
    `failed`, by name; it must not be used then. Raises HostError and UsageError where one can't be used at all.
    """
    check_services(pool, transports, failed)
    own = OwnPaths(pool, timeout_seconds, transports, failed)

    def execution(launch: Launch, fixture: Fixture) -> Execution:
        return Execution(launch, fixture, seconds_of(launch, timeout_seconds))

    def run(launch: Launch, fixture: Fixture) -> Observation:
        return pool.run(execution(launch, fixture))

    def run_alone(launch: Launch, fixture: Fixture) -> Observation:
        return pool.run_alone(execution(launch, fixture))

    def arrived_text(launch: Launch, fixture: Fixture) -> bytes | None:
        if launch.own is not None:
            return own.arrived_text(launch, fixture, Tap.HAND_ON)
        return pool.run(Execution(launch, fixture, timeout_seconds, tap=Tap.HAND_ON)).arrived

    def stopped_text(launch: Launch, fixture: Fixture) -> bytes | None:
        if launch.own is not None:
            return own.arrived_text(launch, fixture, Tap.STOP)
        return pool.run(Execution(launch, fixture, timeout_seconds, tap=Tap.STOP)).arrived

    def parses(shell: str, text: bytes) -> bool:
        # With -n a shell reads and executes nothing; on standard input there is no limit of length.
        check = Launch(b"/bin/" + SHELLS[shell][0], SHELLS[shell], text, stdin=text)
        execution = Execution(check, Fixture(), _SYNTAX_SECONDS)
        status = pool.run(execution).status
        if status.ending is Ending.TIMEOUT:
            status = pool.run_alone(execution).status
        if status.ending is Ending.TIMEOUT:
            raise HarnessError(f"{shell} -n gave no answer in {_SYNTAX_SECONDS} s")
        return status.code == 0

    return Machinery(run, run_alone, arrived_text, stopped_text, parses, own.unseen)


def context_of(pool: Pool, timeout_seconds: float) -> Mapping[str, JsonValue]:
    """Everything that all executions of a run share and that may change what they leave behind."""
    userland = pool.userland
    # Only where there is one: what was executed before there was a choice keeps its key.
    other: dict[str, JsonValue] = {}
    if userland is not None:
        other["userland"] = {"name": userland.name, "version": userland.version, "applets": userland.digest}
    if pool.isolation == "bwrap":
        other["files"] = files_digest()
    return {
        **other,
        "versions": dict(pool.versions),
        "limits": asdict(pool.limits),
        "environment": environment(userland),
        "isolation": pool.isolation,
        "shown": list(pool.shown),
        "timeout_seconds": timeout_seconds,
        "observed": OBSERVED,
        "agent": sha256_hex(agent_zip()),
        "programs": _programs(f"{ENVIRONMENT['PATH']}:{SERVERS_PATH}"),
    }


def _programs(search_path: str) -> str:
    """A digest of names, sizes and times of the programs that a reply can find, and of the servers beside it.

    Another one is another context; so is a link that leads to another one.
    """
    found = []
    for directory in sorted({os.path.realpath(each) for each in search_path.split(":")}):
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    status = entry.stat()
                except OSError:
                    # A link that leads nowhere, or a file that only root may look at.
                    status = entry.stat(follow_symlinks=False)
                found.append(f"{entry.name} {status.st_size} {status.st_mtime_ns}")
    return sha256_hex("\n".join(sorted(found)).encode("utf-8", "surrogateescape"))
