"""`make bench`: every figure that the project promises, both sides in one run, medians and ratios, as JSON Lines."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator

# As the command line does, before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from bench import coverage, escape, forms, jail, payload, reducer, replay, score, transports


def figures() -> Iterator[Callable[[], dict[str, object]]]:
    yield lambda: {"name": "a trivial reply in a jail, against none", **jail.measure(400)}
    yield lambda: replay.compare_rates(rounds=9, jobs=2)
    yield replay.second_diff
    yield payload.raw_over_nested
    yield forms.costs
    yield reducer.compare
    yield escape.compare_rates
    yield score.configurations
    yield score.stored
    yield coverage.figures
    yield lambda: {"name": "each transport, against its own bare command", "rows": list(transports.table())}


if __name__ == "__main__":
    for figure in figures():
        print(json.dumps(figure()), flush=True)
