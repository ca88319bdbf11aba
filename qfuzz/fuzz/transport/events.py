"""What a campaign against a transport says while it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qfuzz.engine import events as engine
from qfuzz.engine.shrinking import Shrunk
from qfuzz.strategies.cases import Case


@dataclass(frozen=True, slots=True)
class CampaignStarted:
    """`known` breakers of earlier runs are tried first."""

    transport: str
    seed: int
    known: int


@dataclass(frozen=True, slots=True)
class CaseJudged:
    """A program has run directly and over the transport; in the order of draws. `broke`: only the direct run worked."""

    case: Case
    broke: bool


@dataclass(frozen=True, slots=True)
class BreakerFound:
    """A breaker with a cause that this run had not met, made small: by Hypothesis, then in its minimal forms.

    `run` holds the events of its confirmation, for the store; the last but one is its judgement. `first` is the program
    that led to it. `known`: an earlier run found it. Not `finished`: it may be made smaller, for time ended the search
    or it does not end over the transport, where each trial would be waited for.
    """

    shrunk: Shrunk
    run: tuple[engine.Event, ...]
    first: bytes
    known: bool
    finished: bool = True

    @property
    def judged(self) -> engine.Judged:
        return next(event for event in self.run if isinstance(event, engine.Judged))


@dataclass(frozen=True, slots=True)
class BreakerGone:
    """What an earlier run found breaks no more, and is taken out of the examples."""

    case: Case


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was tried: numbers of different programs, by construct, hazard and quoting context."""

    programs: int = 0
    constructs: Mapping[str, int] = field(default_factory=dict)
    hazards: Mapping[str, int] = field(default_factory=dict)
    contexts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the programs of a campaign.

    `same` did the same on both paths; `broke` worked directly only; of these `explained` have no cause that is not
    told of, `unsettled` have one that could not be shown again, and `left` were not looked into to the end: the budget
    had run out. `diverged` did something else, and their task passes on both paths. `unstable` did not do the same
    twice, `no_direct_end` did not end in time even directly; `refused` for a declared limit; `harness_errors` are ours.
    """

    same: int = 0
    broke: int = 0
    explained: int = 0
    unsettled: int = 0
    left: int = 0
    diverged: int = 0
    unstable: int = 0
    no_direct_end: int = 0
    refused: int = 0
    harness_errors: int = 0


@dataclass(frozen=True, slots=True)
class CampaignEnded:
    """`seconds` of wall time. `found` counts breakers with different causes, known ones too."""

    coverage: Coverage
    counts: Counts
    found: int
    executions: int
    seconds: float


Event = CampaignStarted | CaseJudged | BreakerFound | BreakerGone | CampaignEnded
