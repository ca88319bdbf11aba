"""Each public report shows on the transport that it is about, in a program of this project's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Rejection
from qfuzz.model.observation import Kind, Observation
from qfuzz.model.task import Fixture
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import resolve
from tests.reports.model import Left, Report
from tests.reports.reports import REPORTS as TEXTS
from tests.reports.template_reports import REPORTS as TEMPLATES
from tests.reports.terminal_reports import REPORTS as TERMINALS

PUBLIC = Path(__file__).resolve().parents[3] / "shared" / "data" / "bug_reports.jsonl"
SECONDS = 60.0
REPORTS = (*TEXTS, *TEMPLATES, *TERMINALS)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def run(pool: Pool, transport: str, program: bytes) -> Observation | Rejection:
    delivery = resolve(transport).deliver(program)
    assert isinstance(delivery, Launch | Rejection)
    return machinery(pool, SECONDS).run(delivery, Fixture()) if isinstance(delivery, Launch) else delivery


def left(observation: Observation) -> Left:
    assert observation.status.code is not None
    files = {path: entry.content for path, entry in observation.tree.entries.items() if entry.kind is Kind.FILE}
    return Left(observation.status.code, observation.stdout.data, files)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: f"{report.transport}-{report.links[0][-20:]}")
def test_a_report_shows_on_its_transport(pool: Pool, report: Report) -> None:
    missing = missing_of(resolve(report.transport))
    if missing is not None:
        pytest.skip(str(missing))
    direct = run(pool, "direct", report.program)
    assert isinstance(direct, Observation)
    assert left(direct) == report.direct
    over = run(pool, report.transport, report.program)
    if isinstance(report.over, str):
        assert isinstance(over, Rejection)
        assert report.over in over.message
        return
    assert isinstance(over, Observation), over
    assert left(over) == report.over
    assert report.stderr in over.stderr.data
    assert report.over != report.direct or report.stderr not in direct.stderr.data


def test_programs_are_this_projects_own() -> None:
    if not PUBLIC.exists():
        pytest.skip("the public reports are not beside the checkout")
    theirs = {json.loads(line)["reply"].encode() for line in PUBLIC.read_text().splitlines()}
    assert [report.program for report in REPORTS if report.program in theirs] == []
