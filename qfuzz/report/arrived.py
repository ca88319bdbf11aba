"""What `qfuzz diff --arrived` prints: the table of transports, then the texts that did not arrive as they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table

from qfuzz.engine.arrived import Arrival, Arrived, ArrivedAt
from qfuzz.engine.events import Sample
from qfuzz.model.content import JsonValue, encode_content
from qfuzz.model.forms import marked
from qfuzz.report.console import Console
from qfuzz.report.text import WIDTH
from qfuzz.report.visible import visible
from qfuzz.transports.base import Transport

_EXCERPT_BYTES = 24
_MOST_REASONS = 3
_NO_FAULT = (Arrival.SAME, Arrival.UNSEEN, Arrival.REFUSED, Arrival.FAILED)


class ArrivalReport:
    """Counts by transport, and at most `most` lines for each; faults are texts that did not arrive as they were."""

    def __init__(self, transports: tuple[Transport, ...], most: int) -> None:
        self._transports = transports
        self._most = most
        self._counts: dict[str, Counter[Arrival]] = {transport.name: Counter() for transport in transports}
        self._reasons: dict[str, dict[str, None]] = {transport.name: {} for transport in transports}
        self._lines: dict[str, list[str]] = {transport.name: [] for transport in transports}

    def add(self, at: ArrivedAt) -> None:
        for arrived in at.arrivals:
            self._counts[arrived.transport][arrived.arrival] += 1
            if arrived.arrival is Arrival.FAILED:
                self._reasons[arrived.transport].setdefault(str(arrived.undelivered), None)
            if arrived.arrival not in _NO_FAULT:
                lines = self._lines[arrived.transport]
                if len(lines) < self._most:
                    lines.append(f"  {_name(at.sample)}  {_account(at.sample, arrived)}")

    @property
    def failures(self) -> int:
        """Texts at which a path of the user's own failed, so that nothing is known of them."""
        return sum(counts[Arrival.FAILED] for counts in self._counts.values())

    @property
    def faults(self) -> int:
        return sum(map(_faults, self._counts.values()))

    def print(self, stream: TextIO) -> None:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        table.add_column("transport", overflow="fold")
        seldom = {Arrival.UNSEEN, Arrival.FAILED}
        columns = [each for each in Arrival if each not in seldom or any(c[each] for c in self._counts.values())]
        for arrival in columns:
            table.add_column(arrival.value, justify="right", no_wrap=True)
        table.add_column("equality is", overflow="fold")
        for transport in self._transports:
            counts = self._counts[transport.name]
            meaning = f"not enough: {transport.arrival_note}" if transport.arrival_note else "what it should give"
            table.add_row(transport.name, *(str(counts[arrival]) for arrival in columns), meaning)
        Console(file=stream, width=WIDTH, highlight=False).print(table)
        for transport in self._transports:
            for reason in list(self._reasons[transport.name])[:_MOST_REASONS]:
                print(f"harness-error: {reason}", file=stream)
            lines = self._lines[transport.name]
            if lines:
                total = sum(self._counts[transport.name].values())
                faults = _faults(self._counts[transport.name])
                print(f"\n{transport.name}: {faults} of {total} did not arrive as they were", file=stream)
                print("\n".join(lines), file=stream)
                if faults > len(lines):
                    print(f"  and {faults - len(lines)} more", file=stream)


def _faults(counts: Counter[Arrival]) -> int:
    return sum(count for arrival, count in counts.items() if arrival not in _NO_FAULT)


def arrival_records(at: ArrivedAt) -> Iterator[dict[str, JsonValue]]:
    """One object for each transport: identity, `transport`, `arrival`, `arrived` (content or null), `offset`."""
    reply = at.sample.reply
    for arrived in at.arrivals:
        yield {
            "task_id": reply.task_id,
            "model": reply.model,
            "contract": reply.contract,
            "trial": reply.trial,
            "index": at.sample.index,
            "transport": arrived.transport,
            "arrival": arrived.arrival.value,
            "arrived": None if arrived.text is None else encode_content(arrived.text),
            "offset": arrived.offset,
        }


def _name(sample: Sample) -> str:
    return sample.reply.task_id or sample.where or f"reply {sample.index + 1}"


def _account(sample: Sample, arrived: Arrived) -> str:
    if arrived.undelivered is not None:
        return f"rejected: {visible(getattr(arrived.undelivered, 'message', ''))}"
    if arrived.text is None or arrived.offset is None:
        return "lost: no text reached the last shell"
    program = sample.reply.program
    place = marked(program, arrived.offset, "", "")
    return (
        f"{place.line}:{place.column} {_excerpt(program, arrived.offset)} became "
        f"{_excerpt(arrived.text, arrived.offset)}"
    )


def _excerpt(text: bytes, offset: int) -> str:
    part = text[offset : offset + _EXCERPT_BYTES]
    if not part:
        return "the end"
    more = "..." if len(text) > offset + _EXCERPT_BYTES else ""
    return f"'{' '.join(visible(part).splitlines())}{more}'"
