"""A score as typed data: what every output is made from. Rates are exact fractions; intervals are shares of 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from qfuzz.model.content import JsonValue
from qfuzz.score.cells import Cells, Configuration
from qfuzz.score.ledger import Ledger
from qfuzz.score.pairs import Pair
from qfuzz.score.tasksets import TaskSet
from qfuzz.stats.bootstrap import Ints
from qfuzz.stats.decompose import Discordant
from qfuzz.stats.intervals import Interval
from qfuzz.stats.ranks import Ranks, Regret
from qfuzz.stats.trials import Spread


@dataclass(frozen=True, slots=True)
class Effect:
    """A signed difference of two rates over the same tasks."""

    value: Fraction
    interval: Interval | None
    discordant: Discordant | None


@dataclass(frozen=True, slots=True)
class Share:
    """`parts` of `whole` replies, which come from `units` tasks; `rate` and `interval` None without data."""

    parts: int
    whole: int
    units: int
    interval: Interval | None

    @property
    def rate(self) -> Fraction | None:
        return Fraction(self.parts, self.whole) if self.whole else None


@dataclass(frozen=True, slots=True)
class CellScore:
    """One cell. `passed` and `total` count replies, `rate` is the mean over `tasks` of their means over trials.

    `failures` counts failure classes. `pass_hat` holds pass^1, pass^2, ... up to the number of trials.
    """

    contract: str
    transport: str
    passed: int
    total: int
    tasks: int
    rate: Fraction | None
    interval: Interval | None
    failures: Mapping[str, int]
    failed_with_exit_0: int
    pass_hat: tuple[Fraction, ...]
    all_pass: tuple[int, int]
    spread: Spread | None


@dataclass(frozen=True, slots=True)
class Group:
    """A part of the tasks: one family, one tier, one hazard, or the controls. Cell name to passed and total."""

    name: str
    tasks: int
    cells: Mapping[str, tuple[int, int]]
    failures: Mapping[str, int]
    damage: Effect | None
    compensation: Effect | None
    matched_gap: Effect | None


@dataclass(frozen=True, slots=True)
class Validator:
    """What judged, and where it ran. `contexts` is how many different ones the executions come from."""

    task_set: TaskSet
    tasks_scored: int
    qfuzz: str
    userland: str
    userland_version: str
    versions: Mapping[str, JsonValue]
    contexts: int


@dataclass(frozen=True, slots=True)
class ConfigurationScore:
    """All that is said of one configuration and one pair of paths, on one task set under one userland.

    Under `cells` are those of rr, rn, nr, nn that have data. `operating_point` holds what the replies' metadata say
    about how they were asked for; `cleaned` counts replies by the clean-up rule that changed them.
    """

    configuration: Configuration
    pair: Pair
    userland: str
    validator: Validator
    operating_point: Mapping[str, JsonValue]
    trials: Mapping[str, int]
    cells: Mapping[str, CellScore]
    damage: Effect | None
    compensation: Effect | None
    matched_gap: Effect | None
    crossover: Effect | None
    retention: Share
    exit0: Share
    native: CellScore | None
    native_minus_raw: Effect | None
    controls: Group | None
    by: Mapping[str, tuple[Group, ...]]
    refused: int
    left_out: tuple[str, ...]
    ledger: Ledger
    executions: Cells
    tasks: Ints

    @property
    def title(self) -> str:
        model, effort = self.configuration
        return (model or "no model named") + ("" if effort is None else f" @ {effort}")


@dataclass(frozen=True, slots=True)
class Ranking:
    """The two orders of the configurations of one pair, set and userland; `ranks` counts in places of `scores`."""

    scores: tuple[ConfigurationScore, ...]
    tasks: int
    ranks: Ranks
    regret: Regret


@dataclass(frozen=True, slots=True)
class Ladder:
    """The efforts of one model for one pair. `moves`: by how much rr, rn, ... move from rung to rung at most.

    `nearest` are the rungs that the unset effort is nearest to, and how far in mean absolute difference of cells.
    """

    model: str
    pair: Pair
    task_set: TaskSet
    userland: str
    rungs: tuple[ConfigurationScore, ...]
    unset: ConfigurationScore | None
    moves: Mapping[str, Fraction | None]
    nearest: tuple[tuple[str, ...], Fraction] | None


@dataclass(frozen=True, slots=True)
class UserlandContrast:
    """The same replies under two userlands: `same` of `compared` executions have the same verdict on pass or fail."""

    first: ConfigurationScore
    second: ConfigurationScore
    same: int
    compared: int
    differing: Mapping[str, tuple[str, ...]]
    damage: Effect | None


@dataclass(frozen=True, slots=True)
class SetContrast:
    """The same configuration and pair on two task sets. Effects are second minus first, over other tasks."""

    first: ConfigurationScore
    second: ConfigurationScore
    rr: Effect | None
    damage: Effect | None
    compensation: Effect | None


@dataclass(frozen=True, slots=True)
class Report:
    """`notes` is what a reader has to know about what was scored, in sentences."""

    scores: tuple[ConfigurationScore, ...]
    rankings: tuple[Ranking, ...]
    ladders: tuple[Ladder, ...]
    userlands: tuple[UserlandContrast, ...]
    sets: tuple[SetContrast, ...]
    notes: tuple[str, ...]
    draws: int
    seed: int
