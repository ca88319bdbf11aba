"""The pytest plugin: breaker files as tests, and fixtures that replay and fuzz.

pytest imports this module in every run of every project that has qfuzz installed, so it loads nothing but pytest:
what is needed comes with the first breaker file or fixture that is used.
"""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from qfuzz.pytest_plugin.fixtures import FIXTURES, assert_escapes, assert_faithful, qfuzz_replay, qfuzz_transport
from qfuzz.pytest_plugin.lab import check_options, close_lab

if TYPE_CHECKING:
    from qfuzz.pytest_plugin.items import BreakerFile

__all__ = ["assert_escapes", "assert_faithful", "qfuzz_replay", "qfuzz_transport"]

SUFFIX = ".breakers.jsonl"
"""That of `qfuzz.model.case`, which is not loaded until a file has it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("qfuzz", "replaying shell commands (qfuzz)")
    group.addoption(
        "--qfuzz-config",
        metavar="FILE",
        help="The qfuzz.toml with own transports. Default: the one of the root folder.",
    )
    group.addoption(
        "--qfuzz-transport",
        metavar="STACK",
        help="Replay the programs of all breaker files over this transport, which each should survive.",
    )
    group.addoption(
        "--qfuzz-jobs", metavar="N", type=_jobs, default=1, help="Jails of each test process, 1 to 256. Default: 1."
    )
    group.addoption(
        "--qfuzz-timeout",
        metavar="SECONDS",
        type=_seconds,
        default=10.0,
        help="The longest that one execution may take. Default: 10.",
    )
    group.addoption(
        "--qfuzz-isolation",
        choices=("bwrap", "none"),
        default="bwrap",
        help="'none' gives up the jail, for breaker files that somebody has read, and for nothing else.",
    )


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= 256):
        raise ArgumentTypeError(f"must be 1 to 256, not {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    """The bounds are those of `qfuzz.model.bounds`, which is not loaded for it."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0.05 <= seconds <= 3600:
        raise ArgumentTypeError(f"must be 0.05 to 3600 seconds, not {text!r}")
    return seconds


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "qfuzz: runs shell commands in qfuzz's jail.")
    check_options(config)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    # Not later: a worker of pytest-xdist is ended before it comes to pytest_unconfigure.
    close_lab(session.config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> BreakerFile | None:
    if not file_path.name.endswith(SUFFIX):
        return None
    from qfuzz.pytest_plugin.items import BreakerFile

    return BreakerFile.from_parent(parent, path=file_path)


def pytest_itemcollected(item: pytest.Item) -> None:
    """A test that asks for a fixture of ours is selected by `-m qfuzz` too."""
    if FIXTURES.intersection(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.qfuzz)
