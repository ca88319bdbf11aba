"""`qfuzz fuzz`: finds what breaks, unasked. Each kind of target has a module of its own, which loads what it needs."""

from __future__ import annotations

import os
from pathlib import Path

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.fuzz_options import budget_options, fuzz_options, hypothesis_elsewhere
from qfuzz.cli.options import a_number, userland_option
from qfuzz.model.bounds import LEAST_SECONDS, MOST_JOBS, MOST_SECONDS
from qfuzz.model.errors import UsageError
from qfuzz.model.extras import need
from qfuzz.model.userland import GNU


@click.command()
@config_option
@click.option("--transport", metavar="STACK", help="A transport or a stack of them: programs over it, and directly.")
@click.option("--escape", metavar="MODULE:FUNCTION", help="An escaping function in Python: str in, str out.")
@click.option(
    "--escape-command",
    metavar="PROGRAM",
    help="An escaping program: words in, escaped words out, each ended by NUL. Or an adapter, as npm:shell-quote.",
)
@click.option(
    "--shell",
    "shells",
    multiple=True,
    metavar="SHELL",
    help="With --escape: what reads the escaped words; may be repeated. Default: bash.",
)
@click.option(
    "--context",
    "contexts",
    type=click.Choice(["argument", "word", "double-quoted"]),
    multiple=True,
    help="With --escape: where an escaped word stands; may be repeated. Default: argument.",
)
@click.option("--word", "words", multiple=True, help="With --escape: try this word and no others; may be repeated.")
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="With --escape: what to do when a word is not escaped at all.",
)
@userland_option
@budget_options
@click.option(
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    default=os.cpu_count() or 1,
    show_default="one for each core",
    metavar="N",
    help="Executions at the same time. What is found does not depend on it.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=LEAST_SECONDS, max=MOST_SECONDS),
    callback=a_number,
    metavar="SECONDS",
    help="The longest that one execution may take.",
)
@click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("qfuzz.db"),
    show_default=True,
    help="The store. What was found is kept there, and tried first the next time.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON Lines on stdout, one object an event.")
def command(
    transport: str | None,
    escape: str | None,
    escape_command: str | None,
    shells: tuple[str, ...],
    contexts: tuple[str, ...],
    words: tuple[str, ...],
    on_error: str,
    userland: str,
    seconds: float | None,
    examples: int | None,
    seed: int | None,
    engine: str,
    jobs: int,
    timeout: float | None,
    db: Path,
    as_json: bool,
) -> int:
    """Fuzz a transport: whether a program that works directly works the same over it. Or an escaping function: whether
    a shell reads from escape(word) what the word was.

    What is fuzzed runs in the jail, always: a broken escaping function executes its payload. Exit status: 0 nothing
    found, 1 something found, 2 bad input.

    \b
    Example:
        qfuzz fuzz --transport nested --seconds 60
        qfuzz fuzz --escape shlex:quote --shell bash --shell zsh
        qfuzz fuzz --escape mypkg.text:escape --context double-quoted --examples 100000 --seed 1
    """
    options = fuzz_options(seconds, examples, seed, jobs, timeout, engine, db, as_json)
    given = {"--transport": transport, "--escape": escape, "--escape-command": escape_command}
    targets = [name for name, value in given.items() if value]
    if len(targets) != 1:
        raise UsageError(f"give {'only ' if targets else ''}one of {', '.join(given)}")
    if engine == "atheris" and not transport:
        need("qfuzz fuzz --engine atheris", "atheris")
    need("qfuzz fuzz", "fuzz")
    with hypothesis_elsewhere():
        if transport:
            from qfuzz.cli.fuzz_transport import fuzz_transport

            if shells or contexts or words:
                raise UsageError("--shell, --context and --word are for escaping functions")
            return fuzz_transport(transport, userland, options)
        if userland != GNU:
            # What is fuzzed there are shells, and no tool of a userland is asked.
            raise UsageError("--userland is for transports")
        from qfuzz.cli.fuzz_escape import fuzz_escape

        return fuzz_escape(
            targets[0], given[targets[0]] or "", shells, contexts, tuple(map(os.fsencode, words)), on_error, options
        )
