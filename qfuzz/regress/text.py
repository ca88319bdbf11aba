"""What a reader is told of a case that is not as expected, and of a run of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from qfuzz.model.content import JsonValue, encode_content
from qfuzz.model.text import one_line
from qfuzz.regress.judge import Replayed, Standing
from qfuzz.report.explain import WIDTH, Explained, explained_text
from qfuzz.report.marks import quoted_lines

_SAID = {
    Standing.AS_EXPECTED: "as expected",
    Standing.BROKE: "should survive, and breaks",
    Standing.MENDED: "is known as broken, and survives",
    Standing.OTHERWISE: "is known as broken, and breaks in another way",
    Standing.REFUSED: "is not carried",
    Standing.UNJUDGED: "can't be judged",
    Standing.LEFT_OUT: "is left out",
}


def case_line(replayed: Replayed) -> str:
    """One line: place, name, what was expected and what was seen."""
    placed = replayed.placed
    head = f"{placed.where}: {placed.name}"
    return one_line(f"{head}: {_SAID[replayed.standing]}: {_seen(replayed)}", 1000)


def _seen(replayed: Replayed) -> str:
    known, failure = replayed.placed.case.failure, replayed.failure
    if replayed.standing is Standing.OTHERWISE:
        return f"{known} became {failure}: {replayed.what}"
    return replayed.what if failure is None else f"{failure}: {replayed.what}"


def case_lines(replayed: Replayed, explained: Explained | None) -> Iterator[str]:
    """The line of a case, and below it all that is known about it: the explain view where it broke."""
    yield case_line(replayed)
    if replayed.standing is Standing.LEFT_OUT:
        return
    if explained is not None:
        page = list(explained_text(explained))
        # Its title, up to the first blank line, is the line above.
        yield from (f"  {line}".rstrip() for line in page[page.index("") + 1 :])
        return
    case = replayed.placed.case
    yield "  The reply"
    yield from (f"  {line}".rstrip() for line in quoted_lines(case.program, WIDTH))
    if case.failure is not None:
        yield f"  It was found as {case.failure}" + (f": {one_line(case.reason)}" if case.reason else "")
    if replayed.standing is Standing.MENDED:
        yield f'  If that is the fix, write "expect":"survives" at {replayed.placed.where}, and it stays fixed'


def case_record(replayed: Replayed) -> dict[str, JsonValue]:
    """One case for machines."""
    placed, failure = replayed.placed, replayed.failure
    return {
        "name": placed.name,
        "where": placed.where,
        "transport": placed.case.transport,
        "expect": placed.case.expect.value,
        "standing": replayed.standing.value,
        "failure": None
        if failure is None
        else {"way": failure.way.value, "channels": [channel.value for channel in failure.channels]},
        "what": replayed.what,
        "reply": encode_content(placed.case.program),
    }


def summary(counts: Counter[Standing]) -> str:
    """The last line: all cases by how they stand."""
    named = {
        Standing.AS_EXPECTED: "as expected",
        Standing.BROKE: "broke",
        Standing.MENDED: "survived though known as broken",
        Standing.OTHERWISE: "broke in another way",
        Standing.REFUSED: "not carried",
        Standing.UNJUDGED: "not judged",
        Standing.LEFT_OUT: "left out",
    }
    parts = [f"{counts[each]} {said}" for each, said in named.items() if counts[each] or each is Standing.AS_EXPECTED]
    total = counts.total()
    return f"{total} case{'s' if total != 1 else ''}: {', '.join(parts)}"


def exit_status(counts: Counter[Standing], *, refused_is_fault: bool, left_out_is_fault: bool = True) -> int:
    """1 where a case is not as expected, 2 where something could not be judged or nothing was shown at all, else 0.

    What was left out could not be judged, unless `left_out_is_fault` is false.
    """
    faults = counts[Standing.BROKE] + counts[Standing.MENDED] + counts[Standing.OTHERWISE]
    if faults or (refused_is_fault and counts[Standing.REFUSED]):
        return 1
    unjudged = counts[Standing.UNJUDGED] or (left_out_is_fault and counts[Standing.LEFT_OUT])
    return 2 if unjudged or not counts[Standing.AS_EXPECTED] else 0


def counted(standings: Iterable[Standing]) -> Counter[Standing]:
    return Counter(standings)
