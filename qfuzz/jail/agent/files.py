"""Laying files, wiping directories. Nothing here follows a link or trusts a name, a mode or a depth."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Sequence

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_UMASKED = 0o022


def lay_file(root: int, path: bytes, content: bytes, mode: int) -> None:
    """Creates one file; the umask must be 022. Raises OSError, for example where the path is taken."""
    fd = os.open(path, _CREATE, mode, dir_fd=root)
    try:
        if content:
            _write_all(fd, content)
        if mode & ~0o777 or mode & _UMASKED:
            os.fchmod(fd, mode)
    finally:
        os.close(fd)


def _write_all(fd: int, content: bytes) -> None:
    written = os.write(fd, content)
    while written < len(content):
        written += os.write(fd, content[written:])


def lay_directories(root: int, paths: Iterable[bytes]) -> None:
    """Creates directories; a parent must come before its children."""
    for path in paths:
        os.mkdir(path, 0o755, dir_fd=root)


def lay_symlinks(root: int, paths: Sequence[bytes], targets: Sequence[bytes]) -> None:
    for path, target in zip(paths, targets):
        os.symlink(target, path, dir_fd=root)


def lay_side_file(root: int, path: bytes, content: bytes, mode: int) -> None:
    """Creates one file and the directories that lead to it."""
    parts = path.split(b"/")
    for depth in range(1, len(parts)):
        try:
            os.mkdir(b"/".join(parts[:depth]), 0o755, dir_fd=root)
        except FileExistsError:
            continue
    lay_file(root, path, content, mode)


def remove(path: str) -> None:
    """Removes a file or an empty directory."""
    try:
        os.rmdir(path)
    except NotADirectoryError:
        os.unlink(path)


def wipe(root: int, spared: Collection[str] = ()) -> None:
    """Empties a directory, whatever is in it, but for the names that are `spared`.

    Directories are moved up to the root and emptied there one by one, so depth costs neither descriptors nor path
    length. Permissions are widened where they are in the way, as they are for an agent without capabilities.
    """
    names = [name for name in os.listdir(root) if name not in spared]
    if not names:
        return
    serial = 0
    while names:
        for name in names:
            if _unlink(root, name):
                continue
            try:
                os.rmdir(name, dir_fd=root)
            except OSError:
                serial = _empty_one_level(root, name, serial)
                os.rmdir(name, dir_fd=root)
        names = [name for name in os.listdir(root) if name not in spared]


def _unlink(parent: int, name: str) -> bool:
    """False for a directory."""
    try:
        os.unlink(name, dir_fd=parent)
    except IsADirectoryError:
        return False
    except PermissionError:
        if stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            return False
        raise
    return True


def _empty_one_level(root: int, name: str, serial: int) -> int:
    """Unlinks the files of `root/name` and moves its directories to `root`; returns the next free serial number."""
    os.chmod(name, 0o700, dir_fd=root)
    fd = os.open(name, _DIRECTORY, dir_fd=root)
    try:
        for child in os.listdir(fd):
            if _unlink(fd, child):
                continue
            try:
                os.rmdir(child, dir_fd=fd)
                continue
            except OSError:
                os.chmod(child, 0o700, dir_fd=fd)
            while True:
                serial += 1
                moved = f"wipe-{serial}"
                try:
                    os.rename(child, moved, src_dir_fd=fd, dst_dir_fd=root)
                    break
                except OSError:
                    # A reply left something of that name.
                    if not _exists(root, moved):
                        raise
    finally:
        os.close(fd)
    return serial


def _exists(parent: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
