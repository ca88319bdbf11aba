"""The errors that a user can meet. Each one is a single line: what, where, what to do."""

from __future__ import annotations

from qfuzz.model.text import one_line

MAX_LINE = 1000
"""The longest message in characters; names that a file makes up may be longer."""


class QfuzzError(Exception):
    """Base of every expected error.

    `where` is a place a reader can open (`file:line`, an option, a path) or empty; `hint` says what to do next or is
    empty. `exit_status` is what the command line returns: 2 for usage and environment.
    """

    exit_status = 2

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        hint = f"; {self.hint}" if self.hint else ""
        return one_line(f"{where}{self.what}{hint}", MAX_LINE)


class InputError(QfuzzError):
    """A file or value that somebody gave is not what the format says."""


class UsageError(QfuzzError):
    """An unknown name or a combination of options that makes no sense."""


class HostError(QfuzzError):
    """The machine lacks something: a program, a permission, a kernel feature. `hint` holds the exact remedy."""


class StoreError(QfuzzError):
    """The database can't be opened, is not ours, or can't be written."""


class HarnessError(QfuzzError):
    """An execution could not be observed, through no fault of the reply: never a result, never stored as one."""


class PathError(HarnessError):
    """A path of the user's own failed instead of carrying this reply; `where` names the path."""
