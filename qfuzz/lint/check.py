"""Lint of one reply."""

from __future__ import annotations

from dataclasses import dataclass

from qfuzz.bash.scan import Scan, contexts
from qfuzz.lint.findings import Finding, Level, Mark, Reader, placed
from qfuzz.lint.layers import all_marks, readers_of
from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Transport


@dataclass(frozen=True, slots=True)
class Linter:
    """Lint over one transport."""

    transport: Transport
    readers: tuple[Reader, ...]

    @staticmethod
    def over(transport: Transport) -> Linter:
        """Raises UsageError for a stack that breaks every reply, or has a layer whose rules lint does not know."""
        return Linter(transport, readers_of(transport))

    def findings(self, program: bytes, scan: Scan | None = None) -> tuple[Finding, ...]:
        """What the transport will treat as its own, in the order of the program; none: it is predicted to arrive whole.

        A declared limit of a boundary is a finding too, at the byte that is too much. Starts nothing.
        """
        scan = contexts(program) if scan is None else scan
        marks = all_marks(program, scan, self.readers)
        delivery = self.transport.deliver(program)
        if isinstance(delivery, Refusal) and not marks:
            offset = min(delivery.offset, len(program))
            rule_id = f"{delivery.boundary}/cannot-carry"
            end = min(offset + 1, len(program))
            marks.append(Mark(offset, end, rule_id, delivery.reason, Level.ERROR))
        return placed(program, scan, marks)
