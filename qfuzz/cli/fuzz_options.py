"""What every kind of `qfuzz fuzz` is told alike."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from qfuzz.cli.options import a_number

DEFAULT_SECONDS = 10.0

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class FuzzOptions:
    """`seconds` or `examples`, or both, are set. `timeout_seconds` is for one execution, None for the mode's own."""

    seconds: float | None
    examples: int | None
    seed: int
    jobs: int
    timeout_seconds: float | None
    engine: str
    db: Path
    as_json: bool


STORAGE = "HYPOTHESIS_STORAGE_DIRECTORY"
"""Hypothesis's own variable for its folder; processes that are started have it too."""


@contextmanager
def hypothesis_elsewhere() -> Iterator[None]:
    """Keeps Hypothesis from leaving `.hypothesis` in the working directory, unless the user has named a place.

    What qfuzz keeps is in its store; the rest, a cache of constants, is not needed again.
    """
    if os.environ.get(STORAGE):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="qfuzz-hypothesis-", ignore_cleanup_errors=True) as folder:
        os.environ[STORAGE] = folder
        try:
            yield
        finally:
            os.environ.pop(STORAGE, None)


def budget_options(function: Decorated) -> Decorated:
    """--seconds, --examples, --seed and --engine."""
    seconds = click.option(
        "--seconds",
        type=click.FloatRange(min=0, min_open=True),
        callback=a_number,
        metavar="N",
        help=f"Stop after so long. Default: {DEFAULT_SECONDS:g}, unless --examples is given.",
    )
    examples = click.option("--examples", type=click.IntRange(min=1), metavar="N", help="Stop after so many.")
    seed = click.option(
        "--seed",
        type=click.IntRange(min=0, max=2**128 - 1),
        metavar="N",
        help="Decides every choice. Drawn, and shown, if not given.",
    )
    engine = click.option(
        "--engine",
        type=click.Choice(["hypothesis", "atheris"]),
        default="hypothesis",
        show_default=True,
        help="What draws. atheris is guided by coverage (qfuzz[atheris]).",
    )
    return seconds(examples(seed(engine(function))))


def fuzz_options(
    seconds: float | None,
    examples: int | None,
    seed: int | None,
    jobs: int,
    timeout: float | None,
    engine: str,
    db: Path,
    as_json: bool,
) -> FuzzOptions:
    """The options with what was left open decided."""
    return FuzzOptions(
        seconds=DEFAULT_SECONDS if seconds is None and examples is None else seconds,
        examples=examples,
        seed=secrets.randbits(32) if seed is None else seed,
        jobs=jobs,
        timeout_seconds=timeout,
        engine=engine,
        db=db,
        as_json=as_json,
    )
