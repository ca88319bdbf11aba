"""How often the family bootstrap's interval holds the truth, by simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from qfuzz.stats.bootstrap import Floats, percentiles, resampling_weights


@dataclass(frozen=True, slots=True)
class World:
    """How data are made: `families` of `tasks` each; the logit of passing is normal over families.

    `spread` is the standard deviation over families: 0 makes the tasks of a family no more alike than others.
    `before` and `after` are mean logits of the two cells of a pair; what a family adds is the same in both only in the
    part `shared`.
    """

    families: int
    tasks: int
    spread: float
    before: float = 3.0
    after: float = -0.5
    shared: float = 0.5


def coverage(world: World, repetitions: int, draws: int, seed: int) -> float:
    """The share of `repetitions` whose nominal 95 % percentile interval of damage holds the true damage."""
    stream = np.random.default_rng(seed)
    size = (repetitions, world.families)
    common = stream.standard_normal(size) * np.sqrt(world.shared)
    own = np.sqrt(1 - world.shared)
    before = expit(world.before + world.spread * (common + own * stream.standard_normal(size)))
    after = expit(world.after + world.spread * (common + own * stream.standard_normal(size)))
    passed_before = stream.binomial(world.tasks, before)
    # A reply that fails directly does not pass over a path that only breaks: both of one task from one threshold.
    lost = stream.binomial(passed_before, np.clip(1 - after, 0, 1))
    damage: Floats = -lost / world.tasks
    truth = -_mean_product(world)
    weights = resampling_weights(world.families, draws, seed)
    inside = 0
    for start in range(0, repetitions, 500):
        low, high = percentiles((damage[start : start + 500] @ weights.T) / world.families)
        inside += int(((low <= truth) & (truth <= high)).sum())
    return inside / repetitions


def _mean_product(world: World) -> float:
    """E[before * (1 - after)] over families, by Gauss-Hermite quadrature over the three normals."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(41)
    mass = mass / mass.sum()
    own = np.sqrt(1 - world.shared) * nodes
    common = np.sqrt(world.shared) * nodes
    before = expit(world.before + world.spread * (common[:, None] + own[None, :])) @ mass
    after = (1 - expit(world.after + world.spread * (common[:, None] + own[None, :]))) @ mass
    return float((before * after) @ mass)
