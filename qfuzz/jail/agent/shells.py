"""Seeing every shell that starts on a path that nothing is known of, whether by name or by absolute path.

A stand-in is mounted over each shell of the system for the length of a run. It takes a number, notes its process and
its arguments in a file of that name, and becomes the shell, which is mounted elsewhere meanwhile. Without a jail
nothing can be mounted, and only shells that are looked up in PATH are seen.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from . import files, linux
from .tap import NAMES

_MOST = 1_000
_MOST_BYTES = 8 << 20

# -p: the path's own BASH_ENV and functions are for the shell alone.
_STAND_IN = r"""#!@REAL@/bash -p
_qfuzz_number=1
set -o noclobber
until { : > @LOG@/$_qfuzz_number; } 2> /dev/null; do
    ((++_qfuzz_number > @MOST@)) && exec -a "$0" @REAL@/@NAME@ "$@"
done
set +o noclobber
builtin printf '%s\0' $$ $# "$@" >> @LOG@/$_qfuzz_number
for _qfuzz_word; do
    [[ $_qfuzz_word == [-+]?* ]] && continue
    [[ -f $_qfuzz_word && $1 != -*c* ]] && @CAT@ -- "$_qfuzz_word" >> @LOG@/$_qfuzz_number
    break
done
((_qfuzz_number == @STOP@)) && builtin exit 0
exec -a "$0" @REAL@/@NAME@ "$@"
"""


class Started:
    """One shell: its process and the program that it was given, None where it reads that elsewhere."""

    def __init__(self, pid: int, text: bytes | None) -> None:
        self.pid = pid
        self.text = text


class Shells:
    """Stand-ins in a directory that is wiped after the run; `path` is how replies call it."""

    def __init__(self, directory: int, path: str, confined: bool) -> None:
        self._directory = directory
        self._path = path
        self._confined = confined
        self._found = _shells_of_the_system()
        self._mounted: list[str] = []

    def lay(self, environment: Mapping[bytes, bytes], stop_at: int) -> Mapping[bytes, bytes]:
        """Puts the stand-ins in place; the shell with the number `stop_at` (0: none) will not start.

        The environment that leads to them. `lift` must follow.
        """
        files.lay_directories(self._directory, (b"log", b"real", b"stand-in"))
        for name, shell in self._found.items():
            self._lay_one(name, shell, stop_at)
        if self._confined:
            return environment
        return {**environment, b"PATH": os.fsencode(f"{self._path}/stand-in:") + environment[b"PATH"]}

    def _lay_one(self, name: str, shell: str, stop_at: int) -> None:
        text = _STAND_IN.replace("@REAL@", f"{self._path}/real").replace("@LOG@", f"{self._path}/log")
        text = text.replace("@NAME@", name).replace("@STOP@", str(stop_at)).replace("@MOST@", str(_MOST))
        text = text.replace("@CAT@", "/bin/cat")
        files.lay_file(self._directory, f"stand-in/{name}".encode(), text.encode(), 0o755)
        real = f"{self._path}/real/{name}"
        if not self._confined:
            os.symlink(shell, f"real/{name}", dir_fd=self._directory)
            return
        files.lay_file(self._directory, f"real/{name}".encode(), b"", 0o755)
        for source, target in ((shell, real), (f"{self._path}/stand-in/{name}", shell)):
            linux.mount(source, target, "", linux.MS_BIND)
            self._mounted.append(target)

    def lift(self) -> None:
        """Takes the stand-ins away; raises OSError where one can't be."""
        while self._mounted:
            linux.umount(self._mounted.pop())

    def started(self) -> list[Started]:
        """The shells in the order in which they took their numbers, until the first that a reply made unreadable."""
        found: list[Started] = []
        try:
            log = os.open("log", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self._directory)
        except OSError:
            return found
        try:
            for number in range(1, _MOST + 1):
                one = _read(log, str(number))
                if one is None:
                    break
                found.append(one)
        finally:
            os.close(log)
        return found


def _shells_of_the_system() -> dict[str, str]:
    """The shells by the names of their files; a program that is more than a shell is left alone."""
    found = {}
    for name in NAMES:
        for folder in ("/usr/bin", "/bin"):
            real = os.path.realpath(f"{folder}/{name}")
            if os.path.isfile(real) and os.path.basename(real) in NAMES:
                found[os.path.basename(real)] = real
    return found if "bash" in found else {}


def _read(log: int, name: str) -> Started | None:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=log)
    except OSError:
        return None
    try:
        data = os.read(fd, _MOST_BYTES)
    except OSError:
        return None
    finally:
        os.close(fd)
    try:
        pid, count, rest = data.split(b"\0", 2)
        words = rest.split(b"\0", int(count))
        if len(words) != int(count) + 1:
            return None
        return Started(int(pid), program_text(words[:-1], words[-1]))
    except ValueError:
        return None


def program_text(arguments: list[bytes], script: bytes) -> bytes | None:
    """The program that a shell is given by its arguments; `script` is the content of the file that they name, if any.

    Bash Reference Manual, Invoking Bash: with `-c` the first argument that is no option is the program.
    """
    index, is_command = 0, False
    while index < len(arguments):
        word = arguments[index]
        if word in (b"-", b"--"):
            index += 1
            break
        if word.startswith(b"--"):
            index += 2 if word in (b"--rcfile", b"--init-file") else 1
        elif len(word) > 1 and word[:1] in (b"-", b"+"):
            is_command |= word.startswith(b"-") and b"c" in word
            index += 1 + word.count(b"o") + word.count(b"O")
        else:
            break
    if is_command:
        return arguments[index] if index < len(arguments) else None
    return script or None
