"""Planted causes, and what ends a descent."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qfuzz.bash.parse import Part, Span
from qfuzz.shrink.reply import Reduction, reduce_reply
from qfuzz.shrink.search import Search

Predicate = Callable[[bytes], bool]
PLENTY = 100_000


def no_parser(program: bytes) -> None:  # noqa: ARG001
    return None


def reduced(program: bytes, interesting: Predicate, budget: int = PLENTY) -> Reduction:
    assert interesting(program)
    return reduce_reply(program, interesting, spans=no_parser, budget=budget)


def needs(*parts: bytes) -> Predicate:
    """Holds where all parts occur, in this order, none overlapping another."""

    def holds(program: bytes) -> bool:
        at = 0
        for part in parts:
            found = program.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return True

    return holds


LONG = b"printf '%s\\n' 'one $x two' \"three\" | tee out.txt; echo 'four `y` five' >> out.txt && ./check --all"


@pytest.mark.parametrize(
    ("program", "interesting", "smallest"),
    [
        (LONG, needs(b"printf", b"$"), b"printf $"),
        (LONG, needs(b"$", b"`"), b"printf $'`'"),
        (LONG, needs(b"echo", b"`", b"`"), b"echo ``"),
        (LONG, needs(b"tee"), b"tee"),
        (LONG, needs(b"./check"), b"./check"),
        (LONG, needs(b"printf", b"|", b"tee"), b"printf|tee"),
        (LONG, lambda program: program.startswith(b"printf '%s"), b"printf '%s'"),
        (b"echo a\necho 'b\"c'\necho d", needs(b"\n", b'"'), b"\necho '\"'"),
        (b"cat > f <<'E'\none $x\ntwo \"y\"\nE\necho $z", needs(b"<<", b"$x"), b"<<$x"),
        (b"cat > f <<'E'\none\ntwo \"y\"\nE\n", needs(b"cat", b"<<", b"\n", b'"', b'"'), b'cat<<E\n""'),
        (b'for f in *; do mv "$f" b; done; echo x', needs(b"echo"), b"echo"),
        (b'for f in *; do mv "$f" b; done; echo x', needs(b"for f in", b"; do mv"), b"for f in; do mv;done"),
        (b"echo 'x'", needs(b"echo 'x'"), b"echo 'x'"),
        (b"printf '\xff\xfe$\xe2\x82\xac'", needs(b"printf", b"\xe2\x82\xac"), b"printf \xe2\x82\xac"),
        (b"printf '\xff\xfe$\xe2\x82\xac'", needs(b"\xfe"), b"printf \xfe"),
        (b"anything", lambda _: True, b""),
        (b"", lambda _: True, b""),
        (b"x", needs(b"x"), b"x"),
    ],
)
def test_planted(program: bytes, interesting: Predicate, smallest: bytes) -> None:
    result = reduced(program, interesting)
    assert result.finished
    assert result.smallest == smallest


def test_five_thousand_lines() -> None:
    program = b"".join(b"echo 'line %d'\n" % number for number in range(5000))
    result = reduced(program, needs(b"'line 21'\n", b"echo 'line 4321'"))
    assert result.smallest == b"echo 'line 21'\necho 'line 4321'"
    assert result.calls < 150


def test_five_thousand_lines_of_a_here_document() -> None:
    program = b"cat > f <<'E'\n" + b"".join(b"line %d $x\n" % number for number in range(5000)) + b"E\n"
    result = reduced(program, needs(b"cat", b"<<", b"\n", b"21 $", b"4321 $"))
    assert result.smallest == b"cat<<E\n21 $4321 $"
    assert result.calls < 150


def test_what_failed_before_is_asked_for_again_in_the_end() -> None:
    """A word that can go only after another one, with nothing changed beside it."""
    steps = [b"echo bbb c aaa d", b"echo c aaa d", b"echo c d"]
    result = reduced(steps[0], lambda program: program in steps)
    assert result.smallest == steps[-1]


def test_a_search_moves_down_only() -> None:
    asked: list[bytes] = []

    def interesting(program: bytes) -> bool:
        asked.append(program)
        return True

    search = Search(b"echo b", interesting, PLENTY)
    assert not search.moves_to(b"echo  b")
    assert not search.moves_to(b"echo b")
    assert not search.moves_to(b"echo c")
    assert asked == []
    assert search.moves_to(b"echo a")
    assert (search.program, asked, search.calls) == (b"echo a", [b"echo a"], 1)


@pytest.mark.parametrize("budget", [0, 1, 5, 10])
def test_a_spent_budget_gives_the_best_so_far(budget: int) -> None:
    asked: list[bytes] = []
    interesting = needs(b"echo", b"`")

    def counting(program: bytes) -> bool:
        asked.append(program)
        return interesting(program)

    result = reduce_reply(LONG, counting, spans=no_parser, budget=budget)
    assert not result.finished
    assert result.calls == len(asked) == budget
    assert interesting(result.smallest)
    assert result.smallest == min([LONG, *filter(interesting, asked)], key=len)


def test_an_interrupt_gives_the_best_so_far() -> None:
    whole = reduced(LONG, needs(b"`"))
    calls = 0

    def interrupted(program: bytes) -> bool:
        nonlocal calls
        calls += 1
        if calls == whole.calls - 1:
            raise KeyboardInterrupt
        return b"`" in program

    result = reduce_reply(LONG, interrupted, spans=no_parser, budget=PLENTY)
    assert not result.finished
    assert len(whole.smallest) <= len(result.smallest) < len(LONG)
    assert b"`" in result.smallest


def test_what_the_predicate_raises_is_passed_on() -> None:
    def fails(program: bytes) -> bool:
        raise OSError(program)

    with pytest.raises(OSError, match="printf"):
        reduce_reply(LONG, fails, spans=no_parser, budget=PLENTY)


def test_the_parser_says_where_commands_are() -> None:
    asked: list[bytes] = []

    def halves(program: bytes) -> list[Span]:
        asked.append(program)
        middle = len(program) // 2
        return [Span(0, middle, Part.COMPOUND)] if middle else []

    tried: list[bytes] = []
    program = b"a 'bcd'; a 'efg'; a 'hij'; a 'klm'"

    def records(text: bytes) -> bool:
        tried.append(text)
        return False

    reduce_reply(program, records, spans=halves, budget=1)
    assert asked == [program]
    assert tried == [b"a 'hij'; a 'klm'"]
