"""The breakers that are shipped: there are some for every transport, and each is as its file says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.jail.pool import Pool
from qfuzz.model.case import SUFFIX, Expect
from qfuzz.regress.files import Placed, file_bytes, read_cases
from qfuzz.regress.run import replay_cases
from qfuzz.regress.text import case_line
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve

FOLDER = Path(__file__).resolve().parents[2] / "corpus" / "breakers"
FILES = {path.name.removesuffix(SUFFIX): path for path in sorted(FOLDER.glob(f"*{SUFFIX}"))}
TRANSPORTS = [name for name in load().names() if name != "direct"]
TIMEOUT_SECONDS = 10.0
AT_LEAST_FAITHFUL = 20


@pytest.fixture(scope="module")
def shipped() -> dict[str, tuple[Placed, ...]]:
    return {name: read_cases(path) for name, path in FILES.items()}


def test_every_transport_has_a_file_and_no_file_is_nobodys() -> None:
    assert sorted(FILES) == sorted(TRANSPORTS), "`make breakers` makes those that are missing"


@pytest.mark.parametrize("name", TRANSPORTS)
def test_a_file_holds_what_it_should(shipped: dict[str, tuple[Placed, ...]], name: str) -> None:
    cases = [placed.case for placed in shipped[name]]
    assert {case.transport for case in cases} == {name}
    assert file_bytes(cases) == FILES[name].read_bytes(), "not in the order of the format"
    broken = [case for case in cases if case.expect is Expect.BROKEN]
    assert all(case.reason and case.causes for case in broken)
    if resolve(name).faithful:
        assert len(cases) - len(broken) >= AT_LEAST_FAITHFUL
    else:
        assert broken == cases


def test_every_family_has_a_known_breaker(shipped: dict[str, tuple[Placed, ...]]) -> None:
    placed = [each for cases in shipped.values() for each in cases if each.case.expect is Expect.BROKEN]
    assert {each.task.family for each in placed if each.task is not None} == set(FAMILY_NAMES)


def test_making_them_again_leaves_those_that_are_there() -> None:
    assert sorted(FILES) == sorted(TRANSPORTS), "or it would make some here"
    before = {path: path.stat().st_mtime_ns for path in FILES.values()}
    done = subprocess.run([sys.executable, FOLDER.parents[1] / "scripts" / "corpus_breakers.py"], timeout=60)
    assert done.returncode == 0
    assert {path: path.stat().st_mtime_ns for path in FOLDER.glob(f"*{SUFFIX}")} == before


@pytest.mark.long
def test_every_case_is_as_its_file_says(shipped: dict[str, tuple[Placed, ...]]) -> None:
    here = [name for name in shipped if missing_of(resolve(name)) is None]
    cases = [placed for name in here for placed in shipped[name]]
    jobs = os.cpu_count() or 1
    with Pool(jobs) as pool:
        done = list(replay_cases(cases, machinery(pool, TIMEOUT_SECONDS), TIMEOUT_SECONDS, jobs))
    assert [case_line(replayed) for replayed in done if not replayed.as_expected] == []
    left_out = sorted(set(shipped) - set(here))
    print(f"{len(done)} cases over {len(here)} transports as expected; left out: {left_out}", file=sys.stderr)
