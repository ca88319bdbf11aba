"""`python -m bench.coverage`: what nominal 95 % intervals of the family bootstrap cover, in simulated worlds."""

from __future__ import annotations

import json

from qfuzz.stats.coverage import World, coverage

FAMILIES = (3, 4, 7, 14, 28)
SPREADS = (0.0, 1.0, 2.0)
TASKS = 4
REPETITIONS = 20_000
DRAWS = 10_000


def figures(repetitions: int = REPETITIONS, draws: int = DRAWS) -> dict[str, object]:
    """Coverage by number of families and by how alike the tasks of a family are."""
    table = {
        families: {
            spread: round(coverage(World(families, TASKS, spread), repetitions, draws, seed=20_260_000), 3)
            for spread in SPREADS
        }
        for families in FAMILIES
    }
    return {"name": "coverage of nominal 95 % family bootstrap intervals of damage", "coverage": table}


if __name__ == "__main__":
    print(json.dumps(figures()))
