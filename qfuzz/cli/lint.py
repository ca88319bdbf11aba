"""`qfuzz lint`: what a transport will treat as its own in replies, from their text alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import click

from qfuzz.bash.scan import contexts
from qfuzz.cli.config import config_option
from qfuzz.cli.gather import reply_files
from qfuzz.lint.author import author_marks, find_shellcheck
from qfuzz.lint.check import Linter
from qfuzz.lint.findings import Linted, Source, linted_record, placed
from qfuzz.lint.sarif import SarifLog
from qfuzz.model.errors import HostError, InputError, UsageError
from qfuzz.model.jsonl import read_records
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply, read_program
from qfuzz.report.lint_text import linted_text, summary_text
from qfuzz.transports.loader import resolve

DEFAULT_TRANSPORT = "nested"
DIRECT = "direct"


@click.command()
@click.argument("replies", nargs=-1, type=click.Path(path_type=Path), metavar="[REPLIES]...")
@click.option("--reply", type=click.Path(path_type=Path), help="A file with one reply, instead of REPLIES.")
@click.option(
    "--transport",
    "transports",
    multiple=True,
    metavar="STACK",
    help=f"A transport or a stack of them; may be repeated. Default: {DEFAULT_TRANSPORT}.",
)
@click.option("--author", is_flag=True, help="Faults on the direct path too, found by ShellCheck (qfuzz[lint]).")
@config_option
@click.option("--command-field", metavar="NAME", help="The (dotted) key that holds the command, instead of 'reply'.")
@click.option("--skip-bad", is_flag=True, help="Pass over bad lines, and say so, instead of stopping.")
@click.option("--json", "as_json", is_flag=True, help="JSON Lines on stdout, one object a reply and transport.")
@click.option("--sarif", type=click.Path(path_type=Path), metavar="FILE", help="Write a SARIF 2.1.0 log, too.")
def command(
    replies: tuple[Path, ...],
    reply: Path | None,
    transports: tuple[str, ...],
    author: bool,
    command_field: str | None,
    skip_bad: bool,
    as_json: bool,
    sarif: Path | None,
) -> int:
    """Say which characters of REPLIES (JSON Lines) a transport will treat as its own. Nothing is run.

    Where nothing is flagged, the reply is predicted to arrive whole. Exit status: 0 nothing flagged, 1 something
    flagged, 2 bad input.

    \b
    Example:
        qfuzz lint replies.jsonl --transport nested --sarif lint.sarif
        qfuzz lint --reply command.sh --transport double-nested --author
    """
    if bool(replies) == (reply is not None):
        raise UsageError("give either REPLIES or --reply FILE")
    stacks = {stack.name: stack for stack in map(resolve, transports or (DEFAULT_TRANSPORT,))}
    if author:
        stacks.setdefault(DIRECT, resolve(DIRECT))
    linters = [Linter.over(stack) for stack in stacks.values()]
    lint = _lint(linters, find_shellcheck() if author else None)
    source = _one(reply) if reply is not None else _records(replies, command_field, skip_bad)
    log = SarifLog() if sarif is not None else None
    flagged = dict.fromkeys(stacks, 0)
    count = 0
    for place, each in source:
        count += 1
        for linted in lint(place, each):
            flagged[linted.transport] += bool(linted.findings)
            if log is not None:
                log.add(linted)
            if as_json:
                print(json.dumps(linted_record(linted), ensure_ascii=False))
            else:
                for line in linted_text(linted):
                    print(line)
    if log is not None and sarif is not None:
        _write(sarif, log)
    for name, number in flagged.items():
        summary = summary_text(name, number, count, by_author=author and name == DIRECT)
        print(summary, file=sys.stderr if as_json else sys.stdout)
    return 1 if any(flagged.values()) else 0


def _lint(linters: list[Linter], shellcheck: Path | None) -> Callable[[Source, Reply], Iterator[Linted]]:
    def lint(source: Source, reply: Reply) -> Iterator[Linted]:
        scan = contexts(reply.program)
        for linter in linters:
            findings = linter.findings(reply.program, scan)
            if shellcheck is not None and linter.transport.name == DIRECT:
                findings += placed(reply.program, scan, author_marks(reply.program, shellcheck))
            yield Linted(source, reply, linter.transport.name, findings)

    return lint


def _records(paths: tuple[Path, ...], command_field: str | None, skip_bad: bool) -> Iterator[tuple[Source, Reply]]:
    def skip(error: InputError) -> None:
        print(f"skipped {error}", file=sys.stderr)

    with ExitStack() as cleanup:
        for file in reply_files(paths, cleanup):
            decode = lambda line: decode_reply(line, command_field)  # noqa: E731
            for record in read_records(file.path, decode, on_bad=skip if skip_bad else None, name=file.name):
                yield Source(file.name, record.number), record.value


def _one(file: Path) -> Iterator[tuple[Source, Reply]]:
    yield Source(str(file), None), Reply(read_program(file))


def _write(file: Path, log: SarifLog) -> None:
    try:
        file.write_text(json.dumps(log.log(), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise HostError(f"can't be written ({error.strerror})", where=str(file)) from None
