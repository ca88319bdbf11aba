"""The simple commands of a program: name and words, and whether the shell's own input is theirs too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qfuzz.bash.scan import Scan, Token, TokenKind

_INPUTS = frozenset((b"<", b"<<", b"<<-", b"<<<", b"<>", b"<&"))
_PIPES = frozenset((b"|", b"|&"))
_REDIRECTIONS = _INPUTS | {b">", b">>", b">&", b">|", b"&>", b"&>>"}


@dataclass(frozen=True, slots=True)
class Command:
    """`words`: the name first, then what follows it; targets of redirections are none.

    `is_fed`: it stands behind a pipe, or its input is redirected.
    """

    words: tuple[Token, ...]
    is_fed: bool


def commands_of(program: bytes, scan: Scan) -> Iterator[Command]:
    """The simple commands in the order of the program, substitutions' own included."""
    by_frame: dict[int, list[Token]] = {}
    for token in sorted(scan.tokens, key=lambda token: token.start):
        by_frame.setdefault(token.frame, []).append(token)
    found = [command for tokens in by_frame.values() for command in _of_frame(program, tokens)]
    return iter(sorted(found, key=lambda command: command.words[0].start))


def _of_frame(program: bytes, tokens: list[Token]) -> Iterator[Command]:
    words: list[Token] = []
    is_fed = behind_pipe = is_target = False
    for token in tokens:
        text = program[token.start : token.end].replace(b"\\\n", b"")
        is_operator = token.kind is TokenKind.OPERATOR
        # A name ends the command before it as well: the newline between them is no token.
        if words and (token.kind is TokenKind.NAME or (is_operator and text not in _REDIRECTIONS)):
            yield Command(tuple(words), is_fed or behind_pipe)
            words, is_fed, behind_pipe = [], False, False
        if not is_operator:
            if token.kind is TokenKind.NAME or (token.kind is TokenKind.WORD and words and not is_target):
                words.append(token)
            is_target = False
        elif text in _REDIRECTIONS:
            is_fed = is_fed or text in _INPUTS
            is_target = text not in (b"<<", b"<<-")
        else:
            is_fed = False
            behind_pipe = text in _PIPES
    if words:
        yield Command(tuple(words), is_fed or behind_pipe)
