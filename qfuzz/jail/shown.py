"""Folders of the host that a jail shows read-only, at the paths that they have on the host.

A virtual environment works nowhere else: its links and the first lines of its scripts hold absolute paths. Two kinds of
path need care. Those below a place that replies can write (`/tmp`, their home) are mounted into it again after it was
made, below a read-only folder that wiping spares; and where a folder lies below the usual work directory, the jail has
another one, for nothing may be added to what is judged.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from qfuzz.jail.environment import HOME, WORK
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import UsageError

STAGE = "/run/qfuzz/shown"
"""Where bubblewrap puts them; the agent moves them to their places."""

_SHOWN_ALREADY = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_CLOSED = ("/proc", "/dev", "/sys", "/run/qfuzz")
_OWN = (*_CLOSED, "/etc", "/var/tmp", "/tmp", HOME, "/usr")
_WRITABLE = (HOME, "/tmp")


@dataclass(frozen=True, slots=True)
class Shown:
    """One folder. `cover` is the path that hides it from wiping: in a writable place, the topmost folder on the way."""

    path: str
    place: str = ""

    @property
    def cover(self) -> str:
        return os.path.join(self.place, PurePosixPath(self.path).relative_to(self.place).parts[0]) if self.place else ""


def shown_folders(folders: Iterable[Path], *, by_root: bool) -> tuple[Shown, ...]:
    """The folders to show, sorted, without those that are visible anyhow.

    `by_root`: qfuzz runs as root, and the jail as somebody else. Raises UsageError for what is no folder, what the jail
    could not enter, and what would hide a part of the jail.
    """
    found: dict[str, Shown] = {}
    wanted = {os.path.abspath(folder) for folder in folders}
    for folder in sorted(wanted):
        # A link in another folder that is shown: it leads to where it leads on the host.
        if any(_within(folder, (other,)) for other in wanted - {folder}):
            wanted = wanted - {folder} | {os.path.realpath(folder)}
    for folder in sorted(wanted):
        _check(folder, by_root)
        if _within(folder, (*_SHOWN_ALREADY, *found)):
            continue
        found[folder] = Shown(folder, next((place for place in _WRITABLE if _within(folder, (place,))), ""))
    return tuple(found.values())


def work_directory(shown: Sequence[Shown]) -> str:
    """WORK, or a path of its own where a shown folder is there."""
    path = WORK
    while any(_within(each.path, (path,)) for each in shown):
        path += "-"
    return path


def stage(index: int) -> str:
    """Where the agent finds the folder with this number."""
    return f"{STAGE}/{index}"


def for_agent(shown: Sequence[Shown]) -> JsonValue:
    """What the agent is told of them."""
    return [{"stage": stage(index), "path": each.path, "cover": each.cover} for index, each in enumerate(shown)]


def spared(shown: Sequence[Shown], place: str) -> JsonValue:
    """The names in a writable place that wiping must leave alone."""
    return sorted({os.path.basename(each.cover) for each in shown if each.place == place})


def _check(folder: str, by_root: bool) -> None:
    real = os.path.realpath(folder)
    for path in dict.fromkeys((folder, real)):
        if any(_within(own, (path,)) for own in _OWN) and path not in _SHOWN_ALREADY:
            raise UsageError("would hide a part of the jail", where=folder, hint="show a folder below it")
        if _within(path, _CLOSED):
            raise UsageError("can't be shown: a jail has its own", where=folder)
    try:
        mode = os.stat(folder).st_mode
    except OSError as error:
        raise UsageError(f"can't be shown to a jail ({error.strerror})", where=folder) from None
    if not stat.S_ISDIR(mode):
        raise UsageError("can't be shown to a jail: not a folder", where=folder)
    if mode & 0o005 != 0o005 if by_root else not os.access(folder, os.R_OK | os.X_OK):
        raise UsageError(
            "can't be shown to a jail: the user that replies run as may not read it",
            where=folder,
            hint=f"allow it: chmod o+rx {folder}",
        )


def _within(path: str, tops: Iterable[str]) -> bool:
    """Whether a path is one of `tops` or below it."""
    return any(path == top or path.startswith(top.rstrip("/") + "/") for top in tops)
