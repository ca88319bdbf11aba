"""`qfuzz prompts`: what to send to a model, one line a task."""

from __future__ import annotations

import json
from pathlib import Path

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.options import load_tasks, tasks_option
from qfuzz.collect.prompts import parse_contract, prompts


@click.command()
@click.option(
    "--contract",
    default="raw",
    show_default=True,
    metavar="CONTRACT",
    help="raw, native (a declared tool), or disclosed:TRANSPORT, as in disclosed:nested.",
)
@tasks_option
@config_option
def command(contract: str, task_sets: tuple[Path, ...]) -> None:
    """Print one prompt a task as JSON Lines: task_id, contract, system, user, and tools for the native contract.

    Send system and user as they are. An answer becomes a line {"task_id": ..., "contract": ..., "reply": ...}.

    \b
    Example:
        qfuzz prompts --contract disclosed:nested > prompts.jsonl
    """
    wanted = parse_contract(contract)
    for prompt in prompts(wanted, load_tasks(task_sets).values()):
        print(json.dumps(prompt.to_json(), ensure_ascii=False))
