"""What a campaign against an escaping function says while it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qfuzz.escape.faults import EscapeFault
from qfuzz.fuzz.escape.lane import Lane
from qfuzz.fuzz.escape.reader import Reading


@dataclass(frozen=True, slots=True)
class CampaignStarted:
    """`target` as the user named it; `known` counts the witnesses of earlier runs, which are tried first."""

    target: str
    lanes: tuple[Lane, ...]
    seed: int
    known: int


@dataclass(frozen=True, slots=True)
class BatchJudged:
    """A batch is done in every lane. `words` were escaped, `faulty` were not; in the order of batches."""

    words: int
    faulty: int


@dataclass(frozen=True, slots=True)
class TargetFaulty:
    """The function or program did something else with a word than escaping it. Each kind is told of once."""

    fault: EscapeFault


@dataclass(frozen=True, slots=True)
class EscapeFinding:
    """A word that a shell does not read back from its escaped form: as short, then as plain as was found.

    `word` and `escaped` are minimal, `first_word` is what failed first. `known`: an earlier run found it.
    """

    target: str
    lane: Lane
    word: bytes
    escaped: bytes
    reading: Reading
    first_word: bytes
    known: bool


@dataclass(frozen=True, slots=True)
class Mended:
    """A word that an earlier run found in this lane, and that is read back now."""

    lane: Lane
    word: bytes


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Words that failed together in a lane, and not one by one: nothing is shown by them, and they are counted."""

    lane: Lane
    words: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the words of a campaign were like. Lengths are in characters.

    `characters` counts occurrences of each character of the alphabet; `pairs` is the number of pairs of common
    characters that stood side by side in some word, of `pairs_possible`.
    """

    words: int = 0
    lengths: Mapping[str, int] = field(default_factory=dict)
    characters: Mapping[str, int] = field(default_factory=dict)
    alphabet: int = 0
    pairs: int = 0
    pairs_possible: int = 0
    complete: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CampaignEnded:
    """`faults` counts words that were not escaped, by kind; `seconds` are of wall time."""

    coverage: Coverage
    faults: Mapping[str, int]
    findings: int
    unexplained: int
    seconds: float


Event = CampaignStarted | BatchJudged | TargetFaulty | EscapeFinding | Mended | Unexplained | CampaignEnded
