"""Reading what a reply left: bounded in depth, paths and bytes, never following, never blocking."""

from __future__ import annotations

import os
import stat
import struct

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

META = struct.Struct("<BHB")
"""Kind, permission bits, and 1 where the content is not the whole file."""

FILE, DIR, SYMLINK, FIFO, SOCKET, OTHER = range(6)

_KINDS = {
    stat.S_IFREG: FILE,
    stat.S_IFDIR: DIR,
    stat.S_IFLNK: SYMLINK,
    stat.S_IFIFO: FIFO,
    stat.S_IFSOCK: SOCKET,
}

GIT_NAME = ".git"


def is_directory(parent: int, name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except OSError:
        return False


class TreeReader:
    """Reads one directory tree into three parallel lists: relative paths, packed META, contents.

    Names are taken in byte order and depth first, so that what a bound cuts off does not depend on the file system.
    `skip` is a directory of the root that is named as an entry and not entered.
    """

    def __init__(self, paths: int, depth: int, total_bytes: int, file_bytes: int) -> None:
        self.paths: list[bytes] = []
        self.metas: list[bytes] = []
        self.contents: list[bytes] = []
        self.truncated = False
        self._paths_left = paths
        self._bytes_left = total_bytes
        self._depth = depth
        self._file_bytes = file_bytes

    def read(self, root: int, skip: str = "") -> None:
        names = self._names(root)
        if names:
            self._read_level(root, b"", names, skip)

    def read_below(self, parent: int, name: str) -> None:
        """Reads the directory `name` of `parent`."""
        fd = self._open_directory(parent, name)
        if fd >= 0:
            try:
                self.read(fd)
            finally:
                os.close(fd)

    def _read_level(self, fd: int, prefix: bytes, names: list[str], skip: str) -> None:
        stack = [(fd, prefix, iter(names))]
        try:
            while stack:
                fd, prefix, rest = stack[-1]
                name = next(rest, None)
                if name is None:
                    stack.pop()
                    if stack:
                        os.close(fd)
                    continue
                if not self._paths_left:
                    self.truncated = True
                    return
                self._paths_left -= 1
                path = prefix + os.fsencode(name)
                if not self._entry(fd, name, path) or (len(stack) == 1 and name == skip):
                    continue
                if len(stack) > self._depth:
                    self.truncated = True
                    continue
                child = self._open_directory(fd, name)
                if child >= 0:
                    stack.append((child, path + b"/", iter(self._names(child))))
        finally:
            for fd, _, _ in stack[1:]:
                os.close(fd)

    def _names(self, fd: int) -> list[str]:
        try:
            names = os.listdir(fd)
        except OSError:
            self.truncated = True
            return []
        if len(names) > 1:
            names.sort(key=os.fsencode)
        return names

    def _open_directory(self, parent: int, name: str) -> int:
        try:
            return os.open(name, _DIRECTORY, dir_fd=parent)
        except PermissionError:
            # Only without capabilities; the mode is recorded already, and nothing else runs.
            os.chmod(name, 0o700, dir_fd=parent)
            return os.open(name, _DIRECTORY, dir_fd=parent)
        except OSError:
            self.truncated = True
            return -1

    def _entry(self, parent: int, name: str, path: bytes) -> bool:
        """Records one entry; whether it is a directory."""
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), OTHER)
        mode = stat.S_IMODE(status.st_mode)
        content, cut = b"", False
        if kind == FILE:
            content, cut = self._content(parent, name, status.st_size)
        elif kind == SYMLINK:
            content, mode = os.fsencode(os.readlink(name, dir_fd=parent)), 0
            self._bytes_left -= len(content)
        self.paths.append(path)
        self.metas.append(META.pack(kind, mode, cut))
        self.contents.append(content)
        return kind == DIR

    def _content(self, parent: int, name: str, size: int) -> tuple[bytes, bool]:
        wanted = min(size, self._file_bytes, max(self._bytes_left, 0))
        if not wanted:
            return b"", size > 0
        try:
            fd = os.open(name, _FILE, dir_fd=parent)
        except PermissionError:
            os.chmod(name, 0o600, dir_fd=parent)
            fd = os.open(name, _FILE, dir_fd=parent)
        try:
            content = os.read(fd, wanted)
            while len(content) < wanted:
                more = os.read(fd, wanted - len(content))
                if not more:
                    break
                content += more
        finally:
            os.close(fd)
        self._bytes_left -= len(content)
        return content, size > len(content)
