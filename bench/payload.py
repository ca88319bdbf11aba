"""What the payload form finds on the shipped replies, and what it costs: one JSON object a transport, then the total.

    python -m bench.payload [--transport STACK ...] [--contract raw] [--list] [--jobs N]

A breaker counts as bound if its minimal payload was found or shown not to be involved. Executions are counted for each
breaker by itself, nothing is remembered between two of them; asking a shell for its syntax is not counted.
"""

from __future__ import annotations

import argparse
import importlib.resources
import json
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.machinery import machinery
from qfuzz.gen.heldout import HELD_OUT_NAME
from qfuzz.gen.public import load_public
from qfuzz.gen.rebuild import with_payloads
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply
from qfuzz.model.task import Fixture, Task
from qfuzz.model.verdict import Outcome
from qfuzz.oracle.judge import judge, judge_undelivered
from qfuzz.shrink.payload import PayloadForm, PayloadStatus, payload_form
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve

TRANSPORTS = ("nested", "single", "json-naive", "sh", "stdin", "double-nested")
WANTED_BOUND, WANTED_SHORT = 0.95, 0.9


class Runner:
    """Executes and judges, each (task, program) once. `executions` counts runs of replies."""

    def __init__(self, machine: Machinery, transport: Transport) -> None:
        self._machine = machine
        self._transport = transport
        self._direct = resolve("direct")
        self._known: dict[tuple[str, Fixture, bytes], Outcome] = {}
        self.executions = 0

    def passes_direct(self, task: Task, program: bytes) -> bool:
        return self.outcome(task, program, self._direct) is Outcome.PASS

    def breaks_as(self, outcome: Outcome) -> Callable[[Task, bytes], bool]:
        return lambda task, program: (
            self.passes_direct(task, program) and self.outcome(task, program, self._transport) is outcome
        )

    def transported(self, task: Task, program: bytes) -> Outcome:
        return self.outcome(task, program, self._transport)

    def outcome(self, task: Task, program: bytes, transport: Transport) -> Outcome:
        key = (transport.name, task.fixture, program)
        if key not in self._known:
            self._known[key] = self._run(task, program, transport)
        return self._known[key]

    def _run(self, task: Task, program: bytes, transport: Transport) -> Outcome:
        delivery = transport.deliver(program)
        if not isinstance(delivery, Launch):
            return judge_undelivered(delivery).outcome
        self.executions += 1
        observation = self._machine.run(delivery, task.fixture)
        verdict = judge(task, observation)
        if not verdict.passed and observation.status.code not in (0, None):
            verdict = judge(task, self._with_syntax(delivery, task.fixture, observation))
        return verdict.outcome

    def _with_syntax(self, launch: Launch, fixture: Fixture, observation: Observation) -> Observation:
        arrived: bytes | None = launch.program
        if launch.inner_shells:
            if not self._machine.parses("bash", launch.program):
                return replace(observation, parses=False)
            arrived = self._machine.recorder().text(launch, fixture)
        return replace(observation, parses=arrived is None or self._machine.parses(launch.shell, arrived))


@dataclass(frozen=True, slots=True)
class Measured:
    """One breaker with its form, and the executions that it took."""

    transport: str
    reply: Reply
    form: PayloadForm
    executions: int

    @property
    def bound(self) -> bool:
        return self.form.status is not PayloadStatus.NOT_BOUND

    @property
    def characters(self) -> int:
        """The length of the minimal payload; only where there is one."""
        assert self.form.minimal is not None, "not bound"
        return len(self.form.minimal.decode("utf-8"))

    @property
    def chosen_characters(self) -> int:
        """The same without a last newline that every payload of the family must have."""
        form = self.form
        assert form.task is not None, "not bound"
        assert form.role is not None, "not bound"
        assert form.minimal is not None, "not bound"
        bare = form.minimal.removesuffix(b"\n")
        required = (
            bare != form.minimal and with_payloads(form.task)({**form.task.payloads, form.role: bare + b"x"}) is None
        )
        return self.characters - required


def shipped_replies() -> Iterator[Reply]:
    for path in sorted((importlib.resources.files("qfuzz_corpus") / "replies").iterdir(), key=lambda path: path.name):
        if path.name.endswith(".jsonl") and not path.name.startswith(HELD_OUT_NAME):
            yield from map(decode_reply, path.read_bytes().splitlines())


def measure_one(machine: Machinery, task: Task, reply: Reply, transport: Transport) -> Measured | None:
    """The form of one reply, or None where it is no breaker."""
    first = Runner(machine, transport)
    outcome = first.transported(task, reply.program)
    if outcome in (Outcome.PASS, Outcome.REFUSED) or not first.passes_direct(task, reply.program):
        return None
    runner = Runner(machine, transport)
    form = payload_form(task, reply.program, with_payloads(task), runner.passes_direct, runner.breaks_as(outcome))
    return Measured(transport.name, reply, form, runner.executions)


def measure(transports: Sequence[str], contract: str | None, jobs: int) -> list[Measured]:
    tasks = {task.task_id: task for task in load_public()}
    replies = [reply for reply in shipped_replies() if contract in (None, reply.contract)]
    with Pool(jobs) as pool, ThreadPoolExecutor(jobs) as workers:
        machine = machinery(pool, 10.0)
        futures = [
            workers.submit(measure_one, machine, tasks[reply.task_id or ""], reply, resolve(name))
            for name in transports
            for reply in replies
        ]
        return [measured for future in futures if (measured := future.result()) is not None]


def figures(name: str, measured: Sequence[Measured]) -> dict[str, object]:
    """Shares and costs of these breakers, at least one."""
    costs = sorted(each.executions for each in measured)
    minimal = [each for each in measured if each.form.status is PayloadStatus.MINIMAL]
    statuses = Counter(each.form.status.value for each in measured)
    reasons = Counter(each.form.reason.value for each in measured if each.form.reason is not None)
    return {
        "name": f"payload of the breakers over {name}",
        "breakers": len(measured),
        "statuses": dict(sorted(statuses.items())),
        "reasons": dict(sorted(reasons.items())),
        "bound": _share([each.bound for each in measured]),
        "wanted_bound": WANTED_BOUND,
        "at_most_two_characters": _share([each.characters <= 2 for each in minimal]),
        "at_most_two_beside_a_required_newline": _share([each.chosen_characters <= 2 for each in minimal]),
        "wanted_at_most_two_characters": WANTED_SHORT,
        "executions_median": statistics.median(costs),
        "executions_p90": costs[min(len(costs) - 1, len(costs) * 9 // 10)],
        "executions_most": costs[-1],
    }


def _share(answers: Sequence[bool]) -> float | None:
    return round(sum(answers) / len(answers), 3) if answers else None


def raw_over_nested() -> dict[str, object]:
    """The figures of the shipped raw replies over nested, which the project's bars are about."""
    return figures("the raw replies over nested", measure(("nested",), "raw", 2))


def listed(each: Measured) -> dict[str, object]:
    form = each.form
    return {
        "transport": each.transport,
        "task_id": each.reply.task_id,
        "contract": each.reply.contract,
        "trial": each.reply.trial,
        "status": form.status.value,
        "reason": None if form.reason is None else form.reason.value,
        "role": form.role,
        "stack": list(form.stack),
        "minimal": None if form.minimal is None else form.minimal.decode("utf-8"),
        "executions": each.executions,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transport", action="append", help="a transport or stack; may be repeated")
    parser.add_argument("--contract", help="only replies of this contract")
    parser.add_argument("--list", action="store_true", help="each breaker too, before the figures")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    transports = tuple(arguments.transport or TRANSPORTS)
    measured = measure(transports, arguments.contract, arguments.jobs)
    if not measured:
        sys.exit("no reply breaks over these transports")
    if arguments.list:
        for each in measured:
            print(json.dumps(listed(each), ensure_ascii=False))
    for name in transports:
        of_transport = [each for each in measured if each.transport == resolve(name).name]
        if of_transport:
            print(json.dumps(figures(name, of_transport)))
    print(json.dumps(figures("all of them", measured)))


if __name__ == "__main__":
    main()
