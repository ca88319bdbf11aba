"""The shells that read escaped words, one entry each: where it is, how it reads a script, and how to get it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from qfuzz.model.delivery import Launch, SideFile
from qfuzz.model.errors import HostError, UsageError

SCRIPT = b"/run/qfuzz/in/words"
_PATH = "/usr/bin:/bin"


@dataclass(frozen=True, slots=True)
class Shell:
    """`program` is looked for in /usr/bin and /bin; `options` come before the script's path.

    `typed`: the script comes on standard input, as from somebody who types it. `package` is Debian's.
    """

    name: str
    program: str
    options: tuple[str, ...] = ()
    typed: bool = False
    package: str = ""

    def launch(self, script: bytes) -> Launch:
        """Starts it on a script; raises HostError where it is missing."""
        words = (self.program, *self.options)
        argv = tuple(word.encode() for word in words)
        executable = self.path().encode()
        if self.typed:
            return Launch(executable, argv, script, stdin=script, shell=self.program)
        return Launch(executable, (*argv, SCRIPT), script, files=(SideFile(SCRIPT, script),), shell=self.program)

    def path(self) -> str:
        path = shutil.which(self.program, path=_PATH)
        if path is None:
            raise HostError(f"the shell {self.name} is not here", hint=f"apt-get install {self.package}")
        return path


SHELLS = {
    shell.name: shell
    for shell in (
        Shell("bash", "bash", ("--norc", "--noprofile"), package="bash"),
        # Interactive, and so with history expansion, though no terminal is there.
        Shell("bash-interactive", "bash", ("--norc", "--noprofile", "-i"), package="bash"),
        Shell("dash", "dash", package="dash"),
        Shell("zsh", "zsh", ("-f",), package="zsh"),
        # It expands history in what it is typed only.
        Shell("zsh-interactive", "zsh", ("-f", "-i"), typed=True, package="zsh"),
        Shell("busybox", "busybox", ("sh",), package="busybox"),
        Shell("ksh", "ksh", package="ksh93u+m"),
        Shell("mksh", "mksh", package="mksh"),
        Shell("yash", "yash", ("--norcfile",), package="yash"),
        Shell("fish", "fish", ("--no-config",), package="fish"),
    )
}


def shell_named(name: str) -> Shell:
    """The shell of that name, which is on this machine. Raises UsageError for an unknown name, HostError otherwise."""
    shell = SHELLS.get("busybox" if name == "busybox sh" else name)
    if shell is None:
        raise UsageError(f"there is no shell {name!r}", where="--shell", hint=f"one of {', '.join(SHELLS)}")
    shell.path()
    return shell
