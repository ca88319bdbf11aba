"""Laws of the reducer, under predicates of every temper."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from qfuzz.bash.parse import Part, Span
from qfuzz.shrink.cuts import characters
from qfuzz.shrink.guard import Guard
from qfuzz.shrink.order import is_smaller
from qfuzz.shrink.reply import Reduction, reduce_reply
from tests.property.programs import SHIPPED_STYLE, pieces, texts

Predicate = Callable[[bytes], bool]
PLENTY = 20_000


def no_parser(program: bytes) -> None:  # noqa: ARG001
    return None


def reduced(program: bytes, interesting: Predicate) -> Reduction:
    return reduce_reply(program, interesting, spans=no_parser, budget=PLENTY)


def holds_characters(program: bytes, chosen: list[int]) -> Predicate:
    """Holds while the chosen characters of `program` are left, in their order, whatever lies between."""
    ranges = characters(program)
    wanted = [program[slice(*ranges[index])] for index in sorted(set(chosen))]

    def holds(candidate: bytes) -> bool:
        at = 0
        for each in wanted:
            found = candidate.find(each, at)
            if found < 0:
                return False
            at = found + len(each)
        return True

    return holds


def capricious(program: bytes, seed: int, ease: int) -> Predicate:
    """Holds for `program`, and for a share of all others that has no rule to it but is always the same."""

    def holds(candidate: bytes) -> bool:
        digest = sha256(seed.to_bytes(4, "big") + candidate).digest()
        return candidate == program or digest[0] < ease

    return holds


@st.composite
def problems(draw: st.DrawFn) -> tuple[bytes, Predicate]:
    program = draw(st.one_of(pieces, texts, st.sampled_from(SHIPPED_STYLE)))
    if draw(st.booleans()):
        seed = draw(st.integers(0, 2**32 - 1))
        return program, capricious(program, seed, draw(st.sampled_from([3, 30, 130, 250])))
    positions = st.integers(0, max(0, len(characters(program)) - 1))
    return program, holds_characters(program, draw(st.lists(positions, max_size=4)) if program else [])


@given(problems())
def test_the_result_is_minimal_by_character(problem: tuple[bytes, Predicate]) -> None:
    program, interesting = problem
    result = reduced(program, interesting)
    guard = Guard(program)
    assert result.finished
    assert interesting(result.smallest)
    assert guard.admits(result.smallest)
    for start, end in characters(result.smallest):
        candidate = result.smallest[:start] + result.smallest[end:]
        assert not (guard.admits(candidate) and interesting(candidate))


@given(problems())
def test_to_reduce_again_changes_nothing(problem: tuple[bytes, Predicate]) -> None:
    program, interesting = problem
    smallest = reduced(program, interesting).smallest
    assert reduced(smallest, interesting).smallest == smallest


@given(problems())
def test_the_path_is_determined_and_goes_down(problem: tuple[bytes, Predicate]) -> None:
    program, interesting = problem
    paths: list[list[tuple[bytes, bool]]] = []
    for _ in range(2):
        path: list[tuple[bytes, bool]] = []

        def asks(candidate: bytes, path: list[tuple[bytes, bool]] = path) -> bool:
            path.append((candidate, interesting(candidate)))
            return path[-1][1]

        reduced(program, asks)
        paths.append(path)
    assert paths[0] == paths[1]
    steps = [program, *(candidate for candidate, accepted in paths[0] if accepted)]
    assert all(is_smaller(later, earlier) for earlier, later in itertools.pairwise(steps))


@given(problems())
def test_nothing_is_asked_twice_and_nothing_that_is_refused(problem: tuple[bytes, Predicate]) -> None:
    program, interesting = problem
    guard = Guard(program)
    asked: list[bytes] = []

    def asks(candidate: bytes) -> bool:
        asked.append(candidate)
        return interesting(candidate)

    result = reduced(program, asks)
    assert result.calls == len(asked) == len(set(asked))
    assert program not in asked
    assert all(guard.admits(candidate) for candidate in asked)


@given(problems(), st.integers(0, 30))
def test_a_budget_is_kept_and_cuts_the_same_path_short(problem: tuple[bytes, Predicate], budget: int) -> None:
    program, interesting = problem
    whole = reduced(program, interesting)
    part = reduce_reply(program, interesting, spans=no_parser, budget=budget)
    assert part.finished == (whole.calls <= budget)
    assert part.calls == min(budget, whole.calls)
    assert interesting(part.smallest)
    assert part.smallest == whole.smallest or is_smaller(whole.smallest, part.smallest)


@given(problems(), st.data())
def test_any_spans_will_do(problem: tuple[bytes, Predicate], data: st.DataObject) -> None:
    """A parser may be wrong: the spans steer the descent, and decide nothing."""
    program, interesting = problem
    seed = data.draw(st.integers(0, 1000))

    def misread(candidate: bytes) -> list[Span]:
        parts = list(Part)
        digest = sha256(seed.to_bytes(4, "big") + candidate).digest()
        size = len(candidate)
        if not size:
            return []
        starts = [byte % size for byte in digest[:6]]
        return [Span(at, min(size, at + 1 + digest[8] % 7), parts[at % len(parts)]) for at in starts]

    result = reduce_reply(program, interesting, spans=misread, budget=PLENTY)
    assert result.finished
    assert interesting(result.smallest)
    assert reduce_reply(result.smallest, interesting, spans=misread, budget=PLENTY).smallest == result.smallest
