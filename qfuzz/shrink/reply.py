"""The smallest reply that still fails in the same way: structure first, then text, then every single character."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qfuzz.shrink.cuts import Cut
from qfuzz.shrink.passes import structure, text
from qfuzz.shrink.passes.view import Parser, View
from qfuzz.shrink.repair import OutOfTrials
from qfuzz.shrink.search import OutOfBudget, Search

Pass = Callable[[View], list[Cut]]

PASSES: tuple[Pass, ...] = (
    structure.compounds,
    structure.statements,
    structure.stages,
    structure.redirections,
    structure.words,
    structure.pieces,
    text.lines,
    text.plain_everywhere,
    text.plain_by_data,
    text.plain_runs,
    text.tokens,
    text.all_of_a_kind,
    text.equal_pairs,
    text.single_marks,
    text.escapes,
    structure.marks,
    text.names,
    text.blanks,
)
"""From big to small. They are cheap and find most; `text.each_character` comes after them and decides."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """`calls` are the calls of the predicate. Not `finished`: stopped before the end, `smallest` is the best so far.

    `interrupted`: it was the keyboard that stopped it, and the caller is to stop as well.
    """

    smallest: bytes
    calls: int
    finished: bool
    interrupted: bool = False


def reduce_reply(
    program: bytes,
    interesting: Callable[[bytes], bool],
    *,
    spans: Parser,
    budget: int,
) -> Reduction:
    """The smallest program that the descent from `program` reaches (order and rule: `qfuzz.shrink.order`).

    `interesting` holds for `program` and must answer the same each time it is asked about the same text; it is called
    at most `budget` times, never with what `qfuzz.shrink.guard` refuses, never twice with the same text. `spans` is a
    parser: the spans of a program, or None where it can't read it. When finished, no program that results from taking
    out one character is both admitted and interesting, and reducing the result again gives the result.

    An interrupt from the keyboard in the predicate ends the descent as a spent budget does, and so does OutOfTrials.
    Whatever else the predicate raises is passed on.
    """
    search = Search(program, interesting, budget)
    try:
        _descend(search, spans)
    except (OutOfBudget, OutOfTrials):
        return Reduction(search.program, search.calls, finished=False)
    except KeyboardInterrupt:
        return Reduction(search.program, search.calls, finished=False, interrupted=True)
    return Reduction(search.program, search.calls, finished=True)


def _descend(search: Search, spans: Parser) -> None:
    again = False
    while True:
        before = search.program
        _round(search, spans, again=again)
        if search.program != before:
            again = False
            continue
        search.prune(text.each_character(View(search.program, spans)), again=True)
        if search.program != before:
            again = False
        elif again:
            return
        else:
            # What failed once was passed over until here. The last round asks for all of it.
            again = True


def _round(search: Search, spans: Parser, *, again: bool) -> None:
    view = View(search.program, spans)
    for propose in PASSES:
        if view.program != search.program:
            view = View(search.program, spans)
        search.prune(propose(view), again=again)
