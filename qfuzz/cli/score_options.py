"""Options that `score` and `report` share."""

from __future__ import annotations

import os
from pathlib import Path

import click

from qfuzz.cli.options import Decorated
from qfuzz.model.extras import need

_MAX_DRAWS = 1_000_000
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""The products here are too small to share: threads would wait for one another longer than they work."""


def score_options(function: Decorated) -> Decorated:
    """--db, --pair, --seed, --draws and --allow-unpaired."""
    for option in (
        click.option(
            "--allow-unpaired", is_flag=True, help="Score the part that pairs, and say what was left out, not stop."
        ),
        click.option(
            "--draws",
            type=click.IntRange(100, _MAX_DRAWS),
            default=10_000,
            show_default=True,
            metavar="N",
            help="Resamplings for each interval.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the resampling."),
        click.option(
            "--pair",
            "pairs",
            multiple=True,
            metavar="A:B",
            help="Two paths, as raw:nested or single:nested; may be repeated. Default: raw beside each told of.",
        ),
        click.option(
            "--db",
            type=click.Path(path_type=Path, dir_okay=False),
            default=Path("qfuzz.db"),
            show_default=True,
            help="The store of executions.",
        ),
    ):
        function = option(function)
    return function


def need_numpy(what: str) -> None:
    """To be called before numpy is imported. Raises HostError where the libraries of the extra `score` are missing."""
    need(what, "score")
    for variable in _BLAS_THREADS:
        os.environ.setdefault(variable, "1")
