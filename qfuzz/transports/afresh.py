"""What an armored program undoes before it begins, so that it finds what it would find directly."""

from __future__ import annotations

LEVEL = b"SHLVL=1"
"""For a shell inside of another one."""

SHELL = b"export -n SHELL"
"""Every bash has this variable; only a login exports it."""

TERM = b"export TERM=dumb"
"""For a terminal that says it is another."""

OLDPWD = b"unset OLDPWD; export OLDPWD"
"""Bash begins with this one exported and without a value."""


def afresh(program: bytes, *undone: bytes) -> bytes:
    """`program` after the commands `undone`, on one line with them, and with `$_` as a shell begins with it."""
    # The same line, so that LINENO stays what it was.
    return b"; ".join((*undone, b": /usr/bin/bash", program))
