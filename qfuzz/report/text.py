"""What `qfuzz diff` prints for people: the table of transports, then the breakers with what differed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from qfuzz.engine.events import Judged, Result
from qfuzz.oracle.describe import describe_difference
from qfuzz.report.tally import Counts, Tally
from qfuzz.store.keys import short_id

WIDTH = 100


@dataclass(frozen=True, slots=True)
class BreakerLine:
    """A breaker as one line; the run's observations are let go once it is made, so that memory stays flat."""

    transport: str
    name: str
    outcome: str
    what: str
    id: str


def breaker_lines(event: Judged) -> Iterator[BreakerLine]:
    """The lines of a sample's breakers, in the order of transports."""
    for result in event.results:
        if result.breaker:
            outcome = "diverged" if result.verdict is None else result.verdict.outcome.value
            what = _what(event.direct, result)
            yield BreakerLine(result.transport, _name(event), outcome, what, short_id(result.key))


def _name(event: Judged) -> str:
    reply = event.sample.reply
    name = reply.task_id or f"reply {event.sample.index + 1}"
    return f"{name} ({reply.contract} {reply.trial})"


def _what(direct: Result, result: Result) -> str:
    """What differed on the decisive channels; the verdict's own words where that was not settled."""
    compared = result.comparison is not None and result.comparison.channels
    if compared and direct.observation is not None and result.observation is not None:
        assert result.comparison is not None
        return describe_difference(direct.observation, result.observation, result.comparison.channels)
    return result.verdict.detail if result.verdict is not None else ""


def print_table(tally: Tally, stream: TextIO) -> None:
    """The table of `qfuzz diff`: one row for each contract and transport, within WIDTH columns."""
    console = Console(file=stream, width=WIDTH, highlight=False)
    rows = list(tally.rows())
    several_models = len({model for model, _, _, _ in rows}) > 1
    judged = [row for row in rows if row[3].judged]
    if judged:
        console.print(_judged_table(judged, several_models))
    compared = [row for row in rows if not row[3].judged]
    if compared:
        console.print(_compared_table(compared, several_models))
    for note in _notes(tally):
        console.print(note)


_Row = tuple[str, str, str, Counts]


def _new_table(several_models: bool, columns: tuple[str, ...]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    if several_models:
        table.add_column("model", overflow="fold")
    table.add_column("contract", overflow="fold")
    table.add_column("transport", overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _judged_table(rows: list[_Row], several_models: bool) -> Table:
    columns = ("direct", "over it", "retained", "damage", "exit 0", "rejected", "refused", "breakers")
    table = _new_table(several_models, columns)
    for model, contract, transport, counts in rows:
        damage = counts.damage_points()
        retention = counts.retention()
        cells = (
            f"{counts.direct_passed}/{counts.judged}",
            f"{counts.transported_passed}/{counts.judged}",
            "no data" if retention is None else f"{100 * retention:.1f} %",
            "no data" if damage is None else f"{damage:+.1f}",
            f"{counts.failed_with_exit_0}/{counts.failed}",
            str(counts.rejected),
            str(counts.refused),
            str(counts.breakers),
        )
        table.add_row(*([model] if several_models else []), contract, transport, *cells)
    return table


def _compared_table(rows: list[_Row], several_models: bool) -> Table:
    columns = ("compared", "diverged", "not stable", "no direct end", "rejected", "refused", "breakers")
    table = _new_table(several_models, columns)
    for model, contract, transport, counts in rows:
        cells = (
            counts.compared,
            counts.diverged,
            counts.nondeterministic,
            counts.direct_timeouts,
            counts.rejected,
            counts.refused,
            counts.breakers,
        )
        table.add_row(*([model] if several_models else []), contract, transport, *map(str, cells))
    return table


def _notes(tally: Tally) -> Iterator[str]:
    judged = [(transport, counts) for _, _, transport, counts in tally.rows() if counts.judged]
    unstable = sum(counts.nondeterministic for _, counts in judged)
    if unstable:
        yield f"Not stable when repeated, so judged by the verdict only: {unstable}."
    if tally.harness_errors:
        yield f"Failed on our side (harness-error), so counted nowhere above: {tally.harness_errors}."


class BreakerList:
    """Counts all breakers and keeps the lines of at most `most` a transport, so that memory stays flat."""

    def __init__(self, transports: tuple[str, ...], most: int) -> None:
        self._most = most
        self._kept: dict[str, list[BreakerLine]] = {transport: [] for transport in transports}
        self._counts = dict.fromkeys(transports, 0)

    def add(self, event: Judged) -> None:
        for line in breaker_lines(event):
            self._counts[line.transport] += 1
            if len(self._kept[line.transport]) < self._most:
                self._kept[line.transport].append(line)

    def print(self, stream: TextIO) -> None:
        """The breakers by transport, in input order, with the number of those that were not kept."""
        for transport, count in self._counts.items():
            if not count:
                continue
            print(f"\n{transport}: {count} breaker{'s' if count != 1 else ''}", file=stream)
            for line in self._kept[transport]:
                print(f"  {line.id}  {line.name}  {line.outcome}: {line.what}", file=stream)
            more = count - len(self._kept[transport])
            if more:
                print(f"  and {more} more; the view `breakers` of the database lists all", file=stream)
