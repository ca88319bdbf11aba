"""From the name of a function, a program or an adapter to what asks it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from qfuzz.escape.command import CommandWorker
from qfuzz.escape.faults import TargetError
from qfuzz.escape.worker import EscapeWorker
from qfuzz.model.errors import HostError, UsageError

ADAPTERS_FOLDER = Path(__file__).parent / "adapters"

NODE_FOLDER = Path(sys.prefix) / "node"
"""Where packages from npm are that a working directory has not: in the virtual environment."""


LACK_SECONDS = 20.0
"""How long an interpreter may take to start, where it is only looked whether it does."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """A program that speaks for an escaping function of another language.

    `interpreter` runs the file of that name in adapters/, with `arguments`; `package` is Debian's for the interpreter
    and what the file needs. `module` is what the file loads: a package of npm, or a file that Perl has on its path.
    `source` is what npm is asked for, where it is not the module.
    """

    name: str
    interpreter: str
    file: str
    package: str
    arguments: tuple[str, ...] = ()
    module: str = ""
    source: str = ""

    def command(self) -> list[str]:
        """What to start; raises HostError where something is missing."""
        if shutil.which(self.interpreter) is None:
            raise HostError(f"{self.interpreter} is missing", where=self.name, hint=f"apt-get install {self.package}")
        return [self.interpreter, str(ADAPTERS_FOLDER / self.file), *self.arguments]


def _npm(module: str, file: str, *more: str, name: str = "", source: str = "") -> Adapter:
    return Adapter(f"npm:{name or module}", "node", file, "nodejs", (module, str(NODE_FOLDER), *more), module, source)


ADAPTERS = {
    adapter.name: adapter
    for adapter in (
        _npm("shell-quote", "shell-quote.js"),
        # Before CVE-2021-42740 was mended.
        _npm("shell-quote-1.7.2", "shell-quote.js", source="shell-quote-1.7.2@npm:shell-quote@1.7.2"),
        _npm("shell-escape", "shell-escape.js"),
        _npm("shescape", "shescape.js"),
        _npm("shescape", "shescape.js", "off", name="shescape/no-flag-protection"),
        Adapter("perl:String::ShellQuote", "perl", "string-shellquote.pl", "libstring-shellquote-perl"),
        Adapter("bash:printf-%q", "bash", "printf-q.bash", "bash"),
        Adapter("bash:@Q", "bash", "at-q.bash", "bash"),
    )
}


def lack(name: str) -> HostError | None:
    """What an adapter lacks on this machine, or None. It is started, and asked for one word."""
    adapter = ADAPTERS[name]
    try:
        worker = CommandWorker(name, adapter.command(), LACK_SECONDS)
    except HostError as error:
        return error
    try:
        (answer,) = worker.escape([b"a"])
    finally:
        worker.close()
    if isinstance(answer, bytes):
        return None
    how = f"apt-get install {adapter.package}"
    if adapter.module:
        how = f"npm install --prefix {NODE_FOLDER} {adapter.source or adapter.module}"
    return HostError(f"it {answer.detail}", hint=how)


def escaper(option: str, target: str, timeout_seconds: float) -> Callable[[], EscapeWorker | CommandWorker]:
    """Makes an asker of the target; its kind is named as the option of the command line that gives it.

    `timeout_seconds` is for one word. Raises UsageError for a program line that has no program or an open quote, and
    HostError for an adapter whose interpreter is missing.
    """
    if option == "--escape":
        return partial(EscapeWorker, target, timeout_seconds)
    assert option == "--escape-command", f"no kind of escaping function is called {option}"
    adapter = ADAPTERS.get(target)
    if adapter is not None:
        return partial(CommandWorker, target, adapter.command(), timeout_seconds)
    try:
        command = shlex.split(target)
    except ValueError as error:
        raise UsageError(f"{target!r} is no command ({error})", where=option) from None
    if not command:
        raise UsageError("names no program", where=option)
    if os.sep not in command[0] and shutil.which(command[0]) is None:
        known = f"adapters: {', '.join(ADAPTERS)}"
        raise TargetError("no such program, and no adapter", where=command[0], hint=known)
    return partial(CommandWorker, target, command, timeout_seconds)
