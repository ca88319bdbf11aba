"""One sample over all transports: what is executed in which order, what is repeated, what is never kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from qfuzz.engine.events import Event, Executed, RunFinished
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.errors import HarnessError
from qfuzz.model.observation import Ending, Observation, Status
from qfuzz.model.task import ExpectFile, Task
from qfuzz.model.verdict import Channel, Outcome
from qfuzz.oracle.compare import Comparison, Stability
from tests.examples import observed, right_state, task_of
from tests.fakes import LATE, Script, events_of, judged

DIRECT = b"echo $x"
NESTED = b'bash -c "echo $x"'
SINGLE = b"bash -c 'echo $x'"
TASK = task_of(ExpectFile(b"out.txt", b"x"))
WRONG = observed()
FAILED = observed(2)
RIGHT = right_state(TASK)


def outcomes(events: list[Event]) -> dict[str, Outcome | None]:
    (event,) = judged(events)
    every = (event.direct, *event.results)
    return {result.transport: result.verdict and result.verdict.outcome for result in every}


def comparisons(events: list[Event]) -> list[Comparison | None]:
    (event,) = judged(events)
    return [result.comparison for result in event.results]


def kept(events: list[Event]) -> list[Observation]:
    """What was kept, but for what arrived."""
    kept = [event.observation for event in events if isinstance(event, Executed)]
    assert all(observation.tapped for observation in kept)
    return [replace(observation, arrived=None, tapped=False) for observation in kept]


def runs_over(script: Script, program: bytes) -> list[str]:
    """How a program was run, the recorder left out."""
    return [kind for kind, each in script.log if each == program and kind != "tap"]


def by_program(answers: dict[bytes, Observation]) -> Callable[[Launch, int], Observation]:
    return lambda launch, ordinal: answers[launch.program]  # noqa: ARG005


def test_each_second_pair_lies_apart_from_its_first() -> None:
    script = Script()
    events = events_of([DIRECT], script, stacks=("nested", "json", "single"))
    assert script.runs == [DIRECT, NESTED, SINGLE, DIRECT, NESTED, SINGLE]
    diverged = Comparison(Stability.DIVERGED, (Channel.STDOUT,))
    assert comparisons(events) == [diverged, Comparison(Stability.SAME), diverged]


def test_a_path_that_does_not_differ_runs_once() -> None:
    script = Script(by_program({DIRECT: WRONG, NESTED: WRONG}))
    events = events_of([DIRECT], script)
    assert script.runs == [DIRECT, NESTED, DIRECT]
    assert comparisons(events) == [Comparison(Stability.SAME)]


def test_what_a_run_shares_with_itself_is_not_recalled() -> None:
    finished = events_of([DIRECT], Script(), stacks=("json", "nested", "json-naive"))[-1]
    assert isinstance(finished, RunFinished)
    assert (finished.executed, finished.recalled) == (4, 0)


@pytest.mark.parametrize("changing", [DIRECT, NESTED])
def test_a_difference_that_the_second_pair_does_not_show_is_none(changing: bytes) -> None:
    def answer(launch: Launch, ordinal: int) -> Observation:
        return observed(stdout=b"%d" % ordinal) if launch.program == changing else observed(stdout=b"0")

    events = events_of([DIRECT], Script(answer))
    expected = Stability.NONDETERMINISTIC if changing == DIRECT else Stability.SAME
    assert comparisons(events) == [Comparison(expected)]
    assert not judged(events)[0].results[0].breaker


def test_without_a_task_a_confirmed_divergence_is_a_breaker() -> None:
    (event,) = judged(events_of([DIRECT], Script()))
    assert event.results[0].breaker
    assert event.results[0].verdict is None


def test_a_timeout_is_kept_only_when_it_happens_alone() -> None:
    script = Script(by_program({DIRECT: WRONG, NESTED: LATE}), alone=lambda launch, ordinal: WRONG)  # noqa: ARG005
    events = events_of([DIRECT], script)
    assert runs_over(script, NESTED) == ["run", "alone"]
    assert kept(events) == [WRONG, WRONG, WRONG]
    assert comparisons(events) == [Comparison(Stability.SAME)]

    slow = Script(by_program({DIRECT: WRONG, NESTED: LATE}))
    events = events_of([DIRECT], slow)
    assert comparisons(events) == [Comparison(Stability.DIVERGED, (Channel.STATUS,))]
    # A run that is confirmed alone is not tried in a second pair; the direct one still has to repeat.
    assert runs_over(slow, NESTED) == ["run", "alone"]
    assert slow.runs.count(DIRECT) == 2


def test_a_direct_run_that_does_not_repeat_is_seen_beside_a_timeout() -> None:
    def answer(launch: Launch, ordinal: int) -> Observation:
        return LATE if launch.program == NESTED else observed(stdout=b"%d" % ordinal)

    events = events_of([DIRECT], Script(answer))
    assert comparisons(events) == [Comparison(Stability.NONDETERMINISTIC)]


def test_a_timeout_over_what_claims_to_be_faithful_is_confirmed_half_as_often_as_other_differences() -> None:
    def answer(launch: Launch, ordinal: int) -> Observation:  # noqa: ARG001
        return LATE if launch.files else WRONG

    script = Script(answer)
    events = events_of([DIRECT], script, stacks=("script-file",))
    assert comparisons(events) == [Comparison(Stability.DIVERGED, (Channel.STATUS,))]
    assert [kind for kind, _ in script.log].count("alone") == 4


def test_a_direct_run_without_end_is_not_repeated_and_not_compared() -> None:
    script = Script(by_program({DIRECT: LATE, NESTED: RIGHT}))
    events = events_of([DIRECT], script, task=TASK)
    assert script.log == [("run", DIRECT), ("alone", DIRECT), ("run", NESTED), ("tap", NESTED)]
    assert comparisons(events) == [Comparison(Stability.DIRECT_TIMEOUT)]
    assert outcomes(events) == {"direct": Outcome.TIMEOUT, "nested": Outcome.PASS}
    assert not judged(events)[0].results[0].breaker


def test_a_breaker_passes_directly_and_fails_on_the_path() -> None:
    events = events_of(
        [DIRECT],
        Script(by_program({DIRECT: RIGHT, NESTED: WRONG, SINGLE: RIGHT})),
        task=TASK,
        stacks=("nested", "single"),
    )
    assert outcomes(events) == {"direct": Outcome.PASS, "nested": Outcome.SILENT_WRONG, "single": Outcome.PASS}
    assert [result.breaker for result in judged(events)[0].results] == [True, False]
    # Wrong on both sides is no breaker, however the two differ.
    events = events_of([DIRECT], Script(by_program({DIRECT: WRONG, NESTED: FAILED})), task=TASK)
    assert not judged(events)[0].results[0].breaker
    assert comparisons(events) == [Comparison(Stability.DIVERGED, (Channel.STATUS,))]


def test_a_parser_that_rejects_breaks_and_runs_nothing() -> None:
    for task in (TASK, None):
        script = Script(lambda launch, ordinal: RIGHT)  # noqa: ARG005
        events = events_of([b'echo "x"'], script, stacks=("json-naive",), task=task)
        (result,) = judged(events)[0].results
        assert isinstance(result.undelivered, Rejection)
        assert result.breaker
        assert result.observation_key is None
        assert script.runs == [b'echo "x"'] * 2


def test_a_refusal_is_no_breaker_and_runs_nothing() -> None:
    script = Script(lambda launch, ordinal: RIGHT)  # noqa: ARG005
    events = events_of([b"echo \xff"], script, stacks=("json",), task=TASK)
    (result,) = judged(events)[0].results
    assert isinstance(result.undelivered, Refusal)
    assert outcomes(events) == {"direct": Outcome.PASS, "json": Outcome.REFUSED}
    assert not result.breaker


def test_where_direct_cannot_carry_it_others_are_judged_and_not_compared() -> None:
    long = b"#" * 200_000
    events = events_of([long], Script(lambda launch, ordinal: RIGHT), stacks=("stdin", "nested"), task=TASK)  # noqa: ARG005
    assert outcomes(events) == {"direct": Outcome.REFUSED, "stdin": Outcome.PASS, "nested": Outcome.REFUSED}
    assert comparisons(events) == [None, None]
    script = Script()
    events = events_of([long], script, stacks=("stdin",))
    assert script.log == []
    assert not judged(events)[0].results[0].breaker


def fails_at(program: bytes, ordinal_of_failure: int, answers: dict[bytes, Observation]) -> Script:
    def answer(launch: Launch, ordinal: int) -> Observation:
        if (launch.program, ordinal) == (program, ordinal_of_failure):
            raise HarnessError("the jail is gone")
        return answers[launch.program]

    return Script(answer)


@pytest.mark.parametrize("ordinal", [0, 1])
def test_a_harness_error_is_blamed_on_nobody(ordinal: int) -> None:
    script = fails_at(NESTED, ordinal, {DIRECT: RIGHT, NESTED: WRONG, SINGLE: RIGHT})
    events = events_of([DIRECT], script, task=TASK, stacks=("nested", "single"))
    assert outcomes(events)["nested"] is Outcome.HARNESS_ERROR
    assert outcomes(events)["single"] is Outcome.PASS
    assert [result.breaker for result in judged(events)[0].results] == [False, False]


@pytest.mark.parametrize("ordinal", [0, 1])
def test_a_harness_error_of_the_direct_run_leaves_nothing_to_judge(ordinal: int) -> None:
    script = fails_at(DIRECT, ordinal, {DIRECT: RIGHT, NESTED: WRONG})
    assert set(outcomes(events_of([DIRECT], script, task=TASK)).values()) == {Outcome.HARNESS_ERROR}


def raises(*_: object) -> bool:
    raise HarnessError("the jail is gone")


@pytest.mark.parametrize("failing", [DIRECT, NESTED])
def test_a_harness_error_while_asking_for_syntax_ends_no_run(failing: bytes) -> None:
    script = Script(by_program({DIRECT: WRONG, NESTED: WRONG} | {failing: FAILED}), parses=raises)
    events = events_of([DIRECT, DIRECT], script, task=TASK)
    for event in judged(events):
        by_name = {result.transport: result.verdict for result in (event.direct, *event.results)}
        verdict = by_name["direct" if failing == DIRECT else "nested"]
        assert verdict is not None
        assert verdict.outcome is Outcome.HARNESS_ERROR


def syntax_script(unparsable: set[bytes], arrived: bytes | None) -> Script:
    answers = {DIRECT: RIGHT, NESTED: FAILED}
    return Script(
        by_program(answers),
        parses=lambda shell, text: text not in unparsable,  # noqa: ARG005
        arrived=lambda launch: arrived,  # noqa: ARG005
    )


@pytest.mark.parametrize(
    ("unparsable", "arrived", "outcome", "asked"),
    [
        (set(), b"echo ", Outcome.RUNTIME_ERROR, [NESTED, b"echo "]),
        ({b"echo '"}, b"echo '", Outcome.SHELL_SYNTAX, [NESTED, b"echo '"]),
        ({NESTED}, b"echo ", Outcome.SHELL_SYNTAX, [NESTED]),
        (set(), None, Outcome.RUNTIME_ERROR, [NESTED]),
    ],
)
def test_a_failure_is_asked_for_the_syntax_of_what_arrived(
    unparsable: set[bytes], arrived: bytes | None, outcome: Outcome, asked: list[bytes]
) -> None:
    script = syntax_script(unparsable, arrived)
    events = events_of([DIRECT], script, task=TASK)
    assert outcomes(events) == {"direct": Outcome.PASS, "nested": outcome}
    assert [text for kind, text in script.log if kind == "parses"] == asked


@pytest.mark.parametrize("task", [None, TASK])
def test_syntax_is_not_asked_for_what_did_not_fail(task: Task | None) -> None:
    answers = {DIRECT: RIGHT, NESTED: RIGHT} if task else {DIRECT: FAILED, NESTED: observed(1)}
    script = Script(by_program(answers))
    events_of([DIRECT], script, task=task)
    assert "parses" not in {kind for kind, _ in script.log}


@pytest.mark.parametrize("arrived", [b"echo ", None])
def test_what_arrived_is_looked_for_once_a_launch_and_kept_with_each_of_its_runs(arrived: bytes | None) -> None:
    script = Script(arrived=lambda launch: arrived)  # noqa: ARG005
    events = events_of([DIRECT], script, stacks=("nested", "json"))
    assert [program for kind, program in script.log if kind == "tap"] == [NESTED]
    seen = [event.observation for event in events if isinstance(event, Executed)]
    texts = {(observation.stdout.data, observation.arrived, observation.tapped) for observation in seen}
    assert texts == {(DIRECT, DIRECT, True), (NESTED, arrived, True)}
    assert len(seen) == 4, "an observation is told once"
    assert [result.observation and result.observation.arrived for result in judged(events)[0].results] == [
        arrived,
        DIRECT,
    ]


def test_what_an_older_store_lacks_is_looked_for_and_nothing_is_executed() -> None:
    first = events_of([DIRECT], Script())
    known = {event.key: event.observation for event in first if isinstance(event, Executed)}
    lacking = {key: replace(each, arrived=None, tapped=False) for key, each in known.items()}
    script = Script()
    again = events_of([DIRECT], script, recall=lambda keys: {key: lacking[key] for key in keys if key in lacking})
    assert script.log == [("tap", NESTED)]
    assert {event.key: event.observation for event in again if isinstance(event, Executed)} == known
    assert (judged(again)[0].executed, judged(again)[0].recalled) == (0, 4)


def test_a_recorder_that_fails_costs_no_result() -> None:
    def fail(launch: Launch) -> bytes | None:
        raise HarnessError(launch.shell)

    events = events_of([DIRECT], Script(lambda launch, ordinal: RIGHT, arrived=fail), task=TASK)  # noqa: ARG005
    assert outcomes(events) == {"direct": Outcome.PASS, "nested": Outcome.PASS}
    (result,) = judged(events)[0].results
    assert result.observation is not None
    assert not result.observation.tapped


def test_a_death_by_signal_is_not_seen_as_a_difference() -> None:
    killed = replace(WRONG, status=Status(Ending.SIGNAL, 15))
    events = events_of([DIRECT], Script(by_program({DIRECT: killed, NESTED: observed(143)})))
    assert comparisons(events) == [Comparison(Stability.SAME)]
