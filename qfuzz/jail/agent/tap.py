"""Seeing the text that reached the last shell, by stand-ins for the shells that stand first in PATH.

A stand-in notes its process, its parent and its arguments, and becomes the shell. The shells of a chain are told from
those that a program on the way starts for itself by descent and by their pipes: a command or process substitution is
a child too, but its parent holds the other end of its input or output.
"""

from __future__ import annotations

import os

from . import files

NAMES = ("bash", "sh", "dash", "zsh", "ksh", "mksh", "yash", "fish")
_LEFT = "_QFUZZ_SHELLS_LEFT"
_MAX_RECORDS = 1_000
_MAX_RECORD_BYTES = 8 << 20

_STAND_IN = r"""#!/bin/bash
_qfuzz_parent_holds() {
    ((PPID == @AGENT@)) && return 1
    # sshd holds the other ends of every command's pipes.
    [[ $_qfuzz_parent == sshd* ]] && return 1
    [[ /proc/$$/fd/$1 -ef /proc/$PPID/fd/$1 ]] && return 1
    local descriptor
    for descriptor in /proc/$PPID/fd/*; do
        [[ $descriptor -ef /proc/$$/fd/$1 ]] && return 0
    done
    return 1
}
_qfuzz_is_substitution() {
    local pause
    # While it sets up a pipeline, a shell holds the pipes of it for a moment.
    for pause in 0.01 0.05 0.1; do
        _qfuzz_parent_holds 0 || _qfuzz_parent_holds 1 || return 1
        /bin/sleep $pause
    done
    return 0
}
read -r _qfuzz_parent < /proc/$PPID/comm
if ! _qfuzz_is_substitution; then
    builtin printf '%s\0' "$EPOCHREALTIME" "$PPID" "$#" "$@" >> @LOG@/$$
    if [[ $@LEFT@ ]]; then
        ((--@LEFT@)) || builtin exit 0
    fi
elif [[ $@LEFT@ ]]; then
    builtin exit 0
fi
exec -a @NAME@ /bin/@NAME@ "$@"
"""


class _Record:
    """One start of a shell: when (in microseconds), which process, its parent, its arguments."""

    def __init__(self, when: int, pid: int, parent: int, arguments: list[bytes]) -> None:
        self.when = when
        self.pid = pid
        self.parent = parent
        self.arguments = arguments


class Tap:
    """Stand-ins in a directory that is wiped after the run.

    `path` is how replies call the directory, `agent` how they call the agent (0: they can't see it), `adopter` the
    process that is the parent of their orphans.
    """

    def __init__(self, directory: int, path: str, agent: int, adopter: int) -> None:
        self._directory = directory
        self._adopter = adopter
        self._text = _STAND_IN.replace("@LOG@", f"{path}/log").replace("@AGENT@", str(agent)).replace("@LEFT@", _LEFT)
        self._search_path = f"{path}/bin".encode()

    def variables(self, search_path: bytes, stop_after: int) -> dict[bytes, bytes]:
        """What leads shells to the stand-ins. With `stop_after`, the last of that many shells does not start."""
        found = {b"PATH": self._search_path + b":" + search_path}
        if stop_after:
            found[_LEFT.encode()] = str(stop_after).encode()
        return found

    def lay(self) -> None:
        files.lay_directories(self._directory, (b"bin", b"log"))
        for name in NAMES:
            if os.path.exists(f"/bin/{name}"):
                text = self._text.replace("@NAME@", name).encode()
                files.lay_file(self._directory, f"bin/{name}".encode(), text, 0o755)

    def arrived(self, first: int, inner_shells: int) -> bytes | None:
        """The program text of the last shell of a chain that begins in the process `first`; None where it is not seen.

        Each next shell is the earliest one after it that is the same process (a shell executes its last command in
        its own place), a child of it, or an orphan: whoever starts a shell in the background need not outlive it.
        """
        records = self._records()
        pid, when, text = first, 0, None
        for _ in range(inner_shells):
            following = [found for found in records if found.when > when and self._follows(found, pid)]
            if not following:
                return None
            record = min(following, key=lambda found: found.when)
            if len(record.arguments) < 2 or record.arguments[0] != b"-c":
                return None
            pid, when, text = record.pid, record.when, record.arguments[1]
        return text

    def _follows(self, found: _Record, pid: int) -> bool:
        return pid in (found.pid, found.parent) or found.parent == self._adopter

    def _records(self) -> list[_Record]:
        """What the stand-ins wrote; a reply can write there too, so anything else is passed over."""
        found: list[_Record] = []
        try:
            log = os.open("log", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._directory)
        except OSError:
            return found
        try:
            for name in sorted(os.listdir(log))[:_MAX_RECORDS]:
                found += _parse(name, _read(log, name))
        finally:
            os.close(log)
        return found


def _read(log: int, name: str) -> bytes:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=log)
    except OSError:
        return b""
    try:
        return os.read(fd, _MAX_RECORD_BYTES)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _parse(name: str, data: bytes) -> list[_Record]:
    found = []
    words = data.split(b"\0")[:-1]
    try:
        pid = int(name)
        while words:
            when, parent, count = int(words[0].replace(b".", b"")), int(words[1]), int(words[2])
            if not 0 <= count <= len(words) - 3:
                break
            found.append(_Record(when, pid, parent, words[3 : 3 + count]))
            del words[: 3 + count]
    except (ValueError, IndexError):
        pass
    return found
