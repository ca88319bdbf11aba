"""Replaying the public references over direct and nested, beside a plain loop without any sandbox."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from qfuzz.engine.events import Judged, Sample
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.record import Recorder
from qfuzz.engine.run import RunPlan, replay
from qfuzz.gen.public import load_public
from qfuzz.jail.git_fixture import repository_files
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture, Task
from qfuzz.store.keys import fixture_key, task_key
from qfuzz.store.store import Store
from qfuzz.transports.loader import resolve


def samples() -> list[Sample]:
    """The 56 public references as replies."""
    return [_sample(index, task) for index, task in enumerate(load_public())]


def _sample(index: int, task: Task) -> Sample:
    assert task.reference is not None
    reply = Reply(task.reference, task.task_id)
    return Sample(index, reply, task, task_key(task), task.fixture, fixture_key(task.fixture))


def plain_executions(todo: list[Sample]) -> int:
    """Each reference over direct and nested in a temporary directory of this machine; returns the number of runs.

    Only references are run here: the project wrote them itself.
    """
    count = 0
    for sample in todo:
        for transport in ("direct", "nested"):
            launch = resolve(transport).deliver(sample.reply.program)
            assert isinstance(launch, Launch)
            _plain_run(sample.fixture, launch)
            count += 1
    return count


def _plain_run(fixture: Fixture, launch: Launch) -> dict[str, bytes]:
    directory = tempfile.mkdtemp()
    try:
        directories = list(fixture.dirs)
        files = [(file.path, file.content, file.mode) for file in fixture.files]
        if fixture.git is not None:
            repository = repository_files(fixture)
            directories += repository.directories
            files += repository.files
        for path in directories:
            os.makedirs(os.path.join(os.fsencode(directory), path), exist_ok=True)
        for path, content, mode in files:
            target = os.path.join(os.fsencode(directory), path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as stream:
                stream.write(content)
            if mode != 0o644:
                os.chmod(target, mode)
        subprocess.run(
            launch.argv,
            executable=launch.executable,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env=_ENVIRONMENT,
        )
        return {
            str(path): path.read_bytes()
            for path in Path(directory).rglob("*")
            if path.is_file() and ".git" not in path.parts
        }
    finally:
        shutil.rmtree(directory)


_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_AUTHOR_NAME": "A User",
    "GIT_AUTHOR_EMAIL": "user@example.com",
    "GIT_COMMITTER_NAME": "A User",
    "GIT_COMMITTER_EMAIL": "user@example.com",
    "GIT_CONFIG_NOSYSTEM": "1",
}


def engine_executions(todo: list[Sample], pool: Pool, jobs: int) -> int:
    """The same over the engine with a fresh store; returns the number of executions that it made."""
    with tempfile.TemporaryDirectory() as directory, Store(Path(directory) / "bench.db") as store:
        context = context_of(pool, 10.0)
        plan = RunPlan(todo, len(todo), resolve("direct"), (resolve("nested"),), context, jobs)
        recorder = Recorder(store, "bench", lambda: "")
        count = 0
        for event in replay(plan, machinery(pool, 10.0), store.observations):
            recorder.handle(event)
            if isinstance(event, Judged):
                count += event.executed
        return count


def compare_rates(rounds: int, jobs: int) -> dict[str, object]:
    """Executions a second of both sides, taken in turn; the ratio is the median of the rounds' ratios."""
    todo = samples()
    ratios: list[float] = []
    plain_rates: list[float] = []
    engine_rates: list[float] = []
    with Pool(jobs) as pool:
        engine_executions(todo, pool, jobs)
        for _ in range(rounds):
            began = time.perf_counter()
            plain_rates.append(plain_executions(todo) / (time.perf_counter() - began))
            began = time.perf_counter()
            engine_rates.append(engine_executions(todo, pool, jobs) / (time.perf_counter() - began))
            ratios.append(engine_rates[-1] / plain_rates[-1])
    return {
        "name": "replay of the public references over direct and nested",
        "jobs": jobs,
        "rounds": rounds,
        "plain_per_second": round(statistics.median(plain_rates), 1),
        "engine_per_second": round(statistics.median(engine_rates), 1),
        "ratio": round(statistics.median(ratios), 3),
        "wanted": ">= 1.7",
    }


def second_diff() -> dict[str, object]:
    """Seconds of `qfuzz diff` on the shipped replies, as a whole process, when the store has everything."""
    replies = sorted(str(path) for path in Path("corpus/replies").glob("*.jsonl"))
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "qfuzz", "diff", *replies, "--db", f"{directory}/bench.db"]
        seconds = []
        for _ in range(4):
            began = time.perf_counter()
            done = subprocess.run(command, capture_output=True, check=False)
            assert done.returncode == 1, done.stderr
            seconds.append(time.perf_counter() - began)
    return {
        "name": "a second diff of the shipped replies",
        "first_seconds": round(seconds[0], 3),
        "again_seconds": round(statistics.median(seconds[1:]), 3),
        "wanted": "again < 1",
    }
