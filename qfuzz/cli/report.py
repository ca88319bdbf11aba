"""`qfuzz report`: a score explained, from a database alone, down to the single executions."""

from __future__ import annotations

from pathlib import Path

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.options import tasks_option
from qfuzz.cli.score_options import need_numpy, score_options


@click.command()
@tasks_option
@score_options
@config_option
@click.option("--plain", is_flag=True, help="Text for a terminal instead of Markdown.")
@click.option("--no-executions", is_flag=True, help="Leave out the tables of single executions.")
def command(
    task_sets: tuple[Path, ...],
    db: Path,
    pairs: tuple[str, ...],
    seed: int,
    draws: int,
    allow_unpaired: bool,
    plain: bool,
    no_executions: bool,
) -> int:
    """Write the score of what a store holds as one document: every table, and every execution behind its figures.

    It is what `qfuzz score --markdown` prints, by family, tier and hazard, and then what `qfuzz score --list` prints.

    \b
    Example:
        qfuzz report --db qfuzz.db > report.md
    """
    need_numpy("qfuzz report")
    # numpy and what needs it: not for the help, and not where they are missing.
    from qfuzz.cli import scoring

    request = scoring.request_of(pairs, task_sets, (), seed, draws, allow_unpaired=allow_unpaired)
    scoring.print_whole(scoring.score_store(db, request), plain=plain, executions=not no_executions)
    return 0
