"""What dash, Debian's sh, does not know of Bash, or reads otherwise.

Sources: dash(1), POSIX.1-2024 XCU 2, and the Debian policy for scripts (10.4). Each rule has been seen to differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from qfuzz.bash.scan import Context, Frame, Scan, TokenKind
from qfuzz.lint.commands import commands_of
from qfuzz.lint.findings import Mark

_FRAMES: Mapping[Context, tuple[str, str]] = {
    Context.ANSI_C: ("ansi-c-quotes", "is a dollar before plain single quotes in sh"),
    Context.LOCALE: ("locale-quotes", "is a dollar before plain double quotes in sh"),
    Context.TEST: ("double-bracket", "is the name of a command that sh does not have"),
    Context.PROCESS_SUBSTITUTION: ("process-substitution", "is a syntax error in sh"),
    Context.ARRAY: ("array", "is a syntax error in sh, which has no arrays"),
    Context.SUBSCRIPT: ("array", "is no subscript in sh, which has no arrays"),
    Context.PATTERN: ("pattern-group", "is no pattern in sh"),
}
_OPERATORS: Mapping[bytes, tuple[str, str]] = {
    b"<<<": ("here-string", "is a syntax error in sh"),
    b"&>": ("redirect-both", "is `&` and a redirection in sh"),
    b"&>>": ("redirect-both", "is `&` and a redirection in sh"),
    b"|&": ("pipe-both", "is a syntax error in sh"),
    b";&": ("case-fall-through", "is a syntax error in sh"),
    b";;&": ("case-fall-through", "is a syntax error in sh"),
}
_KEYWORDS = frozenset(b"function select coproc time".split())
_BUILTINS = frozenset(
    b"source declare typeset let shopt mapfile readarray pushd popd dirs disown enable compgen complete builtin caller"
    b" bind help suspend logout history".split()
)
_SET_OPTIONS = frozenset(b"pipefail history posix braceexpand histexpand errtrace functrace physical hashall".split())
_PARAMETER = re.compile(rb"\$\{(?:!|[A-Za-z0-9_@*]+(?:\[|/|\^|,|@|:(?![-=+?])))")
_ARITHMETIC = re.compile(rb"\*\*|\+\+|--|,")
_BRACES = re.compile(rb"\{[^{}\s]*+\}")
_VARIABLE = re.compile(
    rb"\$\{?(?:RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|BASH[A-Z_]*|E?UID|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE"
    rb"|FUNCNAME|PIPESTATUS|DIRSTACK|GROUPS|SHLVL|REPLY)(?![A-Za-z0-9_])"
)
_ESCAPES = (Context.SINGLE, Context.DOUBLE, Context.ESCAPED)
_LITERAL = (Context.SINGLE, Context.HEREDOC_QUOTED, Context.COMMENT, Context.ESCAPED, Context.DELIMITER)


def dash_marks(program: bytes, scan: Scan) -> Iterator[Mark]:
    for frame in scan.frames[1:]:
        yield from _frame_marks(program, frame)
    yield from _token_marks(program, scan)
    yield from _builtin_marks(program, scan)
    for found in _VARIABLE.finditer(program):
        if scan.context(found.start()) not in _LITERAL and scan.context(found.start()) is not Context.ANSI_C:
            yield Mark(found.start(), found.end(), "sh/variable", "names a variable that sh does not set")


def _frame_marks(program: bytes, frame: Frame) -> Iterator[Mark]:
    start, text = frame.start, program[frame.start : frame.end]
    if frame.context in _FRAMES:
        name, rule = _FRAMES[frame.context]
        width = len(re.match(rb"[$<>@?*+!]?['\"(\[]*", text).group()) or 1  # type: ignore[union-attr]
        yield Mark(start, start + width, f"sh/{name}", rule)
    elif frame.context is Context.PARAMETER:
        found = _PARAMETER.match(text)
        if found:
            yield Mark(start, start + found.end(), "sh/parameter", "is a bad substitution in sh")
    elif frame.context is Context.ARITHMETIC:
        if frame.command:
            yield Mark(start, start + 2, "sh/arithmetic-command", "is two subshells in sh")
        elif text.startswith(b"$["):
            yield Mark(start, start + 2, "sh/old-arithmetic", "is no arithmetic in sh")
        for found in _ARITHMETIC.finditer(text):
            rule = "is an operator that sh's arithmetic does not have"
            yield Mark(start + found.start(), start + found.end(), "sh/arithmetic-operator", rule)


def _token_marks(program: bytes, scan: Scan) -> Iterator[Mark]:
    for token in scan.tokens:
        text = program[token.start : token.end].replace(b"\\\n", b"")
        if token.kind is TokenKind.OPERATOR and text in _OPERATORS:
            name, rule = _OPERATORS[text]
            yield Mark(token.start, token.end, f"sh/{name}", rule)
        elif token.kind is TokenKind.KEYWORD and text in _KEYWORDS:
            yield Mark(token.start, token.end, "sh/reserved-word", "is no reserved word in sh")
        elif token.kind is TokenKind.ASSIGNMENT and re.match(rb"[A-Za-z0-9_]+\+=", text):
            yield Mark(token.start, token.end, "sh/append", "is no assignment in sh")
        elif token.kind is TokenKind.NAME and text in _BUILTINS:
            yield Mark(token.start, token.end, "sh/builtin", "is a command that sh does not have")
        if token.kind in (TokenKind.WORD, TokenKind.NAME):
            for found in _BRACES.finditer(program, token.start, token.end):
                if _expands(program, scan, found.start(), found.end()):
                    yield Mark(found.start(), found.end(), "sh/brace-expansion", "is not expanded by sh")


def _expands(program: bytes, scan: Scan, start: int, end: int) -> bool:
    """Whether Bash expands these braces. Those of `${a,b}` are a parameter's."""
    inside = program[start:end]
    is_parameter = program[max(start - 1, 0) : start] == b"$"
    return (b"," in inside or b".." in inside) and not is_parameter and scan.context(start) is Context.UNQUOTED


def _builtin_marks(program: bytes, scan: Scan) -> Iterator[Mark]:
    """Arguments that dash's own commands of the same name take otherwise."""
    for command in commands_of(program, scan):
        name, *arguments = (program[word.start : word.end] for word in command.words)
        for word, text in zip(command.words[1:], arguments, strict=True):
            mark = _argument(name, text, scan, word.start)
            if mark:
                yield Mark(word.start, word.end, *mark)


def _argument(name: bytes, text: bytes, scan: Scan, start: int) -> tuple[str, str] | None:
    if name == b"echo" and re.match(rb"-[neE]*[eE][neE]*\Z", text):
        return "sh/echo-option", "is printed by sh's echo, which knows no such option"
    if name == b"echo" and any(scan.context(start + found.start()) in _ESCAPES for found in re.finditer(rb"\\", text)):
        return "sh/echo-escape", "has a backslash, which sh's echo takes for the start of an escape"
    if name == b"printf" and (text == b"-v" or re.search(rb"%[-0-9]*q|%\(|\\[xuUe]", text)):
        return "sh/printf", "is not known to sh's printf"
    if name == b"read" and re.match(rb"-[a-zA-Z]*[adeinNstu]", text):
        return "sh/read-option", "is no option of sh's read"
    if name in (b"[", b"test") and text == b"==":
        return "sh/double-equals", "is no operator of sh's test"
    if name == b"set" and text in _SET_OPTIONS:
        return "sh/set-option", "is no option of sh"
    if name == b"trap" and text == b"ERR":
        return "sh/trap-err", "is no signal for sh"
    return None
