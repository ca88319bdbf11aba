"""Modes of quotes and expansions: everything that can stand inside a word."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass

from qfuzz.bash.scan_machine import Level, Machine, State
from qfuzz.bash.scan_result import Context

NEWLINE, QUOTE, APOSTROPHE, BACKSLASH, DOLLAR, BACKQUOTE = b"\n\"'\\$`"
OPEN, CLOSE, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE = b"()[]{}"

_PAIR_OR_BACKQUOTE = re.compile(rb"\\.|`", re.DOTALL)
_ANSI_BODY = re.compile(rb"[^'\\]*(?:\\.[^'\\]*)*", re.DOTALL)
_BACKSLASH_AND_NEXT = re.compile(rb"\\(.)", re.DOTALL)
_ARITHMETIC = re.compile(
    rb"""\\.|'[^']*'|"[^"\\]*(?:\\.[^"\\]*)*"|`[^`\\]*(?:\\.[^`\\]*)*`|[()]""",
    re.DOTALL,
)
_NAME = rb"(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])"
_PARAMETER = re.compile(rb"(?:#(?=" + _NAME + rb"[}[]))?(?:!(?=[A-Za-z0-9_@*#?$-]))?" + _NAME)

_RUN_IN_DOUBLE = re.compile(rb'[^"\\$`]+')
_RUN_IN_HEREDOC = re.compile(rb"[^\\$`]+")
_RUN_IN_PARAMETER = re.compile(rb"(?:[^}\"'\\$`<>]|[<>](?!\())+")
_RUN_IN_BRACKETS = re.compile(rb"[^][()\"'\\$`]+")
_OPENERS = {CLOSE: OPEN, CLOSE_BRACKET: OPEN_BRACKET}

_QUOTING_OPERATORS = b"#%/^,"
"""Operators of `${x...}` after which apostrophes quote between double quotes too. After `:-` and its like they don't,
though the search for the closing brace passes over what stands between two of them (Bash 5.2, by trial)."""


@dataclass(slots=True)
class TextState(State):
    """Text in which only expansions and some backslashes count. `escapable`: what a backslash protects there."""

    run: re.Pattern[bytes] = _RUN_IN_DOUBLE
    escapable: bytes = b'$`"\\\n'


@dataclass(slots=True)
class ParameterState(State):
    """`operator`: the byte after the name and subscript, -1 before it was seen."""

    operator: int = -1


@dataclass(slots=True)
class BracketState(State):
    """`nested`: open brackets of its own kind. `pair`: it ends with two closers, as `$(( ))` does."""

    nested: int = 0
    pair: bool = False


def heredoc_state(frame: int) -> State:
    """The body of a here-document whose delimiter is not quoted."""
    return TextState(in_text, frame, Context.HEREDOC, quoted=True, run=_RUN_IN_HEREDOC, escapable=b"$`\\\n")


def in_text(machine: Machine, state: TextState, index: int) -> int:
    run = state.run.match(machine.text, index, machine.end)
    if run:
        return machine.emit(index, run.end())
    byte = machine.text[index]
    if byte == state.closer:
        return machine.leave(index, index + 1)
    if byte == BACKSLASH:
        return backslash(machine, index, state.escapable)
    if byte == DOLLAR:
        return dollar(machine, index, quotes=False, quoted=True)
    return backquote(machine, index, in_double=state.closer == QUOTE)


def in_parameter(machine: Machine, state: ParameterState, index: int) -> int:
    byte = machine.text[index]
    if state.operator < 0:
        if byte == OPEN_BRACKET:
            return open_bracket(machine, index, Context.SUBSCRIPT)
        state.operator = byte
    run = _RUN_IN_PARAMETER.match(machine.text, index, machine.end)
    if run:
        return machine.emit(index, run.end())
    if byte == CLOSE_BRACE:
        return machine.leave(index, index + 1)
    if byte == APOSTROPHE and state.quoted and state.operator not in _QUOTING_OPERATORS:
        return _idle_apostrophes(machine, state, index)
    if byte == BACKSLASH:
        return backslash(machine, index, b'$`"\\}\n' if state.quoted else None)
    if byte in b"<>":
        # Between double quotes nothing is substituted, yet its parenthesis has to be closed all the same.
        if state.quoted:
            return open_bracket(machine, index, Context.PARAMETER, index + 2, CLOSE)
        return open_program(machine, index, index + 2, Context.PROCESS_SUBSTITUTION)
    return quote_or_expansion(machine, index, state.quoted)


def in_brackets(machine: Machine, state: BracketState, index: int) -> int:
    """Arithmetic, subscripts, and groups of patterns: brackets count, and quotes hide them."""
    run = _RUN_IN_BRACKETS.match(machine.text, index, machine.end)
    if run:
        return machine.emit(index, run.end())
    byte = machine.text[index]
    if byte == state.closer:
        if state.nested:
            state.nested -= 1
            return machine.emit(index, index + 1)
        after = machine.past_continuations(index + 1)
        return machine.leave(index, after + 1 if state.pair and machine.byte(after) == state.closer else index + 1)
    if byte in b"()[]":
        state.nested += byte == _OPENERS[state.closer]
        return machine.emit(index, index + 1)
    if byte == APOSTROPHE and state.context is Context.ARITHMETIC:
        return _idle_apostrophes(machine, state, index)
    if byte == BACKSLASH:
        return backslash(machine, index, None)
    return quote_or_expansion(machine, index, state.quoted)


def _idle_apostrophes(machine: Machine, state: State, index: int) -> int:
    """Two apostrophes that hide closers between them and quote nothing: expansions go on there."""
    close = machine.text.find(b"'", index + 1, machine.end)
    close = machine.end if close < 0 else close
    machine.emit(index, index + 1)
    inside = TextState(in_text, state.frame, state.context, quoted=True, owns_frame=False, run=_RUN_IN_HEREDOC)
    machine.add_job(machine.level, index + 1, close, inside)
    return machine.emit(close, min(close + 1, machine.end))


def quote_or_expansion(machine: Machine, index: int, quoted: bool = False) -> int:
    """What one of `'`, `"`, `$` and a backquote begins, where all of them count."""
    byte = machine.text[index]
    if byte == APOSTROPHE:
        return _single(machine, index)
    if byte == QUOTE:
        return _double(machine, index, index, Context.DOUBLE)
    if byte == DOLLAR:
        return dollar(machine, index, quotes=True, quoted=quoted)
    return backquote(machine, index, in_double=False)


def backslash(machine: Machine, index: int, escapable: bytes | None) -> int:
    """A backslash, with the byte that it protects; None: it protects any."""
    if index + 1 < machine.end and (escapable is None or machine.text[index + 1] in escapable):
        machine.emit(index, index + 1)
        return machine.emit(index + 1, index + 2, Context.ESCAPED)
    return machine.emit(index, index + 1)


def dollar(machine: Machine, index: int, *, quotes: bool, quoted: bool) -> int:
    """A dollar and what it begins. `quotes`: `$'` and `$"` are quotes here. `quoted`: see `State`."""
    second = machine.past_continuations(index + 1)
    byte = machine.byte(second)
    if byte == OPEN:
        third = machine.past_continuations(second + 1)
        if machine.byte(third) == OPEN and closes_arithmetic(machine, third + 1):
            return open_bracket(machine, index, Context.ARITHMETIC, third + 1, CLOSE, pair=True)
        return open_program(machine, index, second + 1, Context.COMMAND_SUBSTITUTION)
    if byte == OPEN_BRACKET:
        return open_bracket(machine, index, Context.ARITHMETIC, second + 1)
    if byte == OPEN_BRACE:
        return _parameter(machine, index, second + 1, quoted)
    if byte == APOSTROPHE and quotes:
        return _ansi_c(machine, index, second + 1)
    if byte == QUOTE and quotes:
        return _double(machine, index, second, Context.LOCALE)
    return machine.emit(index, index + 1)


def open_program(machine: Machine, start: int, inside: int, context: Context) -> int:
    """Command text up to a closing parenthesis; its opening characters run from `start` to `inside`."""
    frame = machine.open_frame(context, start)
    machine.emit(start, inside)
    machine.stack.append(machine.start_program(frame, CLOSE))
    return inside


def open_bracket(
    machine: Machine,
    start: int,
    context: Context,
    inside: int | None = None,
    closer: int = CLOSE_BRACKET,
    *,
    pair: bool = False,
    command: bool = False,
) -> int:
    """A construct of `in_brackets`; its opening characters run from `start` to `inside`, by default one."""
    inside = start + 1 if inside is None else inside
    quoted = machine.stack[-1].quoted
    frame = machine.open_frame(context, start, command=command)
    machine.emit(start, inside)
    machine.stack.append(BracketState(in_brackets, frame, context, closer, quoted, pair=pair))
    return inside


def _parameter(machine: Machine, start: int, inside: int, quoted: bool) -> int:
    frame = machine.open_frame(Context.PARAMETER, start)
    machine.emit(start, inside)
    machine.stack.append(ParameterState(in_parameter, frame, Context.PARAMETER, CLOSE_BRACE, quoted))
    name = _PARAMETER.match(machine.text, inside, machine.end)
    return machine.emit(inside, name.end()) if name else inside


def _double(machine: Machine, start: int, quote: int, context: Context) -> int:
    frame = machine.open_frame(context, start)
    machine.emit(start, quote + 1)
    machine.stack.append(TextState(in_text, frame, context, QUOTE, quoted=True))
    return quote + 1


def _single(machine: Machine, index: int) -> int:
    frame = machine.open_frame(Context.SINGLE, index)
    machine.emit(index, index + 1)
    close = machine.text.find(b"'", index + 1, machine.end)
    if close < 0:
        return machine.emit(index + 1, machine.end, Context.SINGLE, frame)
    machine.emit(index + 1, close, Context.SINGLE, frame)
    machine.close_frame(frame, close + 1)
    return machine.emit(close, close + 1)


def _ansi_c(machine: Machine, start: int, inside: int) -> int:
    frame = machine.open_frame(Context.ANSI_C, start)
    machine.emit(start, inside)
    body = _ANSI_BODY.match(machine.text, inside, machine.end)
    assert body is not None
    # A last backslash with nothing after it is outside what the pattern takes.
    close = body.end() if machine.byte(body.end()) == APOSTROPHE else machine.end
    done = inside
    for pair in _BACKSLASH_AND_NEXT.finditer(machine.text, inside, close):
        machine.emit(done, pair.start(1), Context.ANSI_C, frame)
        done = machine.emit(pair.start(1), pair.end(1), Context.ESCAPED, frame)
    machine.emit(done, close, Context.ANSI_C, frame)
    if close == machine.end:
        return close
    machine.close_frame(frame, close + 1)
    return machine.emit(close, close + 1)


def backquote(machine: Machine, index: int, *, in_double: bool) -> int:
    """A backquoted substitution. It ends at the next backquote without a backslash, whatever quotes stand between."""
    text, end = machine.text, machine.end
    escapes: list[int] = []
    taken = b'$`\\"' if in_double else b"$`\\"
    close = end
    for found in _PAIR_OR_BACKQUOTE.finditer(text, index + 1, end):
        if text[found.start()] == BACKQUOTE:
            close = found.start()
            break
        if text[found.start() + 1] in taken:
            escapes.append(found.start())
    frame = machine.open_frame(Context.BACKTICK, index)
    machine.emit(index, index + 1)
    state = machine.start_program(frame, -1)
    if escapes:
        for escape in escapes:
            machine.emit(escape, escape + 1, Context.UNQUOTED, frame)
        level = _without(machine.level, index + 1, close, escapes)
        machine.add_job(level, 0, len(level.text), state)
    else:
        machine.add_job(machine.level, index + 1, close, state)
    if close == end:
        return end
    machine.close_frame(frame, close + 1)
    return machine.emit(close, close + 1)


def _without(level: Level, start: int, end: int, dropped: list[int]) -> Level:
    """The text from `start` to `end` without the bytes at the indices `dropped`."""
    where = array("Q")
    parts = []
    for drop in [*dropped, end]:
        parts.append(level.text[start:drop])
        where.extend(range(start, drop) if level.where is None else level.where[start:drop])
        start = drop + 1
    return Level(b"".join(parts), where)


def closes_arithmetic(machine: Machine, index: int) -> bool:
    """Whether the text after `((` goes on to a `))` that matches it; if not, these are two parentheses."""
    if not machine.may_look_ahead():
        return True
    nested = 0
    last = machine.end
    answer = False
    for found in _ARITHMETIC.finditer(machine.text, index, machine.end):
        byte = machine.text[found.start()]
        nested += (byte == OPEN) - (byte == CLOSE)
        if nested < 0:
            last = found.end()
            answer = machine.byte(machine.past_continuations(last)) == CLOSE
            break
    machine.looked_ahead(last - index)
    return answer
