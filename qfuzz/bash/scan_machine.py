"""The machine of the scanner: a stack of open constructs, each with a mode that reads on from an index.

Regions whose end is found first (backquotes, bodies of here-documents) become jobs of their own and are read later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from qfuzz.bash.scan_result import Context, Frame, Scan, Segment, Token, TokenKind

LOOKAHEAD = 16
"""How much may be read ahead in all, as a multiple of the program's length: this keeps hostile nesting linear. When it
is spent, `((` is taken for arithmetic and a here-document for one that never ends."""

_CONTINUATIONS = re.compile(rb"(?:\\\n)*")


@dataclass(frozen=True, slots=True)
class Level:
    """A text to read. `where` has the program's offset of each of its bytes; None: it is the program."""

    text: bytes
    where: Sequence[int] | None = None

    def start(self, index: int) -> int:
        """The program's offset of the byte at an index, or of the end of the text."""
        if self.where is None:
            return index
        return self.where[index] if index < len(self.where) else self.where[-1] + 1

    def end(self, index: int) -> int:
        """The program's offset just past the byte before an index."""
        return index if self.where is None else self.where[index - 1] + 1


@dataclass(slots=True)
class State:
    """An open construct.

    `context`: of the bytes directly in it. `closer`: the byte that ends it, -1 where only the end of the text does.
    `quoted`: double quotes or a here-document are around it, with no substitution between. `owns_frame` False: it only
    groups, in the frame of what is around it.
    """

    mode: Mode
    frame: int
    context: Context
    closer: int = -1
    quoted: bool = False
    owns_frame: bool = True

    def after(self) -> None:
        """Called on the construct around one that has just ended."""

    def finish(self, machine: Machine, index: int) -> None:
        """Called where the text ends."""


Mode = Callable[["Machine", Any, int], int]
"""Reads at least one byte at the index and returns the index to go on at."""

StartProgram = Callable[[int, int], State]
"""The state of command text in a frame, with its closer."""


class Machine:
    """Scans one program. A mode may use `text`, `end` (where this job's text ends), `stack`, and the methods."""

    def __init__(self, program: bytes, start_program: StartProgram) -> None:
        self.start_program = start_program
        self.level = Level(program)
        self.text = program
        self.end = len(program)
        self.stack: list[State] = []
        self._lookahead = LOOKAHEAD * len(program)
        self._segments: list[tuple[int, int, Context, int]] = []
        self._frames: list[Frame] = []
        self._tokens: list[Token] = []
        self._jobs: list[tuple[Level, int, int, State]] = []

    def scan(self) -> Scan:
        self._frames.append(Frame(Context.UNQUOTED, 0, self.end, -1, 0))
        self.add_job(self.level, 0, self.end, self.start_program(0, -1))
        while self._jobs:
            self._run(*self._jobs.pop())
        segments = tuple(self._joined())
        starts = tuple(segment.start for segment in segments)
        return Scan(segments, tuple(self._frames), tuple(self._tokens), starts)

    def _run(self, level: Level, start: int, end: int, state: State) -> None:
        self.level, self.text, self.end = level, level.text, end
        self.stack = [state]
        index = start
        while index < end:
            state = self.stack[-1]
            index = state.mode(self, state, index)
        for state in reversed(self.stack):
            state.finish(self, end)

    def _joined(self) -> list[Segment]:
        joined: list[Segment] = []
        for start, end, context, frame in sorted(self._segments, key=lambda item: item[0]):
            if joined and joined[-1].context is context and joined[-1].frame == frame:
                start = joined.pop().start
            joined.append(Segment(start, end, context, frame))
        return joined

    def emit(self, start: int, end: int, context: Context | None = None, frame: int | None = None) -> int:
        """Say that the text from `start` to `end` stands in a context, by default that of the innermost construct.

        Returns `end`. Every byte of a job is emitted once.
        """
        innermost = self.stack[-1]
        context = innermost.context if context is None else context
        frame = innermost.frame if frame is None else frame
        where = self.level.where
        if where is None:
            if start < end:
                self._segments.append((start, end, context, frame))
        else:
            self._segments.extend((where[index], where[index] + 1, context, frame) for index in range(start, end))
        return end

    def token(self, start: int, end: int, kind: TokenKind) -> None:
        self._tokens.append(Token(self.level.start(start), self.level.end(end), kind, self.stack[-1].frame))

    def open_frame(self, context: Context, start: int, *, command: bool = False) -> int:
        """A new frame in that of the innermost construct, not closed yet."""
        parent = self.stack[-1].frame
        depth = self._frames[parent].depth + 1
        end = self.level.end(self.end)
        self._frames.append(Frame(context, self.level.start(start), end, parent, depth, command, closed=False))
        return len(self._frames) - 1

    def close_frame(self, frame: int, end: int) -> None:
        self._frames[frame] = replace(self._frames[frame], end=self.level.end(end), closed=True)

    def pop(self, end: int) -> int:
        """End the innermost construct, whose closing characters run from the last byte emitted to `end`."""
        state = self.stack.pop()
        if state.owns_frame:
            self.close_frame(state.frame, end)
        return end

    def leave(self, start: int, end: int) -> int:
        """End the innermost construct with the closing characters from `start` to `end`."""
        self.pop(end)
        self.emit(start, end)
        self.stack[-1].after()
        return end

    def add_job(self, level: Level, start: int, end: int, state: State) -> None:
        """Have a region read later, in a state of its own; the job emits its bytes."""
        self._jobs.append((level, start, end, state))

    def may_look_ahead(self) -> bool:
        return self._lookahead > 0

    def looked_ahead(self, length: int) -> None:
        self._lookahead -= length

    def past_continuations(self, index: int) -> int:
        """The index of the first byte that is no backslash-newline pair, which Bash takes away as it reads."""
        match = _CONTINUATIONS.match(self.text, index, self.end)
        assert match is not None
        return match.end()

    def byte(self, index: int) -> int:
        """The byte at an index, or -1 at the end of the text."""
        return self.text[index] if index < self.end else -1
