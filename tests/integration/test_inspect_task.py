"""`inspect eval qfuzz/crossover` as a user calls it, against a server on loopback: asked, stopped, taken up again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log_samples

from qfuzz.collect.prompts import BASH_TOOL, parse_contract, system_text
from qfuzz.gen.public import load_public
from qfuzz.inspect.logs import ReadLog, convert_logs
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply
from tests.cli.command import qfuzz
from tests.integration.loopback import LoopbackModel

INSPECT = Path(sys.executable).with_name("inspect")
MODEL = "openai-api/local/tiny"


def inspect(model: LoopbackModel, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [INSPECT, *arguments, "--display", "plain", "--log-dir", "logs"],
        cwd=folder,
        env={**os.environ, **model.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def evaluate(model: LoopbackModel, folder: Path, *arguments: str) -> str:
    """Runs to the end, which must be a good one."""
    running = inspect(model, folder, "eval", "qfuzz/crossover", "--model", MODEL, *arguments)
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 0, said
    return said


def logs(folder: Path) -> list[Path]:
    return sorted((folder / "logs").iterdir())


def replies(*paths: Path) -> tuple[list[Reply], list[ReadLog]]:
    with ExitStack() as cleanup:
        found = list(convert_logs(paths, cleanup).values())
        lines = [line for log in found if log.file for line in log.file.path.read_bytes().splitlines()]
    return [decode_reply(line) for line in lines], found


@pytest.mark.long
def test_native_calls_are_recorded_through_limits_and_failures_of_the_server(tmp_path: Path) -> None:
    refusals: dict[int, tuple[int, dict[str, str]]] = {0: (429, {"Retry-After": "0"}), 2: (500, {})}
    with LoopbackModel(refuses=refusals.get) as model:
        further = ("-T", "contract=native", "-T", "families=sed-replace,git-commit", "-T", "tiers=0,3")
        said = evaluate(
            model, tmp_path, *further, "-T", "transports=nested", "--reasoning-effort", "low", "--epochs", "2"
        )
    assert "direct" in said
    assert "nested" in said
    # Eight samples and two refusals: one generation a sample, and nothing is asked after the call.
    assert len(model.requests) == 10
    for request in model.requests:
        (tool,) = request["tools"]
        assert {key: tool["function"][key] for key in BASH_TOOL} == BASH_TOOL
        assert request["messages"][0]["content"] == system_text(parse_contract("native"))
        assert request["reasoning_effort"] == "low"
    found, (log,) = replies(*logs(tmp_path))
    assert (log.replies, log.errors, log.unfinished, log.without_program) == (8, 0, 0, 0)
    wanted = [task for task in load_public() if task.family in ("sed-replace", "git-commit") and task.tier in (0, 3)]
    assert [(reply.task_id, reply.trial) for reply in found] == [
        (task.task_id, trial) for task in wanted for trial in (0, 1)
    ]
    references = {task.task_id: task.reference for task in wanted}
    for reply in found:
        assert reply.program == references[reply.task_id]
        assert (reply.model, reply.contract, reply.effort) == (MODEL, "native", "low")
        assert reply.metadata["output_tokens"] == 7
        assert reply.metadata["input_tokens"] >= 100
        assert reply.metadata["seconds"] > 0
    # What Inspect shows is what `qfuzz diff` finds in the same log.
    scored = {
        (sample.id, sample.epoch - 1, path): verdict
        for sample in read_eval_log_samples(logs(tmp_path)[0])
        for path, verdict in (sample.scores or {})["paths"].metadata["verdicts"].items()  # type: ignore[union-attr]
    }
    said_by_diff = qfuzz(["diff", logs(tmp_path)[0], "--transport", "nested", "--no-shrink", "--json"], tmp_path)
    assert scored == {
        (record["task_id"], record["trial"], record["transport"]): record["verdict"]
        for record in said_by_diff.records()
    }
    assert {"pass", "silent-wrong"} <= set(scored.values())


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)


@pytest.mark.long
def test_a_stopped_evaluation_is_taken_up_again_and_loses_nothing(tmp_path: Path) -> None:
    """Of eight samples one is refused for good, some are in flight at the stop; a retry asks for these and the rest."""
    slow = 0.2
    arguments = ("-T", "contract=disclosed:single", "-T", "families=write-file,json-write", "--max-connections", "1")
    with LoopbackModel(
        refuses=lambda number: (400, {}) if number == 1 else None, before=lambda _: time.sleep(slow)
    ) as model:
        running = inspect(model, tmp_path, "eval", "qfuzz/crossover", "--model", MODEL, *arguments)
        wait_for(lambda: len(model.requests) > 4)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        (stopped,) = logs(tmp_path)
        before, (log,) = replies(stopped)
        assert 2 <= log.replies < 8
        assert log.errors >= 1
        assert log.replies + log.errors + log.unfinished == 8
        note = f"{stopped}: {log.replies} replies; passed over: {log.errors} ended in an error"
        assert any(line.startswith(note) for line in log.notes())
        asked = len(model.requests)
        slow = 0.0
        again = inspect(model, tmp_path, "eval-retry", str(stopped))
        said, _ = again.communicate(timeout=120)
        assert again.returncode == 0, said
        assert len(model.requests) - asked == 8 - log.replies
    after, (later, earlier) = replies(*logs(tmp_path))
    assert (later.replies, later.errors, later.unfinished) == (8, 0, 0)
    assert (earlier.replies, earlier.file, earlier.repeated) == (0, None, earlier.samples)
    assert [reply for reply in after if reply.identity in {each.identity for each in before}] == before
    assert len({reply.identity for reply in after}) == 8
