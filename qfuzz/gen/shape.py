"""How payloads of a family are drawn: what they must look like, and what defeats the careless program."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from qfuzz.gen.choices import Choices
from qfuzz.gen.fragments import FRAGMENTS, GENRES, fill


class Style(enum.Enum):
    """`V1`: sentences with the hazards of the family's public tasks. `V2`: other genres, another mix."""

    V1 = "v1"
    V2 = "v2"


UNQUOTED_HAZARDS = (
    "double-blank",
    "apostrophe",
    "double-quote",
    "backslash",
    "dollar",
    "backtick",
    "semicolon",
    "ampersand",
    "pipe",
    "redirection",
    "parenthesis",
)
"""What defeats a text pasted without quotes, as an argument or after `NAME=`. Draws depend on the order."""


@dataclass(frozen=True, slots=True)
class Shape:
    """`decisive`: hazards whose fragments defeat the family's naive program in an otherwise plain text.

    `certain`: those of them that do so whatever else the text holds; all but `leading-dash` where it is not given.
    `mixed`: further hazards for v1. `joiner` stands between pieces: none of the blanks in families where a blank alone
    would decide. `lines`: a text of several lines, each ended by a newline. `without`: characters that can't occur; a
    blank takes the place of a blank one, a hyphen that of any other. `trimmed`: no blanks at the ends of lines.
    """

    decisive: tuple[str, ...]
    mixed: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()
    joiner: str = " "
    lines: bool = False
    without: str = ""
    trimmed: bool = False

    def __post_init__(self) -> None:
        unknown = [name for name in self.decisive + self.mixed + self.certain if name not in FRAGMENTS]
        assert not unknown, f"no fragments for {unknown}"


def draw_control(shape: Shape, token: str, choices: Choices) -> bytes:
    """A text without hazards beyond the newlines that the shape asks for. It holds `token`."""
    first, second = choices.words(2)
    return _finish(shape, [f"{first} {second}", token] if shape.lines else [shape.joiner.join((first, second, token))])


def draw_hazardous(shape: Shape, style: Style, tier: int, token: str, choices: Choices) -> bytes:
    """A text of this shape and style with more hazards the higher the tier. It holds `token`.

    Whether it defeats the naive program is for the family to say; `mend` makes sure.
    """
    if style is Style.V1:
        return _finish(shape, _sentences(shape, tier, token, choices))
    return _finish(shape, _genre_lines(shape, tier, token, choices))


def mend(shape: Shape, text: bytes, choices: Choices) -> bytes:
    """`text` with a fragment of a certain hazard behind it, so that it is certain to defeat the naive program."""
    certain = shape.certain or tuple(name for name in shape.decisive if name not in _PLACED)
    fragment = _fragment(choices.pick(certain), choices)
    if shape.lines:
        return text + _finish(shape, [fragment])
    return text + _finish(shape, [shape.joiner + fragment])


def _sentences(shape: Shape, tier: int, token: str, choices: Choices) -> list[str]:
    first = choices.pick(shape.decisive)
    others = [name for name in dict.fromkeys(shape.decisive + shape.mixed) if name != first]
    names = [first, *choices.sample(others, min(tier - 1 + choices.integer(0, 1), len(others)))]
    pieces = [_fragment(name, choices) for name in names if name not in _PLACED]
    pieces += [token, *choices.words(choices.integer(1, 2))]
    pieces = choices.sample(pieces, len(pieces))
    if "leading-dash" in names:
        pieces.insert(0, _fragment("leading-dash", choices))
    lines = [shape.joiner.join(pieces)]
    if shape.lines:
        half = choices.integer(1, len(pieces) - 1)
        lines = [" ".join(pieces[:half]), " ".join(pieces[half:])]
    if "outer-blank" in names:
        lines[-1] += _fragment("outer-blank", choices)
    if "heredoc-delimiter" in names:
        lines.insert(choices.integer(0, 1), _fragment("heredoc-delimiter", choices))
    return lines


def _genre_lines(shape: Shape, tier: int, token: str, choices: Choices) -> list[str]:
    count = choices.integer(2, 2 + tier) if shape.lines else 1
    lines = [fill(choices.pick(GENRES[choices.pick(tuple(GENRES))]), choices) for _ in range(count)]
    at = choices.integer(0, count - 1)
    lines[at] = f"{lines[at]} {token}" if choices.integer(0, 1) else f"{token}: {lines[at]}"
    return lines


_PLACED = ("leading-dash", "outer-blank", "heredoc-delimiter")
"""Hazards that need a place of their own."""


def _fragment(name: str, choices: Choices) -> str:
    return fill(choices.pick(FRAGMENTS[name]), choices)


def _finish(shape: Shape, lines: list[str]) -> bytes:
    text = "".join(f"{line}\n" for line in lines) if shape.lines else "".join(lines)
    for char in shape.without:
        text = text.replace(char, " " if char.isspace() else "-")
    if shape.trimmed:
        text = "\n".join(line.rstrip() for line in text.split("\n")).strip()
    return text.encode("utf-8")
