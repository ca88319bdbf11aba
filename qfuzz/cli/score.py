"""`qfuzz score`: how much of a score is generation, how much is damage by the path, how much is compensation."""

from __future__ import annotations

from pathlib import Path

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.options import run_options, tasks_option
from qfuzz.cli.score_options import need_numpy, score_options
from qfuzz.jail.pool import Isolation
from qfuzz.jail.userland import USERLANDS
from qfuzz.model.errors import UsageError


@click.command()
@click.argument("replies", nargs=-1, type=click.Path(path_type=Path), metavar="[REPLIES]...")
@tasks_option
@score_options
@click.option(
    "--userland",
    "userlands",
    multiple=True,
    type=click.Choice(USERLANDS),
    help="Score under this userland; twice, to see the same replies under two. Default: gnu.",
)
@click.option(
    "--by", type=click.Choice(["family", "tier", "hazard"]), help="Show each part of the tasks by itself too."
)
@click.option(
    "--list",
    "listed",
    multiple=True,
    type=click.Choice(["rr", "rn", "nr", "nn"]),
    help="List the single executions of a cell, with ids for `qfuzz explain`, instead of the score.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="JSON Lines: one object a configuration, docs/score.md says which."
)
@click.option("--csv", "as_csv", is_flag=True, help="One row a configuration, as CSV.")
@click.option("--markdown", "as_markdown", is_flag=True, help="The report as Markdown.")
@config_option
@run_options
def command(
    replies: tuple[Path, ...],
    task_sets: tuple[Path, ...],
    db: Path,
    pairs: tuple[str, ...],
    seed: int,
    draws: int,
    allow_unpaired: bool,
    userlands: tuple[str, ...],
    by: str | None,
    listed: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
    as_markdown: bool,
    jobs: int,
    timeout: float,
    isolation: Isolation,
) -> int:
    """Score REPLIES, or without any what the store holds: four cells, damage, compensation, ranks, with intervals.

    A pair names two paths: raw:nested holds replies that were told nothing against ones that were told of nested.
    RR, RN, NR, NN are the pass rates of raw (R) and told (N) replies over the direct (R) and the nested (N) path.
    Damage is RN - RR, compensation NN - RN, the matched gap NN - RR, in points. Executions that the store lacks are
    made first. Exit status: 0, or 2 where something does not pair.

    \b
    Examples:
        qfuzz score raw.jsonl disclosed.jsonl
        qfuzz score --pair single:nested --by family
        qfuzz score --list rn
    """
    if as_json + as_csv + as_markdown > 1:
        raise UsageError("only one of --json, --csv and --markdown can be printed")
    if as_csv and listed:
        raise UsageError("--list makes no sense with --csv")
    need_numpy("qfuzz score")
    # numpy and what needs it: not for the help, and not where they are missing.
    from qfuzz.cli import scoring

    request = scoring.request_of(pairs, task_sets, userlands, seed, draws, allow_unpaired=allow_unpaired)
    if replies:
        report = scoring.score_replies(replies, task_sets, db, request, jobs, timeout, isolation)
    else:
        report = scoring.score_store(db, request)
    form = "json" if as_json else "csv" if as_csv else "markdown" if as_markdown else "text"
    scoring.print_report(report, form, by, listed)
    return 0
