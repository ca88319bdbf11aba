"""What `qfuzz diff` prints for people: the table of transports, then the breakers with what differed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from textwrap import wrap
from typing import TextIO

from qfuzz.engine.events import Judged, Result
from qfuzz.engine.shrinking import Shrunk
from qfuzz.model.errors import MAX_LINE
from qfuzz.model.text import counted, one_line
from qfuzz.oracle.compare import Stability
from qfuzz.oracle.describe import describe_difference
from qfuzz.report.causes import CauseGroups
from qfuzz.report.declared import declared_of
from qfuzz.report.tally import Counts, Row, Tally
from qfuzz.report.visible import visible
from qfuzz.store.keys import short_id

WIDTH = 100


@dataclass(frozen=True, slots=True)
class BreakerLine:
    """A breaker as one line; the run's observations are let go once it is made, so that memory stays flat.

    `declared` are the exceptions of the transport that explain all of it, in words; empty where they do not.
    """

    transport: str
    name: str
    outcome: str
    what: str
    id: str
    declared: str = ""


def breaker_lines(event: Judged) -> Iterator[BreakerLine]:
    """The lines of a sample's breakers, in the order of transports."""
    for result in event.results:
        if result.breaker:
            outcome = "diverged" if result.verdict is None else result.verdict.outcome.value
            what = _what(event.direct, result)
            id_ = short_id(result.key)
            declared = "; ".join(each.value for each in declared_of(event.direct, result))
            yield BreakerLine(result.transport, _name(event), outcome, what, id_, declared)


def _name(event: Judged) -> str:
    reply = event.sample.reply
    name = reply.task_id or event.sample.where or f"reply {event.sample.index + 1}"
    return f"{name} ({reply.contract} {reply.trial})"


def _what(direct: Result, result: Result) -> str:
    """What differed on the decisive channels; the verdict's own words where that was not settled."""
    compared = result.comparison is not None and result.comparison.channels
    if compared and direct.observation is not None and result.observation is not None:
        assert result.comparison is not None
        return describe_difference(direct.observation, result.observation, result.comparison.channels)
    return result.verdict.detail if result.verdict is not None else ""


def print_table(tally: Tally, stream: TextIO) -> None:
    """The table of `qfuzz diff`: under each contract one row for each transport, within WIDTH columns."""
    rows = list(tally.rows())
    several_models = len({row.model for row in rows}) > 1
    judged = [row for row in rows if row.with_task]
    compared = [row for row in rows if not row.with_task]
    lines: list[str] = []
    if judged:
        lines += _table(_JUDGED, judged, _judged_cells, several_models)
    if judged and compared:
        lines.append("")
    if compared:
        lines += _table(COMPARED, compared, compared_cells, several_models)
    for line in (*lines, *notes_of(tally, rows)):
        print(line, file=stream)


_JUDGED = ("direct", "over it", "retained", "damage", "exit 0", "rejected", "refused", "breakers")
COMPARED = ("compared", "diverged", "not stable", "no direct end", "rejected", "refused", "breakers")
_GAP = "  "
_UNSETTLED = {Stability.NONDETERMINISTIC: "Not stable", Stability.DIRECT_TIMEOUT: "No direct end"}


def _table(
    heads: tuple[str, ...], rows: list[Row], cells: Callable[[Counts], tuple[str, ...]], several_models: bool
) -> Iterator[str]:
    shown = [(_title(row, several_models), row.transport, cells(row.counts)) for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *(numbers for _, _, numbers in shown), strict=True)]
    names = _names_width([_GAP + transport for _, transport, _ in shown], widths)
    yield from _head(heads, names, widths)
    for title, group in groupby(shown, key=lambda row: row[0]):
        yield title
        for _, transport, numbers in group:
            yield from _row(_GAP + transport, numbers, names, widths)


def table_lines(heads: tuple[str, ...], rows: list[tuple[str, tuple[str, ...]]]) -> Iterator[str]:
    """A table of numbers without groups, within WIDTH columns: names of transports at the left."""
    widths = [max(map(len, column)) for column in zip(heads, *(numbers for _, numbers in rows), strict=True)]
    names = _names_width([name for name, _ in rows], widths)
    yield from _head(heads, names, widths)
    for name, numbers in rows:
        yield from _row(name, numbers, names, widths)


def _names_width(names: list[str], widths: list[int]) -> int:
    return min(max(len("transport"), *map(len, names)), WIDTH - _numbers_width(widths))


def _numbers_width(widths: list[int]) -> int:
    return sum(len(_GAP) + width for width in widths)


def _head(heads: tuple[str, ...], names: int, widths: list[int]) -> Iterator[str]:
    yield _line("transport", heads, names, widths)
    yield "─" * (names + _numbers_width(widths))


def _row(name: str, numbers: tuple[str, ...], names: int, widths: list[int]) -> Iterator[str]:
    if len(name) > names:
        yield name
        name = ""
    yield _line(name, numbers, names, widths)


def _line(name: str, numbers: tuple[str, ...], names: int, widths: list[int]) -> str:
    cells = (_GAP + number.rjust(width) for number, width in zip(numbers, widths, strict=True))
    return name.ljust(names) + "".join(cells)


def _title(row: Row, several_models: bool) -> str:
    title = f"{row.model or 'no model named'}, {row.contract}" if several_models else row.contract
    return one_line(title, WIDTH)


def _judged_cells(counts: Counts) -> tuple[str, ...]:
    damage = counts.damage_points()
    retention = counts.retention()
    return (
        f"{counts.direct_passed}/{counts.judged}",
        f"{counts.transported_passed}/{counts.judged}",
        "-" if retention is None else f"{100 * retention:.1f} %",
        "-" if damage is None else f"{damage:+.1f}",
        f"{counts.failed_with_exit_0}/{counts.failed}",
        str(counts.rejected),
        str(counts.refused),
        str(counts.breakers),
    )


def compared_cells(counts: Counts) -> tuple[str, ...]:
    """The numbers below COMPARED: of replies without a task, in every table."""
    numbers = (
        counts.compared,
        counts.diverged,
        counts.nondeterministic,
        counts.direct_timeouts,
        counts.rejected,
        counts.refused,
        counts.breakers,
    )
    return tuple(map(str, numbers))


def notes_of(tally: Tally, rows: list[Row]) -> Iterator[str]:
    """What stands below a table: matched cells, and counts that stand nowhere in it."""
    several_models = len({row.model for row in rows}) > 1
    for cells in tally.matched_cells():
        of_model = f"{cells.model or 'no model named'}, over" if several_models else "Over"
        yield one_line(
            f"{of_model} {cells.transport}: raw replies pass {cells.rr:.1f} % directly, {cells.rn:.1f} % over it; "
            f"replies told of it pass {cells.nn:.1f} %."
        )
    unstable = sum(row.counts.nondeterministic for row in rows if row.with_task)
    if unstable:
        yield (
            f"Not stable when repeated, so judged by the verdict only: {unstable}. Breakers among them have causes "
            "by verdict, and no smaller reply."
        )
    for stability, places in tally.unsettled.items():
        if places.count:
            more = places.count - len(places.first)
            named = ", ".join(places.first) + (f" and {more} more" if more else "")
            yield from _wrapped(one_line(f"{_UNSETTLED[stability]}, so not compared: {named}.", MAX_LINE))
    no_direct = sum(row.counts.no_direct for row in rows)
    if no_direct:
        yield f"Not to be started directly, so counted nowhere above: {no_direct}."
    harness_errors = sum(row.counts.harness_errors for row in rows)
    if harness_errors:
        yield f"Failed on our side (harness-error), so counted nowhere above: {harness_errors}."
        for reason, count in tally.reasons.items():
            yield from _wrapped(one_line(f"  {count} times: {reason}" if count > 1 else f"  {reason}"))


def _wrapped(line: str) -> list[str]:
    return wrap(line, WIDTH, subsequent_indent="      ", replace_whitespace=False, drop_whitespace=False)


class BreakerList:
    """Counts all breakers and keeps the lines of at most `most` a transport, so that memory stays flat."""

    def __init__(self, transports: tuple[str, ...], most: int) -> None:
        self._most = most
        self._kept: dict[str, dict[str, BreakerLine]] = {transport: {} for transport in transports}
        self._smallest: dict[str, str] = {}
        self._counts = dict.fromkeys(transports, 0)
        self._declared = dict.fromkeys(transports, 0)
        self._groups = CauseGroups()

    def add(self, event: Judged) -> None:
        for line in breaker_lines(event):
            self._counts[line.transport] += 1
            self._declared[line.transport] += bool(line.declared)
            if len(self._kept[line.transport]) < self._most:
                self._kept[line.transport][line.id] = line

    def add_forms(self, shrunk: Shrunk) -> None:
        """What was found out about a breaker, which may have been added before or not yet."""
        self._groups.add(shrunk)
        transport = shrunk.found.breaker.transport.name
        id_ = short_id(shrunk.found.key)
        if id_ in self._kept[transport] and shrunk.forms is not None and shrunk.forms.reply is not None:
            self._smallest[id_] = visible(shrunk.forms.reply.program).replace("\n", "")

    def print(self, stream: TextIO) -> None:
        """The breakers by transport, in input order, with the number of those that were not kept."""
        for transport, count in self._counts.items():
            if not count:
                continue
            declared = self._declared[transport]
            note = f", {declared} of them by what it declares not to keep" if declared else ""
            print(f"\n{transport}: {counted(count, 'breaker')}{note}", file=stream)
            self._groups.print(transport, stream, self._most)
            for line in self._kept[transport].values():
                shown = [f"  {line.id}  {line.name}  {line.outcome}: {line.what}"]
                if line.id in self._smallest:
                    shown.append(f"      smallest: {self._smallest[line.id]}")
                if line.declared:
                    shown.append(f"      declared: {line.declared}")
                for text in shown:
                    print("\n".join(_wrapped(one_line(text))), file=stream)
            more = count - len(self._kept[transport])
            if more:
                print(f"  and {more} more; the view `breakers` of the database lists all", file=stream)
