"""What a program on standard input loses: commands that read the same input take the rest of the program.

Which commands read their input can't be known from text, only guessed from common names; so this layer is the one whose
silence promises least.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qfuzz.bash.scan import Scan, Token, TokenKind
from qfuzz.lint.commands import Command, commands_of
from qfuzz.lint.findings import Mark

_ALWAYS = 1 << 30
_READS_BELOW_OPERANDS: Mapping[bytes, int] = {
    **dict.fromkeys((b"read", b"mapfile", b"readarray", b"ssh", b"tee", b"tr", b"xargs", b"ffmpeg"), _ALWAYS),
    **dict.fromkeys(
        (b"cat", b"sort", b"wc", b"uniq", b"tac", b"rev", b"nl", b"head", b"tail", b"paste", b"cut", b"fold", b"od"), 1
    ),
    **dict.fromkeys(
        (b"base64", b"md5sum", b"sha256sum", b"xxd", b"bash", b"sh", b"dash", b"python3", b"perl", b"bc"), 1
    ),
    **dict.fromkeys((b"grep", b"sed", b"awk", b"jq"), 2),
}
"""How many operands keep a command from reading its standard input, as POSIX or its own manual says."""


def input_marks(program: bytes, scan: Scan) -> Iterator[Mark]:
    """Names of commands that read standard input where nothing else is their input."""
    rule = "reads the standard input, on which the rest of the program stands"
    for command in commands_of(program, scan):
        name = command.words[0]
        if _reads(program, command) and name.end < len(program.rstrip()):
            yield Mark(name.start, name.end, "stdin/reader", rule)


def _reads(program: bytes, command: Command) -> bool:
    if command.is_fed:
        return False
    operands = sum(not _text(program, word).startswith(b"-") for word in command.words[1:])
    return operands < _READS_BELOW_OPERANDS.get(_text(program, command.words[0]), 0)


def _text(program: bytes, token: Token) -> bytes:
    assert token.kind is not TokenKind.OPERATOR, token
    return program[token.start : token.end]
