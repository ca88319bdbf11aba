"""Quoting contexts: for every byte of a Bash program, between which quotes and in which construct it stands.

The rules are those of Bash 5.2 as it reads a script or the argument of `bash -c`: not interactive, no aliases, and
`?( *( +( @( !(` taken for a pattern wherever they can't be anything else. A text that Bash would refuse has contexts
too: what it opens and never closes reaches to its end.

Text in backquotes is read as Bash reads it once the backslashes that backquotes need are taken away. Not followed:
`${ command; }` of Bash 5.3, which 5.2 refuses, and what only running shows: syntax that a `shopt` turns on or off, and
aliases, which `bash -c` does not expand unless a `shopt` tells it to.
"""

from __future__ import annotations

from qfuzz.bash.scan_machine import Machine
from qfuzz.bash.scan_program import ProgramState
from qfuzz.bash.scan_result import Context, Frame, Scan, Segment, Token, TokenKind

__all__ = ["Context", "Frame", "Scan", "Segment", "Token", "TokenKind", "contexts"]


def contexts(program: bytes) -> Scan:
    """The contexts of a program. Total over bytes and pure; nesting costs no stack.

    Time is linear in the length, times the depth of backquotes inside backquotes, which is at most its logarithm.
    """
    return Machine(program, ProgramState).scan()
