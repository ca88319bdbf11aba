"""Many words from one small plan, fast: what a plan leaves open is decided by its seed. Pure."""

from __future__ import annotations

import enum
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass

from qfuzz.fuzz.escape.alphabet import PIECES, PLAIN


class Form(enum.Enum):
    CHARACTERS = "characters"
    """Characters, each drawn by itself."""
    RUNS = "runs"
    """Runs of one character."""
    PIECES = "pieces"
    """Characters and constructs."""
    HIDDEN = "hidden"
    """A plain text with a few characters in it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`count` words of at most `longest` characters over `characters` (which may repeat), in one form."""

    seed: int
    characters: tuple[str, ...]
    longest: int
    form: Form
    count: int

    def __post_init__(self) -> None:
        assert self.characters, "no characters"
        assert self.longest > 0, f"words of {self.longest} characters"


def words_of_plan(plan: Plan) -> list[str]:
    """The same plan gives the same words, on every machine and Python."""
    draw = random.Random(plan.seed)
    match plan.form:
        case Form.CHARACTERS:
            return _sliced(draw, plan, plan.characters)
        case Form.RUNS:
            runs = [one * length for one in plan.characters for length in (1, 2, 3, 4, 5, 8, 9, 16)]
            return _joined(draw, plan, runs)
        case Form.PIECES:
            return _joined(draw, plan, [*plan.characters, *_some(draw, PIECES, 12)])
        case Form.HIDDEN:
            return _sliced(draw, plan, [*plan.characters, *PLAIN * (4 * len(plan.characters))])


def _lengths(draw: random.Random, plan: Plan) -> list[int]:
    """More short ones than long ones: the smaller of two draws."""
    raw = draw.random
    return [1 + int(min(raw(), raw()) * plan.longest) for _ in range(plan.count)]


def _sliced(draw: random.Random, plan: Plan, characters: Sequence[str]) -> list[str]:
    """One long text cut into words."""
    lengths = _lengths(draw, plan)
    text = "".join(_many(draw, characters, sum(lengths)))
    ends = list(itertools.accumulate(lengths))
    return [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _joined(draw: random.Random, plan: Plan, pieces: Sequence[str]) -> list[str]:
    lengths = _lengths(draw, plan)
    drawn = iter(_many(draw, pieces, sum(lengths)))
    return ["".join(itertools.islice(drawn, length))[: plan.longest] for length in lengths]


def _many(draw: random.Random, values: Sequence[str], count: int) -> list[str]:
    # random() alone is the same on every version of Python; choices() is made of it, and fast.
    return draw.choices(values, k=count)


def _some(draw: random.Random, values: Sequence[str], count: int) -> list[str]:
    return [values[int(draw.random() * len(values))] for _ in range(count)]
