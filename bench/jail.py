"""What a jail costs: a trivial reply in it, against the same program started without one. JSON on stdout.

    python -m bench.jail [--repeats N]

Both sides alternate in one process, so that whatever else the machine does meets both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from collections.abc import Callable

from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.task import Fixture

BAR = 1.3
"""The ratio that the project promises."""

_TRIVIAL = Execution(Launch(b"/bin/bash", (b"bash", b"-c", b":"), b":"), Fixture(), timeout_seconds=10.0)


def measure(repeats: int) -> dict[str, float]:
    """Medians in milliseconds of `repeats` trivial replies with and without a jail, and their ratio."""
    jailed: list[float] = []
    bare: list[float] = []
    inside: list[float] = []
    with Pool(1) as pool:
        for _ in range(repeats):
            bare.append(_timed(lambda: subprocess.run(["bash", "-c", ":"])))
            jailed.append(_timed(lambda: inside.append(pool.run(_TRIVIAL).seconds)))
    medians = [statistics.median(times) * 1000 for times in (jailed, bare, inside)]
    return {
        "jailed_ms": round(medians[0], 4),
        "bare_ms": round(medians[1], 4),
        "inside_ms": round(medians[2], 4),
        "ratio": round(medians[0] / medians[1], 4),
        "bar": BAR,
        "repeats": repeats,
    }


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="runs of each side")
    print(json.dumps(measure(parser.parse_args().repeats)))


if __name__ == "__main__":
    main()
