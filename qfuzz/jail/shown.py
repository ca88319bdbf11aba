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

MAX_ENTRIES = 1_000_000
"""As many files below a folder are looked at; where there are more, it is not shown."""


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
    could not enter, what would hide a part of the jail, and where a socket or FIFO lies anywhere below. That is looked
    for now: what is made there later is not seen.
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
        _refuse_doors(folder)
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


def _refuse_doors(top: str) -> None:
    """Raises UsageError where a Unix socket or FIFO is below `top`, or could be unseen.

    A mount that is read-only stops nobody from connecting to a socket or writing into a FIFO, whose other end is a
    process of the host. Links are not followed: they lead to where the jail shows something itself, or nowhere. Devices
    can't be opened on such a mount.
    """
    looked_at = 0
    folders = [top]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    looked_at += 1
                    if looked_at > MAX_ENTRIES:
                        raise UsageError(
                            f"can't be shown to a jail: it holds more than {MAX_ENTRIES} files, too many to look for "
                            "sockets and FIFOs among them",
                            where=top,
                            hint="show folders below it",
                        )
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif not (entry.is_symlink() or entry.is_file(follow_symlinks=False)):
                        _refuse_door(top, entry)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            # Whoever may pass through a folder without listing it can still open what he knows the name of.
            if isinstance(error, PermissionError) and not os.access(folder, os.X_OK):
                continue
            raise UsageError(
                f"can't be shown to a jail: {folder} could not be searched for sockets and FIFOs ({error.strerror})",
                where=top,
            ) from None


def _refuse_door(top: str, entry: os.DirEntry[str]) -> None:
    mode = entry.stat(follow_symlinks=False).st_mode
    what = "a socket" if stat.S_ISSOCK(mode) else "a FIFO" if stat.S_ISFIFO(mode) else ""
    if what:
        raise UsageError(
            f"can't be shown to a jail: {entry.path} is {what}, by which a reply could reach a process of this machine",
            where=top,
            hint="remove it, or show folders without it",
        )


def _within(path: str, tops: Iterable[str]) -> bool:
    """Whether a path is one of `tops` or below it."""
    return any(path == top or path.startswith(top.rstrip("/") + "/") for top in tops)
