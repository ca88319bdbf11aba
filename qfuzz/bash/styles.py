"""Whole quoting styles: the same program with its texts spelled in one way or another.

A style binds named texts to Bash words. Some styles need statements ahead of the command (a here-document read into a
variable); they return them as the prelude.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qfuzz.bash import quote

Texts = Mapping[str, bytes]
Words = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Bound:
    """`prelude` holds complete statements, each ended by a newline; `words` has a Bash word for each name."""

    prelude: bytes
    words: Words


Style = Callable[[Texts], Bound]


def _inline(write: Callable[[bytes], bytes]) -> Style:
    return lambda texts: Bound(b"", {name: write(text) for name, text in texts.items()})


def _in_variables(assign: Callable[[bytes, bytes], bytes]) -> Style:
    def bind(texts: Texts) -> Bound:
        prelude = b"".join(assign(name.encode("ascii"), text) for name, text in texts.items())
        return Bound(prelude, {name: b'"$%s"' % name.encode("ascii") for name in texts})

    return bind


def _read_heredoc(name: bytes, text: bytes) -> bytes:
    # read stops at end of file with status 1, which is no failure here; the newline that the body needs is taken off.
    body = quote.heredoc(b"IFS= read -r -d '' %s" % name, text + b"\n")
    return body + b"%s=${%s%%$'\\n'}\n" % (name, name)


def _printf_b(name: bytes, text: bytes) -> bytes:
    return b"printf -v %s %%b %s\n" % (name, quote.percent_b(text))


STYLES: Mapping[str, Style] = {
    "single": _inline(quote.single),
    "double": _inline(quote.double),
    "ansi-c": _inline(quote.ansi_c),
    "backslash": _inline(quote.backslash),
    "heredoc": _in_variables(_read_heredoc),
    "printf-b": _in_variables(_printf_b),
}
"""Style name to style; the first is the plain default. Names of texts must be variable names, none that Bash uses."""


def spell(program: Callable[[Words], bytes], texts: Texts) -> dict[str, bytes]:
    """`program` in every style: style name to the whole text."""
    spelled = {}
    for name, style in STYLES.items():
        bound = style(texts)
        spelled[name] = bound.prelude + program(bound.words)
    return spelled


def spell_nested(
    outer: Callable[[Words], bytes], inner: Callable[[Words], bytes], texts: Texts, command: str = "command"
) -> dict[str, bytes]:
    """As `spell` for a program inside a program: `inner` is spelled first and is the text `command` of `outer`."""
    spelled = {}
    for name, style in STYLES.items():
        within = style(texts)
        around = style({command: within.prelude + inner(within.words)})
        spelled[name] = around.prelude + outer(around.words)
    return spelled


def python3(code: str) -> bytes:
    """A Bash command that runs `code` with python3."""
    return b"python3 -c " + quote.single(code.encode("utf-8"))
