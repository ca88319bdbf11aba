"""`qfuzz collect`: gather replies into one file, from a program that answers prompts or from files that hold them."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click

from qfuzz.cli.config import config_option
from qfuzz.cli.gather import gather
from qfuzz.cli.options import a_number, load_tasks, tasks_option
from qfuzz.collect.answer import JSON, TEXT
from qfuzz.collect.clean import RULES, parse_rules
from qfuzz.collect.collection import GIVE_UP_AFTER, Ask, Collected, Failed, GaveUp, Manner, Operator, Stopped, collect
from qfuzz.collect.failures import FailureList
from qfuzz.collect.outfile import ReplyOut
from qfuzz.collect.program import Ran, run_program
from qfuzz.collect.prompts import NATIVE, parse_contract, prompts
from qfuzz.model.bounds import MOST_JOBS
from qfuzz.model.errors import UsageError
from qfuzz.model.reply import CLEANED, MAX_TRIAL
from qfuzz.model.text import one_line
from qfuzz.report.progress import progress_display


@dataclass(frozen=True, slots=True)
class _Program:
    """The program to ask. `stdin` and `form` are what it reads and prints, TEXT or JSON."""

    command: str
    stdin: str
    operator: Operator
    timeout_seconds: float

    def run(self, ask: Ask, stopped: threading.Event) -> Ran:
        prompt = ask.prompt
        text = prompt.text if self.stdin == TEXT else json.dumps(prompt.to_json(), ensure_ascii=False) + "\n"
        environment = {
            "QFUZZ_CONTRACT": prompt.contract,
            "QFUZZ_MODEL": self.operator.model,
            "QFUZZ_EFFORT": self.operator.effort or "",
            "QFUZZ_TRIAL": str(ask.trial),
        }
        return run_program(self.command, text.encode(), environment, self.timeout_seconds, stopped)


def _text(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A callback of options that replies carry: bytes that are no text have no place in a line of JSON."""
    if value is not None and any("\ud800" <= char <= "\udfff" for char in value):
        raise click.BadParameter("is not UTF-8", context, parameter)
    return value


@click.command()
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path), metavar="[REPLIES]...")
@click.option("--command", "program", metavar="PROGRAM", help="Asked once a task and trial; run by /bin/sh -c.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The reply file to write.")
@click.option(
    "--contract", default="raw", show_default=True, metavar="CONTRACT", help="raw, native or disclosed:STACK."
)
@tasks_option
@config_option
@click.option("--trials", type=click.IntRange(1, MAX_TRIAL), default=1, show_default=True, help="Asks a task.")
@click.option("--model", default="", metavar="NAME", callback=_text, help="The model's name, as replies will carry it.")
@click.option(
    "--effort", metavar="NAME", callback=_text, help="The effort, as replies will carry it; without it, unset."
)
@click.option("--stdin", type=click.Choice([TEXT, JSON]), default=TEXT, show_default=True, help="What PROGRAM reads.")
@click.option(
    "--format", "form", type=click.Choice([TEXT, JSON]), default=TEXT, show_default=True, help="What PROGRAM prints."
)
@click.option("--clean", metavar="RULES", help=f"Clean replies: {','.join(RULES)}, some of them, or all.")
@click.option(
    "--jobs", type=click.IntRange(1, MOST_JOBS), default=1, show_default=True, metavar="N", help="Asks at a time."
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.05, 86400),
    callback=a_number,
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="The longest that one ask may take.",
)
@click.option(
    "--retries", type=click.IntRange(0, 100), default=2, show_default=True, metavar="N", help="More tries for an ask."
)
@click.option(
    "--wait",
    type=click.FloatRange(0, 3600),
    callback=a_number,
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Before the first further try; each one after it waits twice as long.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0.01, 1e6),
    callback=a_number,
    metavar="N",
    help="At most N tries a minute, evenly spaced.",
)
def command(
    program: str | None,
    sources: tuple[Path, ...],
    out: Path,
    contract: str,
    task_sets: tuple[Path, ...],
    trials: int,
    model: str,
    effort: str | None,
    stdin: str,
    form: str,
    clean: str | None,
    jobs: int,
    timeout: float,
    retries: int,
    wait: float,
    rate: float | None,
) -> int:
    """Gather replies into one reply file.

    With --command, PROGRAM gets each prompt on standard input, and what it prints is the reply. What OUT holds already
    is not asked again, so the same call goes on after a stop. Asks that failed are listed in OUT.failed. Without it,
    REPLIES (reply files, Inspect logs) are read, cleaned if asked, and written.

    Exit status: 0 all asked, 1 some failed, 2 bad input, 130 stopped.

    \b
    Example:
        qfuzz collect --command 'my-model --quiet' --model my-model --trials 3 --out replies.jsonl
        qfuzz collect logs/*.eval --clean fences,blank-lines --out cleaned.jsonl
    """
    rules = parse_rules(clean) if clean is not None else ()
    if (program is None) == (not sources):
        raise UsageError("give either --command PROGRAM or REPLIES")
    if program is None:
        return gather(sources, rules, out)
    wanted = parse_contract(contract)
    if wanted.name == NATIVE and stdin == TEXT:
        hint = "with --stdin json PROGRAM gets it, and prints the argument of its one call"
        raise UsageError("the native contract declares a tool, which a plain text can't", hint=hint)
    operator = Operator(model, effort)
    manner = Manner(_Program(program, stdin, operator, timeout).run, form, rules, jobs, retries, wait, rate)
    asked = list(prompts(wanted, load_tasks(task_sets).values()))
    failures = FailureList(out.with_name(out.name + ".failed"), operator)
    with ExitStack() as cleanup:
        replies = cleanup.enter_context(ReplyOut(out))
        if replies.torn:
            print(f"{out}: cut off a last line that was half written ({replies.torn} bytes)", file=sys.stderr)
        asks = [Ask(prompt, trial) for trial in range(trials) for prompt in asked]
        left = [ask for ask in asks if ask.identity(operator) not in replies.kept]
        if len(left) < len(asks):
            print(f"{out}: holds {len(asks) - len(left)} of {len(asks)} already", file=sys.stderr)
        failures.begin()
        stopped = cleanup.enter_context(_stop_on_signals())
        return _collect(left, operator, manner, replies, failures, stopped)


def _collect(
    left: list[Ask],
    operator: Operator,
    manner: Manner,
    out: ReplyOut,
    failures: FailureList,
    stopped: threading.Event,
) -> int:
    """Ask, write what comes, and say at the end what came."""
    collected = cleaned = left_over = 0
    gave_up: Failed | None = None
    with progress_display(len(left), doing="asking", done="asked") as progress:
        for event in collect(left, operator, manner, stopped):
            if isinstance(event, Collected):
                out.add([event.reply])
                collected += 1
                cleaned += CLEANED in event.reply.metadata
            elif isinstance(event, Failed):
                failures.add(event)
            elif isinstance(event, GaveUp):
                gave_up = event.last
                continue
            elif isinstance(event, Stopped):
                left_over = event.left
                continue
            progress.advance()
    said = f"{out.path}: {collected} new repl{'y' if collected == 1 else 'ies'}"
    if manner.rules:
        said += f", {cleaned} of them cleaned"
    if failures.count:
        said += f"; {failures.count} ask{'s' if failures.count > 1 else ''} failed, see {failures.path}"
    print(said, file=sys.stderr)
    if left_over:
        print(f"qfuzz: stopped with {left_over} to ask; the same call goes on there", file=sys.stderr)
        return 130
    if gave_up is not None:
        print(
            f"qfuzz: gave up after {GIVE_UP_AFTER} failed asks in a row; the last: {one_line(gave_up.reason)}",
            file=sys.stderr,
        )
    return 1 if failures.count else 0


@contextmanager
def _stop_on_signals() -> Iterator[threading.Event]:
    """An event that SIGINT, SIGTERM or SIGHUP sets, unless it was ignored before; a second one interrupts at once."""
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    heeded = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: handler for number in heeded if (handler := signal.getsignal(number)) is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, stop)
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
