"""The table of all transports: one row each over all contracts and models, and nothing lost in the merging."""

from __future__ import annotations

import io
from dataclasses import replace

from qfuzz.model.reply import Reply
from qfuzz.model.verdict import Outcome
from qfuzz.oracle.compare import Stability
from qfuzz.report.overview import print_overview
from qfuzz.report.tally import Tally
from qfuzz.report.text import WIDTH, print_table
from qfuzz.transports.loader import load
from tests.unit.test_report import event_of, result


def overview_of(tally: Tally) -> list[str]:
    stream = io.StringIO()
    print_overview(tally, stream)
    return stream.getvalue().splitlines()


def tally_of(names: list[str], with_task: bool = True) -> Tally:
    """Two contracts and two models; the first transport keeps all four replies, each next one loses one more."""
    tally = Tally()
    cells = [(contract, model) for contract in ("raw", "native") for model in ("a", "b")]
    for number, (contract, model) in enumerate(cells):
        right = result(Outcome.PASS if with_task else None, Stability.SAME)
        wrong = result(Outcome.SILENT_WRONG if with_task else None, Stability.DIVERGED, breaker=True)
        results = [replace(wrong if number < place else right, transport=name) for place, name in enumerate(names)]
        reply = Reply(b"x", "family/t1-x" if with_task else None, contract, model)
        tally.add(event_of(right, *results, reply=reply, with_task=with_task))
    return tally


def test_every_transport_has_one_row_in_one_screen() -> None:
    names = load().names()
    lines = overview_of(tally_of(names))
    assert len(lines) == 2 + len(names)
    assert max(map(len, lines)) <= WIDTH
    assert {line.split("  ")[0].strip() for line in lines[2:]} == set(names)


def test_rows_are_sums_over_contracts_and_models_and_the_safest_is_first() -> None:
    lines = overview_of(tally_of(["first", "second", "third"]))
    assert [line.split() for line in lines[2:]] == [
        ["first", "100.0", "%", "0", "0/0", "0", "0"],
        ["second", "75.0", "%", "1", "1/1", "0", "0"],
        ["third", "50.0", "%", "2", "2/2", "0", "0"],
    ]


def test_replies_without_a_task_have_the_columns_of_every_table() -> None:
    tally = tally_of(["first", "second"], with_task=False)
    lines = overview_of(tally)
    assert [line.split() for line in lines[2:]] == [
        ["first", "4", "0", "0", "0", "0", "0", "0"],
        ["second", "4", "1", "0", "0", "0", "0", "1"],
    ]
    stream = io.StringIO()
    print_table(tally, stream)
    assert stream.getvalue().splitlines()[0].split() == lines[0].split()
