"""A collection of asks, with a program that is a function: order, retries, stops."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.collect.collection import (
    GIVE_UP_AFTER,
    Ask,
    Collected,
    Event,
    Failed,
    GaveUp,
    Manner,
    Operator,
    Stopped,
    collect,
)
from qfuzz.collect.program import End, Ran
from qfuzz.collect.prompts import Prompt

OPERATOR = Operator("m", None)
Run = Callable[[Ask, threading.Event], Ran]


def asks(number: int) -> list[Ask]:
    return [Ask(Prompt(f"t/{index}", "raw", "system", "user"), 0) for index in range(number)]


def number_of(ask: Ask) -> int:
    return int(ask.prompt.task_id.removeprefix("t/"))


def printed(text: bytes, status: int = 0) -> Ran:
    return Ran(End.EXITED, status, text, b"", 0.0)


def gather(
    number: int, run: Run, jobs: int = 3, retries: int = 0, stopped: threading.Event | None = None
) -> list[Event]:
    manner = Manner(run, "text", (), jobs, retries, 0.0, None)
    return list(collect(asks(number), OPERATOR, manner, stopped or threading.Event()))


@given(st.lists(st.integers(0, 3), max_size=20), st.integers(1, 4), st.integers(0, 2))
def test_every_ask_comes_to_one_end(failures: list[int], jobs: int, retries: int) -> None:
    """`failures[n]` tries of ask n fail. Those with more than `retries` are failures, the others replies."""
    tries: Counter[int] = Counter()
    lock = threading.Lock()

    def run(ask: Ask, _: threading.Event) -> Ran:
        with lock:
            tries[number_of(ask)] += 1
            return printed(b"ls", 1 if tries[number_of(ask)] <= failures[number_of(ask)] else 0)

    events = gather(len(failures), run, jobs, retries)
    if any(isinstance(event, GaveUp) for event in events):
        assert sum(each > retries for each in failures) >= GIVE_UP_AFTER
        return
    ended = {number_of(event.ask): event for event in events if isinstance(event, (Collected, Failed))}
    assert sorted(ended) == list(range(len(failures)))
    assert len(events) == len(failures)
    for number, event in ended.items():
        if failures[number] > retries:
            assert event == Failed(event.ask, "ended with status 1", b"", retries + 1)
        else:
            assert isinstance(event, Collected)
            assert event.reply.metadata["attempts"] == failures[number] + 1
            assert event.reply.identity == event.ask.identity(OPERATOR)


def test_no_more_than_the_jobs_are_asked_at_a_time() -> None:
    inside = most = 0
    lock = threading.Lock()
    meet = threading.Barrier(3, timeout=30)

    def run(_: Ask, __: threading.Event) -> Ran:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        meet.wait()
        with lock:
            inside -= 1
        return printed(b"ls")

    assert len(gather(9, run)) == 9
    assert most == 3


def test_a_stop_hands_over_what_had_come_and_says_what_is_left() -> None:
    stopped = threading.Event()
    come = threading.Event()

    def run(ask: Ask, seen: threading.Event) -> Ran:
        if number_of(ask) == 0:
            come.set()
            return printed(b"ls")
        come.wait(30)
        stopped.set()
        assert seen.wait(30)
        return Ran(End.STOPPED, -9, b"half a re", b"", 0.0)

    *replies, last = gather(6, run, jobs=2, stopped=stopped)
    assert [event.reply.task_id for event in replies if isinstance(event, Collected)] == ["t/0"]
    assert last == Stopped(5)


def test_closing_it_stops_what_runs() -> None:
    begun, seen = threading.Event(), threading.Event()

    def run(ask: Ask, stopped: threading.Event) -> Ran:
        if number_of(ask):
            begun.set()
            assert stopped.wait(30)
            seen.set()
        assert begun.wait(30)
        return printed(b"ls")

    events = collect(asks(5), OPERATOR, Manner(run, "text", (), 2, 0, 0.0, None), threading.Event())
    assert isinstance(next(events), Collected)
    events.close()  # type: ignore[attr-defined]
    assert seen.is_set()


def test_failures_in_a_row_end_it_and_others_do_not() -> None:
    asked: list[int] = []

    def run(ask: Ask, _: threading.Event) -> Ran:
        asked.append(number_of(ask))
        return printed(b"ls", 0 if number_of(ask) == GIVE_UP_AFTER - 1 else 1)

    events = gather(50, run, jobs=1)
    assert len(asked) == 2 * GIVE_UP_AFTER
    assert isinstance(events[-1], GaveUp)
    assert number_of(events[-1].last.ask) == asked[-1]


def test_a_fault_of_ours_is_raised_and_not_taken_for_a_failure() -> None:
    def run(_: Ask, __: threading.Event) -> Ran:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gather(3, run)


def test_a_program_says_how_long_to_wait() -> None:
    """With a first wait of an hour, only what the program says lets this end."""
    said = [b'{"error": "429", "retry_after": 0.05}', b'{"text": "ls"}']
    manner = Manner(lambda *_: printed(said.pop(0)), "json", (), 1, 1, 3600.0, None)
    (event,) = collect(asks(1), OPERATOR, manner, threading.Event())
    assert isinstance(event, Collected)
    assert event.reply.metadata["attempts"] == 2
