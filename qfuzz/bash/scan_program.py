"""The modes of command text: where words, operators and comments begin and end."""

from __future__ import annotations

import enum
import re

from qfuzz.bash.scan_heredoc import Lines, read_bodies, read_delimiter
from qfuzz.bash.scan_machine import Machine, State
from qfuzz.bash.scan_result import Context, TokenKind
from qfuzz.bash.scan_text import (
    BACKSLASH,
    CLOSE,
    NEWLINE,
    OPEN,
    OPEN_BRACKET,
    backslash,
    closes_arithmetic,
    open_bracket,
    open_program,
    quote_or_expansion,
)
from qfuzz.bash.scan_words import LONGEST_KEYWORD, Expected, Position

HASH, EXCLAMATION, PLUS, PIPE = b"#!+|"
_PATTERN_PREFIXES = b"@?*+!"

_RUN = re.compile(rb"[^ \t\n;&|()<>\"'\\$`#=[]+")
_BLANKS = re.compile(rb"[ \t]+")
_COMMENT = re.compile(rb"[^\n]*")
_OPERATORS = re.compile(
    b"|".join(
        rb"(?:\\\n)*".join(re.escape(bytes([byte])) for byte in operator)
        for operator in b";;& ;; ;& && &>> &> || |& <<< <<- << <& <> >> >& >| ; & | < > ( ) \n".split(b" ")
    )
)
_TARGET = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*\+?\Z")
_DESCRIPTOR = re.compile(rb"[0-9]+\Z|\{[A-Za-z_][A-Za-z0-9_]*\}\Z")
_TEST_END = re.compile(rb"\]\](?![^ \t\n;&|()<>])")


class Kind(enum.Enum):
    """What a state of this module reads: commands, the value of an array, or a conditional expression."""

    COMMANDS = enum.auto()
    ARRAY = enum.auto()
    TEST = enum.auto()


class ProgramState(State):
    """`position`: where in a sequence of commands the next word stands.

    `word`: where the open word began, or -1. `plain`: nothing in it is quoted or expanded. `marked`: it has had a `=`
    or `[`, of which only the first can make it an assignment or a subscript. `matches`: the next word is a pattern,
    and `regex`: a regular expression.
    """

    __slots__ = (
        "assigns",
        "kind",
        "lines",
        "marked",
        "matches",
        "plain",
        "position",
        "regex",
        "subscripted",
        "word",
    )

    def __init__(self, frame: int, closer: int, kind: Kind = Kind.COMMANDS, lines: Lines | None = None) -> None:
        is_test = kind is Kind.TEST
        context = Context.TEST if is_test else Context.UNQUOTED
        super().__init__(in_test if is_test else in_program, frame, context, closer)
        self.kind = kind
        self.lines = Lines(in_substitution=closer >= 0) if lines is None else lines
        self.position = Position(commands=kind is Kind.COMMANDS)
        self.word = -1
        self.plain = self.marked = self.assigns = self.subscripted = self.matches = self.regex = False

    def begin_word(self, index: int, *, plain: bool = False) -> None:
        if self.word < 0:
            self.word = index
            self.plain = True
            self.marked = self.assigns = self.subscripted = False
        self.plain = self.plain and plain

    def after(self) -> None:
        # Inside a word nothing has ended yet.
        if self.word < 0 and self.kind is Kind.COMMANDS:
            self.position.command_ended()

    def finish(self, machine: Machine, index: int) -> None:
        self.finish_word(machine, index)

    def finish_word(self, machine: Machine, index: int) -> None:
        """End the open word, if there is one, before the byte at `index`. The word `[[` opens a construct."""
        if self.word < 0:
            return
        start, self.word = self.word, -1
        text = b""
        if self.plain and index - start <= LONGEST_KEYWORD:
            text = machine.text[start:index].replace(b"\\\n", b"")
        if self.kind is Kind.TEST:
            self.regex = text == b"=~"
            self.matches = self.regex or text in (b"=", b"==", b"!=")
        elif self.kind is Kind.COMMANDS:
            kind = self.position.read_word(text, assigns=self.assigns)
            machine.token(start, index, kind)
            self.see_pattern()
            if kind is TokenKind.KEYWORD and text == b"[[":
                frame = machine.open_frame(Context.TEST, start, command=True)
                machine.stack.append(ProgramState(frame, -1, Kind.TEST, self.lines))

    def see_pattern(self) -> None:
        """Give the bytes that follow the context of a pattern, or take it from them."""
        self.context = Context.CASE_PATTERN if self.position.in_pattern() else Context.UNQUOTED


def in_program(machine: Machine, state: ProgramState, index: int) -> int:
    after = _in_either(machine, state, index)
    if after is not None:
        return after
    byte = machine.text[index]
    if byte in b"#=[":
        return _mark(machine, state, index)
    if byte == OPEN:
        return _open(machine, state, index)
    if byte == CLOSE:
        return _close(machine, state, index)
    return _operator(machine, state, index)


def in_test(machine: Machine, state: ProgramState, index: int) -> int:
    """Inside `[[ ]]`: words and operators again, but parentheses group, or belong to a pattern."""
    if state.word < 0 and _TEST_END.match(machine.text, index, machine.end):
        return machine.leave(index, index + 2)
    after = _in_either(machine, state, index)
    if after is not None:
        return after
    byte = machine.text[index]
    if byte == OPEN and (state.regex or _is_pattern_group(machine, state, index)):
        state.begin_word(index)
        return open_bracket(machine, index, Context.PATTERN, closer=CLOSE)
    if byte in b"#=[" or (byte == PIPE and state.regex):
        state.begin_word(index, plain=True)
        return machine.emit(index, index + 1)
    state.finish_word(machine, index)
    if byte == NEWLINE:
        return _newline(machine, state, index)
    return machine.emit(index, index + 1)


def _in_either(machine: Machine, state: ProgramState, index: int) -> int | None:
    """What commands and `[[ ]]` read alike; None for the rest, with nothing read."""
    run = _RUN.match(machine.text, index, machine.end)
    if run:
        state.begin_word(index, plain=True)
        return machine.emit(index, run.end())
    byte = machine.text[index]
    if byte in b" \t":
        return _blanks(machine, state, index)
    if byte == HASH and state.word < 0:
        return _comment(machine, index)
    if byte in b"\"'$`\\":
        return _quoted(machine, state, index)
    if byte in b"<>" and machine.byte(machine.past_continuations(index + 1)) == OPEN:
        return _process_substitution(machine, state, index)
    return None


def _blanks(machine: Machine, state: ProgramState, index: int) -> int:
    # The word may open a construct, and the blank stands inside it.
    state.finish_word(machine, index)
    blanks = _BLANKS.match(machine.text, index, machine.end)
    assert blanks is not None
    return machine.emit(index, blanks.end())


def _comment(machine: Machine, index: int) -> int:
    comment = _COMMENT.match(machine.text, index, machine.end)
    assert comment is not None
    return machine.emit(index, comment.end(), Context.COMMENT)


def _quoted(machine: Machine, state: ProgramState, index: int) -> int:
    if machine.text[index] == BACKSLASH:
        # A continuation neither begins nor ends a word.
        if machine.byte(index + 1) != NEWLINE:
            state.begin_word(index)
        return backslash(machine, index, None)
    state.begin_word(index)
    return quote_or_expansion(machine, index)


def _process_substitution(machine: Machine, state: ProgramState, index: int) -> int:
    state.begin_word(index)
    inside = machine.past_continuations(index + 1) + 1
    return open_program(machine, index, inside, Context.PROCESS_SUBSTITUTION)


def _mark(machine: Machine, state: ProgramState, index: int) -> int:
    """One of `#`, `=` and `[` as a part of a word, or as what makes it an assignment."""
    byte = machine.text[index]
    is_key = state.kind is Kind.ARRAY and state.word < 0 and byte == OPEN_BRACKET
    state.begin_word(index, plain=not is_key)
    if is_key:
        return open_bracket(machine, index, Context.SUBSCRIPT)
    if byte == HASH or state.kind is Kind.ARRAY or state.position.in_pattern():
        return machine.emit(index, index + 1)
    names = not state.marked and state.plain and _TARGET.match(machine.text, state.word, index) is not None
    state.marked = True
    if byte == OPEN_BRACKET:
        if names and state.position.name and machine.text[index - 1] != PLUS:
            state.subscripted = True
            state.plain = False
            return open_bracket(machine, index, Context.SUBSCRIPT)
    elif names or (state.subscripted and machine.text[index - 1] in b"]+"):
        state.assigns = True
        value = machine.past_continuations(index + 1)
        if machine.byte(value) == OPEN:
            machine.emit(index, value)
            return _array(machine, state, value)
    return machine.emit(index, index + 1)


def _array(machine: Machine, state: ProgramState, index: int) -> int:
    state.plain = False
    frame = machine.open_frame(Context.ARRAY, index)
    machine.emit(index, index + 1)
    machine.stack.append(ProgramState(frame, CLOSE, Kind.ARRAY, state.lines))
    return index + 1


def _is_pattern_group(machine: Machine, state: ProgramState, index: int) -> bool:
    if state.word < 0 or state.word == index or machine.text[index - 1] not in _PATTERN_PREFIXES:
        return False
    if state.kind is Kind.TEST:
        return state.matches
    is_negation = machine.text[index - 1] == EXCLAMATION and state.word == index - 1 and state.position.reserved
    return not is_negation


def _open(machine: Machine, state: ProgramState, index: int) -> int:
    if state.word < 0 and state.position.begins_pattern():
        return machine.emit(index, index + 1)
    if _is_pattern_group(machine, state, index):
        state.begin_word(index)
        return open_bracket(machine, index, Context.PATTERN, closer=CLOSE)
    state.finish_word(machine, index)
    if machine.stack[-1] is not state:
        return index
    second = machine.past_continuations(index + 1)
    is_loop = state.position.expected is Expected.LOOP_NAME
    may_be_command = is_loop or state.position.reserved
    if machine.byte(second) == OPEN and may_be_command and closes_arithmetic(machine, second + 1):
        state.position.expected = Expected.ANY
        return open_bracket(machine, index, Context.ARITHMETIC, second + 1, CLOSE, pair=True, command=True)
    machine.token(index, index + 1, TokenKind.OPERATOR)
    machine.emit(index, index + 1)
    if state.kind is Kind.COMMANDS:
        group = ProgramState(state.frame, CLOSE, lines=state.lines)
        group.owns_frame = False
        machine.stack.append(group)
    return index + 1


def _close(machine: Machine, state: ProgramState, index: int) -> int:
    state.finish_word(machine, index)
    if machine.stack[-1] is not state:
        return index
    if state.position.in_pattern():
        machine.emit(index, index + 1)
        state.position.begin_body()
        state.see_pattern()
        return index + 1
    if state.closer != CLOSE:
        machine.emit(index, index + 1)
        state.position.new_command()
        return index + 1
    if not state.owns_frame:
        machine.token(index, index + 1, TokenKind.OPERATOR)
    elif state.kind is Kind.COMMANDS and state.lines.pending:
        # Their bodies follow the line that the substitution is on (Bash 5.2, with a warning).
        programs = (outer for outer in reversed(machine.stack[:-1]) if isinstance(outer, ProgramState))
        around = next(programs, None)
        if around is not None:
            around.lines.pending += state.lines.pending
    return machine.leave(index, index + 1)


def _operator(machine: Machine, state: ProgramState, index: int) -> int:
    found = _OPERATORS.match(machine.text, index, machine.end)
    assert found is not None
    operator = found.group().replace(b"\\\n", b"")
    redirects = operator[0] in b"<>" or operator.startswith(b"&>")
    if redirects and state.word >= 0 and state.plain and _DESCRIPTOR.match(machine.text, state.word, index):
        state.word = -1
    state.finish_word(machine, index)
    if machine.stack[-1] is not state:
        return index
    if operator == b"\n":
        return _newline(machine, state, index)
    machine.token(index, found.end(), TokenKind.OPERATOR)
    machine.emit(index, found.end())
    if operator in (b"<<", b"<<-"):
        state.position.reserved = False
        return read_delimiter(machine, state.lines, found.end(), strips_tabs=operator == b"<<-")
    if redirects:
        state.position.redirected()
    elif operator in (b";;", b";&", b";;&"):
        state.position.end_body()
        state.see_pattern()
    elif state.kind is Kind.COMMANDS:
        state.position.new_command()
    return found.end()


def _newline(machine: Machine, state: ProgramState, index: int) -> int:
    machine.emit(index, index + 1)
    if state.kind is Kind.COMMANDS:
        state.position.new_command()
    return read_bodies(machine, state.lines, index + 1) if state.lines.pending else index + 1
