"""`qfuzz gen`: a held-out set from a seed, the public set, or the check of a set against its commitment."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from qfuzz.gen.public import CANARY, DATASET_VERSION, public_tasks
from qfuzz.gen.setfile import check_set, commitment_path, refuse_taken, write_set
from qfuzz.gen.shape import Style
from qfuzz.gen.variants import GENERATOR_VERSION, variant_tasks
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import UsageError
from qfuzz.model.task import Task
from qfuzz.model.task_codec import encode_task
from qfuzz.model.text import counted

_DRAWN_SEED_BYTES = 16
_GUESSABLE_CHARACTERS = 16
_HELD_OUT_ONLY = ("seed", "style", "per_family", "controls", "families")


@click.command()
@click.option("--seed", help="Any text. Without it a random 128-bit one is drawn and shown once, on stderr.")
@click.option(
    "--style",
    type=click.Choice([style.value for style in Style]),
    default="v1",
    show_default=True,
    help="Which payloads: v1 or v2, as said above.",
)
@click.option("--per-family", type=int, default=3, show_default=True, help="Hazardous tasks in each family.")
@click.option("--controls", is_flag=True, help="Add a benign task for each started three hazardous ones.")
@click.option("--families", metavar="A,B", help="Only these families.")
@click.option("--out", type=click.Path(path_type=Path), help="Write here, with manifest and commitment, not to stdout.")
@click.option("--force", is_flag=True, help="Replace a set that --out names, and its commitment.")
@click.option("--public", is_flag=True, help="Write the public set instead.")
@click.option("--check", type=click.Path(path_type=Path), metavar="SET", help="Verify SET against its commitment.")
@click.pass_context
def command(
    ctx: click.Context,
    seed: str | None,
    style: str,
    per_family: int,
    controls: bool,
    families: str | None,
    out: Path | None,
    force: bool,
    public: bool,
    check: Path | None,
) -> int:
    """Write a held-out task set as JSON Lines.

    The same seed, style and generator version give the same bytes on every machine. Style v1 has the hazards of the
    public tasks; v2 has code, regular expressions, SQL, logs, Windows paths, LaTeX, JSON, Unicode and tabs. With --out,
    FILE.manifest.json says what the set is and FILE.commitment.json binds you to it without telling the seed.

    \b
    Examples:
        qfuzz gen --style v2 --out private_payloads/autumn.jsonl
        qfuzz gen --check private_payloads/autumn.jsonl
        qfuzz gen --public > tasks.jsonl
    """
    default = click.core.ParameterSource.DEFAULT
    given = [name for name in _HELD_OUT_ONLY if ctx.get_parameter_source(name) is not default]
    if check is not None:
        also = [name for name, value in (("out", out), ("force", force), ("public", public)) if value]
        _refuse([*given, *also], "--check")
        return _check(check)
    if out is None:
        _refuse(["force"] if force else [], "no --out")
    elif not force:
        refuse_taken(out)
    if public:
        _refuse(given, "--public")
        about: dict[str, JsonValue] = {"set": "public", "dataset_version": DATASET_VERSION}
        _write(out, iter(public_tasks()), about, CANARY)
        return 0
    names = _families(families)
    note = ""
    if seed is None:
        seed = secrets.token_hex(_DRAWN_SEED_BYTES)
        note = f"seed: {seed} (shown this once; who has it can make the set)"
    elif not seed.isprintable():
        raise UsageError("a seed must be printable text", where="--seed")
    elif len(seed) < _GUESSABLE_CHARACTERS:
        note = "warning: a seed that can be guessed makes no set private; leave out --seed to have one drawn"
    tasks = variant_tasks(seed, Style(style), per_family=per_family, controls=controls, names=names)
    about = {"set": "held-out", "style": style, "generator_version": GENERATOR_VERSION}
    _write(out, tasks, about, note=note)
    return 0


def _families(text: str | None) -> list[str]:
    """The names in a list with commas; none where all are meant."""
    names = [] if text is None else [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError("names no family", where="--families", hint="leave it out for all of them")
    return names


def _refuse(given: list[str], mode: str) -> None:
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} makes no sense with {mode}")


def _check(path: Path) -> int:
    if check_set(path):
        click.echo(f"{path}: is the set that {commitment_path(path).name} binds")
        return 0
    click.echo(f"{path}: differs from the set that {commitment_path(path).name} binds")
    return 1


def _write(
    out: Path | None, tasks: Iterator[Task], about: dict[str, JsonValue], canary: str = "", note: str = ""
) -> None:
    """`note` is said once nothing can be wrong any more with what was asked for."""
    if out is None:
        _say(note)
        for task in tasks:
            sys.stdout.buffer.write(encode_task(task, canary))
        return
    manifest = write_set(out, tasks, about, canary=canary, commit=not canary)
    count = manifest["tasks"]
    assert isinstance(count, int), "write_set counts them"
    _say(note)
    _say(f"{out}: {counted(count, 'task')}")


def _say(line: str) -> None:
    if line:
        click.echo(line, err=True)
