"""What minimal forms cost, for each nested breaker of the shipped raw replies: executions of a reply, and time."""

from __future__ import annotations

import importlib.resources
import statistics
import time
from collections.abc import Iterator

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.forms import form_maker
from qfuzz.engine.laboratory import Breaker, Laboratory
from qfuzz.engine.machinery import machinery
from qfuzz.engine.minimize import MAX_EXECUTIONS
from qfuzz.engine.payload import find_payload
from qfuzz.engine.repair import find_repair
from qfuzz.gen.public import load_public
from qfuzz.gen.rebuild import with_payloads
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.reply_codec import decode_reply
from qfuzz.oracle.judge import judge
from qfuzz.transports.loader import resolve

FILES = ("raw-0.jsonl", "raw-1.jsonl")


def breakers(machines: Machinery) -> Iterator[Breaker]:
    """Replies that pass directly and fail over nested."""
    tasks = {task.task_id: task for task in load_public()}
    direct, nested = resolve("direct"), resolve("nested")
    for name in FILES:
        data = (importlib.resources.files("qfuzz_corpus") / "replies" / name).read_bytes()
        for reply in map(decode_reply, data.splitlines()):
            assert reply.task_id is not None
            task = tasks[reply.task_id]
            straight, wrapped = direct.deliver(reply.program), nested.deliver(reply.program)
            assert isinstance(straight, Launch)
            assert isinstance(wrapped, Launch)
            seen, over = machines.run(straight, task.fixture), machines.run(wrapped, task.fixture)
            if judge(task, seen).passed and not judge(task, over).passed:
                yield Breaker(reply.program, task, task.fixture, nested, seen, over)


def costs() -> dict[str, object]:
    """Executions without and with the reply form, and the time of all forms over that of as many plain replays."""
    with Pool(1) as pool:
        machines = machinery(pool, 10.0)
        found = list(breakers(machines))
        parts = [_without_reply(breaker, machines) for breaker in found]
        with form_maker(machines, strict=False) as make:
            began = time.perf_counter()
            whole = [make(breaker).executions for breaker in found]
            forms_seconds = time.perf_counter() - began
        began = time.perf_counter()
        replayed = 0
        while replayed < sum(whole):
            for breaker in found:
                for transport in (resolve("direct"), breaker.transport):
                    launch = transport.deliver(breaker.program)
                    assert isinstance(launch, Launch)
                    machines.run(launch, breaker.fixture)
                    replayed += 1
        replay_seconds = (time.perf_counter() - began) * sum(whole) / replayed
    return {
        "name": "minimal forms of the nested breakers of the raw replies",
        "breakers": len(found),
        "without_reply": _spread(parts),
        "all": _spread(whole),
        "time_ratio": round(forms_seconds / replay_seconds, 3),
        "wanted": "without reply: median <= 20, 90th <= 40, most <= 80; all: median <= 110, 90th <= 200; time <= 2.5",
    }


def _without_reply(breaker: Breaker, machines: Machinery) -> int:
    assert breaker.task is not None
    laboratory = Laboratory(breaker, machines, MAX_EXECUTIONS)
    find_payload(breaker, laboratory, with_payloads(breaker.task))
    find_repair(breaker, laboratory, lambda _: "")
    return laboratory.executions


def _spread(values: list[int]) -> dict[str, float]:
    return {
        "median": statistics.median(values),
        "90th": sorted(values)[int(0.9 * (len(values) - 1))],
        "most": max(values),
        "sum": sum(values),
    }
