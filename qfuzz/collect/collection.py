"""A collection: asks in, replies and failures out as they come, with a rate, retries and a way to stop."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256

from qfuzz.collect.answer import NoAnswer, read_answer
from qfuzz.collect.clean import cleaned_reply
from qfuzz.collect.program import End, Ran
from qfuzz.collect.prompts import Prompt
from qfuzz.model.content import canonical_json
from qfuzz.model.reply import Reply

MAX_WAIT_SECONDS = 60.0
"""The longest wait before another try."""

GIVE_UP_AFTER = 10
"""So many asks in a row that fail for good, and the program is taken to be broken."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Who is asked, as replies carry it. `effort` None: left unset."""

    model: str
    effort: str | None


@dataclass(frozen=True, slots=True)
class Ask:
    prompt: Prompt
    trial: int

    def identity(self, operator: Operator) -> tuple[str | None, str, str, str | None, int]:
        """That of the reply to come."""
        return (self.prompt.task_id, operator.model, self.prompt.contract, operator.effort, self.trial)


@dataclass(frozen=True, slots=True)
class Manner:
    """How to ask. `run` runs the program once; `form` is what it prints; `rules` clean what it gave.

    After a failure there are `retries` more tries, the first after about `wait_seconds`, each after twice the wait
    before. `per_minute` limits tries of all jobs together; None does not.
    """

    run: Callable[[Ask, threading.Event], Ran]
    form: str
    rules: tuple[str, ...]
    jobs: int
    retries: int
    wait_seconds: float
    per_minute: float | None


@dataclass(frozen=True, slots=True)
class Collected:
    ask: Ask
    reply: Reply


@dataclass(frozen=True, slots=True)
class Failed:
    """No try gave a reply. `reason` and `errors` (the end of standard error) are those of the last one."""

    ask: Ask
    reason: str
    errors: bytes
    attempts: int


@dataclass(frozen=True, slots=True)
class GaveUp:
    """GIVE_UP_AFTER asks in a row failed; nothing more is asked."""

    last: Failed


@dataclass(frozen=True, slots=True)
class Stopped:
    """The collection was stopped before its end; `left` asks have not been answered."""

    left: int


Event = Collected | Failed | GaveUp | Stopped


_LOOK_SECONDS = 0.2
"""How long a signal may wait."""


class _Pace:
    """Lets a try begin at most `per_minute` times a minute, evenly spaced."""

    def __init__(self, per_minute: float | None) -> None:
        self._space = 0.0 if per_minute is None else 60.0 / per_minute
        self._lock = threading.Lock()
        self._next = time.monotonic()

    def wait(self, stopped: threading.Event) -> None:
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._space
        stopped.wait(turn - now)


def collect(asks: Sequence[Ask], operator: Operator, manner: Manner, stopped: threading.Event) -> Iterator[Event]:
    """Asks, and yields what comes of each ask, in the order of completion.

    Setting `stopped` ends it, and so does closing the generator: what runs is killed, nothing more is asked, and
    replies that had come before are yielded all the same. It is set when the generator has ended.
    """
    pace = _Pace(manner.per_minute)
    done: queue.SimpleQueue[Collected | Failed | BaseException | None] = queue.SimpleQueue()

    def work(ask: Ask) -> None:
        try:
            done.put(_asked(ask, operator, manner, pace, stopped))
        except BaseException as error:
            # A worker has no caller to raise to; the reader of the queue raises it.
            done.put(error)

    waiting = iter(asks)
    in_flight = ended = 0
    in_a_row = 0
    workers = ThreadPoolExecutor(manner.jobs, thread_name_prefix="qfuzz-collect")
    try:
        while True:
            while in_flight < manner.jobs and not stopped.is_set() and (ask := next(waiting, None)) is not None:
                workers.submit(work, ask)
                in_flight += 1
            if not in_flight:
                if stopped.is_set() and (left := len(asks) - ended):
                    yield Stopped(left)
                return
            try:
                event = done.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                # A signal that a worker's thread took is handled here, and only while this thread does something.
                continue
            in_flight -= 1
            if isinstance(event, BaseException):
                raise event
            if event is None:
                continue
            ended += 1
            yield event
            in_a_row = in_a_row + 1 if isinstance(event, Failed) else 0
            if isinstance(event, Failed) and in_a_row == GIVE_UP_AFTER:
                yield GaveUp(event)
                return
    finally:
        stopped.set()
        workers.shutdown(wait=True, cancel_futures=True)


def _asked(
    ask: Ask, operator: Operator, manner: Manner, pace: _Pace, stopped: threading.Event
) -> Collected | Failed | None:
    """What comes of one ask; None if it was stopped."""
    attempts = 0
    while True:
        pace.wait(stopped)
        if stopped.is_set():
            return None
        attempts += 1
        ran = manner.run(ask, stopped)
        if ran.end is End.STOPPED:
            return None
        try:
            answer = read_answer(ran, manner.form)
        except NoAnswer as failure:
            if attempts > manner.retries:
                return Failed(ask, str(failure), ran.errors, attempts)
            told = failure.wait_seconds
            stopped.wait(_wait_before(ask, attempts, manner.wait_seconds) if told is None else told)
            continue
        metadata = {**answer.metadata, "seconds": round(ran.seconds, 3), "attempts": attempts}
        return Collected(ask, cleaned_reply(_reply(ask, operator, answer.program, metadata), manner.rules))


def _reply(ask: Ask, operator: Operator, program: bytes, metadata: Mapping[str, object]) -> Reply:
    return Reply(
        program=program,
        task_id=ask.prompt.task_id,
        contract=ask.prompt.contract,
        model=operator.model,
        trial=ask.trial,
        effort=operator.effort,
        metadata=metadata,
    )


def _wait_before(ask: Ask, attempts: int, first: float) -> float:
    """Seconds before the next try: twice as long each time, and up to a half longer, else by ask than by chance, so
    that asks that failed together do not come again together."""
    digest = sha256(canonical_json([ask.prompt.task_id, ask.trial, attempts])).digest()
    return min(first * 2.0 ** (attempts - 1), MAX_WAIT_SECONDS) * (1 + digest[0] / 512)
