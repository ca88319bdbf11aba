"""Differences from a direct run that a boundary declares, though every byte of the text arrives over it."""

from __future__ import annotations

import enum


class Declared(enum.Enum):
    """An exception that is told from two observations; its value is how it is called for a reader."""

    NAME = "the name of the script, which $0 and messages of bash give"
    """`bash: line 1:` under `bash -c`, `FILE: line 1:` in a script: a reply with `2>&1` prints it."""
    ENDED = "the status of an error that ends the shell, 127 under bash -c"
    """What ends a shell that is not interactive: `${x:?}`, an unset variable under `set -u`, in POSIX mode an
    assignment to a readonly one. Source: Bash 5.2, where parse_and_execute makes 127 of it and a script's reader 1."""
