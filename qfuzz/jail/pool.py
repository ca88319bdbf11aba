"""A pool of warm jails, used from many threads."""

from __future__ import annotations

import functools
import os
import queue
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Literal

from qfuzz.jail.agent.frames import FrameError
from qfuzz.jail.bare import BareRecipe
from qfuzz.jail.bubblewrap import BubblewrapRecipe, bubblewrap_version
from qfuzz.jail.execution import Execution
from qfuzz.jail.git_state import read_git_state
from qfuzz.jail.id_mapped import IdMappedRecipe
from qfuzz.jail.interpreter import find_interpreter
from qfuzz.jail.limits import Limits
from qfuzz.jail.probe import explain_failure
from qfuzz.jail.protocol import Answer, pack_request
from qfuzz.jail.recipe import Recipe
from qfuzz.jail.shown import shown_folders, work_directory
from qfuzz.jail.slots import Gate, Slot
from qfuzz.jail.userland import Userland
from qfuzz.jail.versions import read_versions
from qfuzz.jail.warm import Jail, JailError
from qfuzz.model.errors import HarnessError, HostError, PathError, UsageError
from qfuzz.model.observation import Observation

Isolation = Literal["bwrap", "none"]

_ATTEMPTS = 2
"""How often a run is tried: once more, in a new jail, after a jail misbehaved."""


class LaunchError(HarnessError):
    """The launch's program could not be executed at all. `errno` says why, for example E2BIG."""

    def __init__(self, what: str, errno: int) -> None:
        super().__init__(what)
        self.errno = errno


@dataclass(frozen=True, slots=True)
class Watched:
    """A run over a path of the user's own, and what was seen of the path.

    `shells` started; `left`: something was alive when the path had ended; `early`: the shell that runs the reply was.
    """

    observation: Observation
    shells: int
    left: bool
    early: bool


class Pool:
    """`jobs` warm jails. `run` may be called from any thread; more callers than jails wait for one another.

    Launches that change from one user to another get jails of their own, made when the first of them comes; where
    none can be made, HostError is raised then.
    `isolation` "none" protects nothing: replies run as the user who started qfuzz, in a temporary directory.
    `shown` are folders of the host that replies can read, at the paths that they have on the host; a folder that can't
    be shown is a UsageError. `userland` is put first in PATH, and needs a jail. Use it as a context manager: closing
    it ends every jail. If this process dies, the kernel ends them. Raises HostError, with the remedy, where this
    machine can make no jail.
    """

    def __init__(
        self,
        jobs: int,
        *,
        isolation: Isolation = "bwrap",
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        shown: Sequence[Path] = (),
        userland: Userland | None = None,
    ) -> None:
        assert jobs > 0, f"{jobs} jobs"
        if userland is not None and isolation == "none":
            raise UsageError("another userland can only be put into a jail", where="--userland")
        self.userland = userland
        self._shown = shown_folders(shown, by_root=isolation != "none" and os.geteuid() == 0)
        self.limits = limits
        self.isolation = isolation
        # Jails die with the thread that starts them, so one thread starts them all and lives as long as the pool.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="qfuzz-jail-starter")
        self._free: queue.LifoQueue[Slot] = queue.LifoQueue()
        self._gate = Gate()
        self._slots = [Slot(self._starter, self._start, index) for index in range(jobs)]
        for slot in reversed(self._slots):
            self._free.put(slot)
        try:
            # Where one can be made the others can: they come up while the first one works.
            self._slots[0].jail()
        except JailError as error:
            self.close()
            raise explain_failure(str(error)) from None
        except BaseException:
            self.close()
            raise

    def _start(self, index: int, id_mapped: bool) -> Jail:
        jail = Jail(self._recipe(index, id_mapped))
        try:
            jail.wait_ready()
        except BaseException:
            jail.close()
            raise
        return jail

    def _recipe(self, index: int, id_mapped: bool) -> Recipe:
        if self.isolation == "none":
            if id_mapped:
                raise HostError("without a jail a reply can't change from one user to another")
            return BareRecipe(self.limits)
        kind = IdMappedRecipe if id_mapped else BubblewrapRecipe
        return kind(self.limits, find_interpreter(), index, self._shown, self.userland)

    def run(self, execution: Execution) -> Observation:
        """Runs it in a free jail.

        Raises HarnessError where two jails in a row failed to observe it, LaunchError where its program can't be
        executed.
        """
        with self._gate.shared():
            return self._run(execution)

    def run_alone(self, execution: Execution) -> Observation:
        """The same while no other execution of this pool is in flight."""
        with self._gate.exclusive():
            return self._run(execution)

    def watched(self, execution: Execution) -> Watched:
        """Runs it as `run` does, over a path of the user's own, and says what the path did."""
        with self._gate.shared():
            answer = self._answer(execution)
        return Watched(_observation(answer), answer.shells, answer.left, answer.early)

    def _run(self, execution: Execution) -> Observation:
        return _observation(self._answer(execution))

    def _answer(self, execution: Execution) -> Answer:
        slot = self._free.get()
        try:
            answer = self._ask(slot, execution)
        except FrameError as error:
            raise HarnessError(str(error)) from None
        finally:
            self._free.put(slot)
        if answer.status is None:
            raise _not_run(execution, answer)
        return answer

    def _ask(self, slot: Slot, execution: Execution) -> Answer:
        own = execution.launch.own
        seconds = execution.timeout_seconds + (own.ready_seconds if own is not None else 0.0)
        failures = []
        for _ in range(_ATTEMPTS):
            try:
                jail = slot.jail(execution.launch.id_mapped)
                answer = jail.run(pack_request(execution, jail.side_files), seconds)
            except JailError as error:
                failures.append(str(error))
                slot.replace(execution.launch.id_mapped)
                continue
            except BaseException:
                # Interrupted with a run in flight: this jail's next answer would be the old one.
                slot.replace(execution.launch.id_mapped)
                raise
            if answer.spent:
                slot.replace(execution.launch.id_mapped)
            return answer
        raise HarnessError("two jails failed to run this reply", hint="; ".join(failures))

    @property
    def shown(self) -> tuple[str, ...]:
        """The paths of the folders of the host that replies see, besides the system's."""
        return tuple(each.path for each in self._shown)

    @property
    def work_directory(self) -> str | None:
        """Where replies are started in every jail; None where each has a directory of its own."""
        return None if self.isolation == "none" else work_directory(self._shown)

    @functools.cached_property
    def versions(self) -> Mapping[str, str]:
        """Versions of the programs and the kernel that determine observations, read where replies run."""
        own = {"bubblewrap": bubblewrap_version()} if self.isolation == "bwrap" else {}
        return MappingProxyType({**own, **read_versions(self.run)})

    def close(self) -> None:
        """Ends all jails; runs in flight fail with HarnessError."""
        for slot in self._slots:
            slot.close()
        self._starter.shutdown(wait=True, cancel_futures=True)
        # Those that were being started meanwhile.
        for slot in self._slots:
            slot.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _observation(answer: Answer) -> Observation:
    assert answer.status is not None, "what did not run is no observation"
    return Observation(
        status=answer.status,
        stdout=answer.stdout,
        stderr=answer.stderr,
        tree=answer.tree,
        git=None if answer.git is None else read_git_state(answer.git),
        seconds=answer.seconds,
        arrived=answer.arrived,
        limit=answer.limit,
    )


def _not_run(execution: Execution, answer: Answer) -> HarnessError:
    if not answer.served:
        own = execution.launch.own
        return PathError(answer.error, where=own.transport if own is not None else "")
    if answer.laid:
        program = execution.launch.executable.decode("utf-8", "backslashreplace")
        return LaunchError(f"{program} can't be executed ({answer.error})", answer.errno)
    return HarnessError(f"the fixture can't be laid ({answer.error})")
