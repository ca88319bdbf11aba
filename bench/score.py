"""Scoring: thirty configurations with 10,000 draws each, and a store with 100,000 verdicts."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from qfuzz.gen.public import load_public
from qfuzz.score.build import Request, build
from qfuzz.score.read import read_ledger
from qfuzz.stats.ranks import ranks
from qfuzz.store.keys import context_key, digest_parts, task_key
from qfuzz.store.store import Store

CONFIGURATIONS = 30
DRAWS = 10_000
VERDICTS = 100_000
ROUNDS = 5
_TRIALS = -(-VERDICTS // (CONFIGURATIONS * len(load_public()) * 4))
_CONTEXT = {"versions": {"bash": "5"}}


def _outcome(configuration: int, contract: str, path: str, place: int, trial: int) -> str:
    """Made up, the same every time: direct is easy, nested is not, and telling helps."""
    share = 0.95 if (contract == "raw") == (path == "direct") else 0.35
    drawn = digest_parts([b"%d %d %d" % (configuration, place, trial), contract.encode(), path.encode()])
    return "pass" if int(drawn[:8], 16) / 2**32 < share - configuration / 200 else "silent-wrong"


def fill(path: Path, trials: int = _TRIALS) -> int:
    """A store of verdicts that nothing ran for; their number. Not by the store's own writer, for speed."""
    with Store(path) as store:
        store.write_context(context_key(_CONTEXT), _CONTEXT)
        store.start_run("2026-01-01", context_key(_CONTEXT), "made", "nested")
        with closing(store._connection.cursor()) as cursor:
            cursor.execute("begin")
            for task in load_public():
                cursor.execute(
                    "insert into tasks (key, task_id, family, tier, hazards, task) values (?, ?, ?, ?, ?, '')",
                    (task_key(task), task.task_id, task.family, task.tier, ",".join(task.hazards)),
                )
            for row in _rows(trials):
                reply, verdicts = row
                cursor.execute(
                    "insert into replies (key, task_id, model, contract, trial, program, metadata) "
                    "values (?, ?, ?, ?, ?, 'true', '{}')",
                    reply,
                )
                cursor.executemany(
                    "insert into verdicts (key, reply, task, context, transport, outcome, detail, exit, stability, "
                    "channels, breaker) values (?, ?, ?, ?, ?, ?, '', 0, 'same', '', 0)",
                    verdicts,
                )
            cursor.execute("commit")
        ((count,),) = store.select("select count(*) from verdicts")
    return int(count)


def _rows(trials: int) -> Iterator[tuple[tuple[object, ...], list[tuple[object, ...]]]]:
    context = context_key(_CONTEXT)
    for configuration in range(CONFIGURATIONS):
        for contract in ("raw", "disclosed:nested"):
            for place, task in enumerate(load_public()):
                for trial in range(trials):
                    identity = f"{configuration} {contract} {place} {trial}".encode()
                    reply = digest_parts([identity])
                    yield (
                        (reply, task.task_id, f"model {configuration:02}", contract, trial),
                        [
                            (
                                digest_parts([identity, path.encode()]),
                                reply,
                                task_key(task),
                                context,
                                path,
                                _outcome(configuration, contract, path, place, trial),
                            )
                            for path in ("direct", "nested")
                        ],
                    )


def configurations() -> dict[str, object]:
    """Everything that is said of thirty configurations, ranks included, without reading and printing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        fill(path, 1)
        with Store(path) as store:
            ledger, metadata = read_ledger(store)
        seconds = _median(lambda: build(ledger, metadata, Request(draws=DRAWS)), resource.RUSAGE_SELF)
    stream = np.random.default_rng(0)
    rr, nn = stream.integers(0, 2, (2, CONFIGURATIONS, 56)).astype(float)
    return {
        "name": f"scoring {CONFIGURATIONS} configurations with {DRAWS} draws",
        **seconds,
        "ranks_alone": _median(lambda: ranks(rr, nn, 1, DRAWS, 0), resource.RUSAGE_SELF),
        "promised_below": 2.0,
    }


def stored() -> dict[str, object]:
    """`qfuzz score` as a user calls it, from its start to its end, on a store with 100,000 verdicts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        count = fill(path)
        command = [sys.executable, "-m", "qfuzz", "score", "--db", str(path), "--json"]
        seconds = _median(lambda: subprocess.run(command, check=True, capture_output=True), resource.RUSAGE_CHILDREN)
    return {"name": "qfuzz score on stored verdicts", "verdicts": count, **seconds, "promised_below": 3.0}


def _median(what: Callable[[], object], whose: int) -> dict[str, float]:
    """Medians by the clock and of processor time: on a busy machine only the second tells of the program."""
    clock, processor = [], []
    for _ in range(ROUNDS):
        began, used = time.perf_counter(), _processor(whose)
        what()
        clock.append(time.perf_counter() - began)
        processor.append(_processor(whose) - used)
    return {"seconds": round(statistics.median(clock), 3), "cpu_seconds": round(statistics.median(processor), 3)}


def _processor(whose: int) -> float:
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime
