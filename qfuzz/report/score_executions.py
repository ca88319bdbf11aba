"""The single executions behind a cell: the last step from a figure to what was run."""

from __future__ import annotations

from collections.abc import Iterator

from qfuzz.model.content import JsonValue
from qfuzz.report.score_page import Block, Heading, Table
from qfuzz.score.ledger import NO_STATUS, OUTCOMES
from qfuzz.score.result import ConfigurationScore, Report
from qfuzz.store.keys import short_id


def execution_records(report: Report, cells: tuple[str, ...]) -> Iterator[dict[str, JsonValue]]:
    """One object an execution of these cells; `id` is what `qfuzz explain` and the view `executions` take."""
    for score in report.scores:
        for cell in cells:
            yield from _records(score, cell)


def _records(score: ConfigurationScore, cell: str) -> Iterator[dict[str, JsonValue]]:
    ledger = score.ledger
    contract, transport = score.pair.cells()[cell]
    executions = score.executions.named()[cell]
    for row, trial in zip(executions.row.tolist(), executions.trial.tolist(), strict=True):
        status = int(ledger.exit[row])
        yield {
            "record": "execution",
            "cell": cell,
            "pair": score.pair.name,
            "model": score.configuration[0],
            "effort": score.configuration[1],
            "contract": contract,
            "transport": transport,
            "userland": score.userland,
            "task_id": ledger.tasks[int(ledger.task[row])].task_id,
            "trial": trial,
            "verdict": OUTCOMES[int(ledger.outcome[row])],
            "exit": None if status == NO_STATUS else status,
            "id": short_id(ledger.keys[row]),
        }


def execution_blocks(report: Report, cells: tuple[str, ...]) -> Iterator[Block]:
    """A table for each configuration and cell that has executions."""
    for score in report.scores:
        for cell in cells:
            found = list(_records(score, cell))
            if not found:
                continue
            passed = sum(each["verdict"] == "pass" for each in found)
            yield Heading(
                f"{cell.upper()} of {score.title}, {score.pair.name} on {score.validator.task_set.title}: "
                f"{passed} of {len(found)} pass"
            )
            yield Table(
                ("task", "trial", "verdict", "exit", "id"),
                tuple(
                    (
                        each["task_id"],
                        str(each["trial"]),
                        each["verdict"],
                        "-" if each["exit"] is None else str(each["exit"]),
                        each["id"],
                    )
                    for each in found
                ),
            )
