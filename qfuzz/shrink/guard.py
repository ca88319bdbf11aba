"""What is never proposed: programs that a cut would invent, and programs that Bash would not start.

A reducer that may cut anything ends at programs that have nothing to do with the reply: `./record-env` cut to `env`,
`&&` cut to `&`, two file names cut to the same one. They differ over the boundary too, but explain nothing, and many do
not do the same thing twice. So a candidate is refused, without asking the predicate, if it has one of these and the
original has not:

- a word where Bash runs it: as the name of a command, or after a command that runs its arguments (`env`, `xargs`);
- a head of a substitution, in quotes or out of them, for the boundary may unquote it: the word after `$(`, backtick,
  `<(`, `>(`;
- a control operator `&`, `|`, `|&`, `&&` or `||`, or more of one kind; more redirections;
- a file that it redirects and names in a second place;
- a parameter whose value differs from run to run (`$$`, `$RANDOM` and others);
- a part that is certain to be a syntax error where nothing is embedded.

It is a check of the text. What a second shell makes of data (`./onhost h 'rm x'`) it sees only as far as substitutions
go.
"""

from __future__ import annotations

import re
from collections import Counter

from qfuzz.bash.parse_outline import Outline, Role
from qfuzz.bash.parse_reader import outline

_HEAD = re.compile(rb"(?:\$\(|`|[<>]\()[ \t\n]*([\w./-]*)")
_VARYING = re.compile(rb"\$\{?(?:\$|(?:BASHPID|EPOCHREALTIME|EPOCHSECONDS|PPID|RANDOM|SECONDS|SRANDOM)\b)")
_JOINING = (b"&", b"|", b"|&", b"&&", b"||")
_TEXT_OPERATORS = (b"<<", b"<<-", b"<<<")
"""Redirections from the program's own text; all others name files or descriptors."""


class Guard:
    """Knows one original; `admits` says whether a candidate may be proposed in its place. It admits the original."""

    def __init__(self, original: bytes) -> None:
        found = outline(original)
        self._heads = _heads(original)
        self._varying = set(_VARYING.findall(original))
        self._broken = found.broken
        self._commands = _commands(found)
        self._joining = _joining(found)
        self._redirections = len(found.redirections)
        self._shared = _shared_files(found)

    def admits(self, candidate: bytes) -> bool:
        if not (_heads(candidate) <= self._heads and self._varying.issuperset(_VARYING.findall(candidate))):
            return False
        found = outline(candidate)
        return (
            found.broken <= self._broken
            and _commands(found) <= self._commands
            and _joining(found) <= self._joining
            and len(found.redirections) <= self._redirections
            and _shared_files(found) <= self._shared
        )


def _heads(program: bytes) -> set[bytes]:
    return set(_HEAD.findall(program)) - {b""}


def _commands(found: Outline) -> set[bytes]:
    return {word.value for word in found.words if word.role is Role.COMMAND}


def _joining(found: Outline) -> Counter[bytes]:
    return Counter(each.text for each in found.operators if each.text in _JOINING)


def _shared_files(found: Outline) -> set[bytes]:
    """Names of redirected files that stand in the program more than once: what reads and what writes them may race."""
    ends = {each.end for each in found.redirections if each.operator not in _TEXT_OPERATORS}
    files = [word.value for word in found.words if word.role is Role.OPERAND and word.end in ends]
    if not files:
        return set()
    counts = Counter(word.value for word in found.words)
    return {name for name in files if counts[name] > 1}
