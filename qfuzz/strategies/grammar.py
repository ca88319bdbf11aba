"""Free programs from a grammar: deterministic, harmless, and certain to end.

Only builtins and filters of text are called. Loops have fixed bounds and counters of their own, functions never call
themselves, files lie in the work directory, and nothing asks for time, process ids, random numbers or its own name.
What a filter reads comes from a pipe: what else would run beside what writes a file could read it before or after.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis.strategies import SearchStrategy

from qfuzz.gen.choices import Choices
from qfuzz.strategies.commands import COMMANDS, SIMPLE
from qfuzz.strategies.drawn import drawn
from qfuzz.strategies.words import STYLES
from qfuzz.strategies.writer import Writer

CONSTRUCTS: tuple[str, ...] = (
    *dict.fromkeys(name for name, _ in COMMANDS),
    *("comment", "parameter-expansion"),
    *(f"word:{style}" for style in STYLES),
)
"""What a program can hold, by name."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of the grammar, with the names of what is in it, of CONSTRUCTS."""

    text: bytes
    constructs: frozenset[str]


def _program(choices: Choices) -> Program:
    writer = Writer(choices, SIMPLE, COMMANDS)
    text = writer.program()
    return Program(text, frozenset(writer.constructs))


def free_programs() -> SearchStrategy[Program]:
    """Programs of the grammar, each with the names of its constructs. The plainest is `echo a`."""
    return drawn(_program)


def programs() -> SearchStrategy[bytes]:
    """The text of free programs: deterministic, harmless, certain to end, and right by themselves."""
    return free_programs().map(lambda program: program.text)
