"""Words a second through an escaping function and a shell: a campaign, against one shell for each word.

    python -m bench.escape

Both sides draw their words from the same plans, ask the same function, run Bash in the same jail, and stay on one core,
in turns, so that whatever else the machine does meets both. The second one is what comes to mind first.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import time

from qfuzz.escape.worker import EscapeWorker
from qfuzz.fuzz.escape.asking import as_bytes
from qfuzz.fuzz.escape.campaign import Budget, campaign
from qfuzz.fuzz.escape.events import CampaignEnded
from qfuzz.fuzz.escape.lane import Context, Lane
from qfuzz.fuzz.escape.reader import Reader
from qfuzz.fuzz.escape.shells import SHELLS
from qfuzz.fuzz.escape.source import batches
from qfuzz.jail.pool import Pool

BAR = 50.0
"""The ratio that the project promises."""

TARGET = "shlex:quote"
_LANE = Lane(SHELLS["bash"], Context.ARGUMENT)


def compare_rates(rounds: int = 5, words: int = 40_000, alone: int = 100) -> dict[str, object]:
    """Medians of both rates in words a second, generation included, and their ratio. Pins this process to one core."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(everywhere)})
    try:
        # What is started from here on inherits the one core.
        with Pool(1) as pool:
            pairs = [(_batched(pool, words, seed), _one_by_one(pool, alone, seed)) for seed in range(rounds)]
    finally:
        os.sched_setaffinity(0, everywhere)
    batched, single = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    return {
        "name": "words through an escaping function, against one shell a word",
        "batched_per_second": round(batched),
        "single_per_second": round(single),
        "ratio": round(statistics.median(one / other for one, other in pairs), 1),
        "bar": BAR,
        "rounds": rounds,
    }


def _batched(pool: Pool, words: int, seed: int) -> float:
    events = campaign(lambda: EscapeWorker(TARGET), pool, [_LANE], Budget(examples=words), seed=seed)
    (ended,) = [event for event in events if isinstance(event, CampaignEnded)]
    assert ended.coverage.words == words, f"{ended.coverage.words} words of {words}"
    return words / ended.seconds


def _one_by_one(pool: Pool, words: int, seed: int) -> float:
    reader = Reader(pool, _LANE)
    with EscapeWorker(TARGET) as worker:
        worker.escape([b"a"])
        began = time.monotonic()
        drawn = itertools.chain.from_iterable(batch.words() for batch in batches(seed))
        for word in map(as_bytes, itertools.islice(drawn, words)):
            (escaped,) = worker.escape([word])
            assert isinstance(escaped, bytes), f"{word!r} is not escaped"
            assert reader.holds([word], [escaped]), f"{word!r} is read otherwise"
        return words / (time.monotonic() - began)


def main() -> None:
    print(json.dumps(compare_rates()))


if __name__ == "__main__":
    main()
