"""`make bench`: every figure that the project promises, both sides in one run, medians and ratios, as JSON Lines."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator

from bench import forms, jail, payload, replay


def figures() -> Iterator[Callable[[], dict[str, object]]]:
    yield lambda: {"name": "a trivial reply in a jail, against none", **jail.measure(400)}
    yield lambda: replay.compare_rates(rounds=9, jobs=2)
    yield replay.second_diff
    yield payload.raw_over_nested
    yield forms.costs
    yield beside_picire


def beside_picire() -> dict[str, object]:
    if importlib.util.find_spec("picire") is None:
        return {"name": "the reducer of replies beside picire", "skipped": "pip install -e '.[bench]' brings picire"}
    # Here and not above: the figures before it need no picire.
    from bench import reducer

    return reducer.compare()


if __name__ == "__main__":
    for figure in figures():
        print(json.dumps(figure()), flush=True)
