"""The `qfuzz` command: finds the subcommand, loads only its module, and turns typed errors into one line."""

from __future__ import annotations

import errno
import importlib
import io
import os
import signal
import sys
import traceback
from typing import Any, NoReturn

import click

import qfuzz
from qfuzz.cli.stopping import heeding_signals
from qfuzz.model.errors import QfuzzError
from qfuzz.model.text import one_line

COMMANDS = {
    "gen": "Write a held-out task set from a seed, or the public one.",
    "tasks": "List, show and export tasks.",
    "validate": "Prove a task set: references pass, naive programs fail, wrong final states fail.",
    "prompts": "Write one prompt a task for a contract.",
    "collect": "Ask a program for replies, or gather and clean replies that exist.",
    "diff": "Replay replies over transports and say what each transport broke.",
    "score": "Say how much of a score is generation, damage by the path, compensation.",
    "report": "Explain the score of a store in one document, down to the single executions.",
    "explain": "Say which characters of a breaker did it, and how to deliver it whole.",
    "shrink": "Find the minimal forms of breakers again.",
    "fuzz": "Fuzz a transport or an escaping function: find what breaks, unasked.",
    "regress": "Replay breaker files and say which cases are not as expected.",
    "export": "Write the breakers of a store as a file to review and commit.",
    "import": "Keep the breakers of files in a store.",
    "lint": "Say which characters a transport will treat as its own, running nothing.",
    "transports": "List transports and show how one embeds a sample.",
    "doctor": "Say what this machine has and what is missing.",
}
"""Subcommand name (its module is qfuzz.cli.<name>, its click object `command`) and the line that `--help` shows."""

EXIT_USAGE = 2
EXIT_INTERNAL = 70


class _ReaderGone(Exception):
    """Whoever read standard output went away, as `| head` does."""


class LazyGroup(click.Group):
    """Imports a subcommand's module when it is asked for, so that `qfuzz gen` does not load the engine."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"qfuzz.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # click would make it exit status 1, which means here that something was found.
            raise _ReaderGone from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(qfuzz.__version__, prog_name="qfuzz")
def group() -> None:
    """Find the command that was right and the path to the shell that broke it.

    \b
    Example:
        qfuzz diff replies.jsonl --transport nested
    """


def main() -> None:
    """Entry point. Exit status: 0 nothing found, 1 breakers or faults found, 2 usage or environment."""
    if sys.stdout is None:
        # Python's way to say that the caller closed it.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # JSON is UTF-8 in every locale, and so is what else is printed.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    came: list[signal.Signals] = []
    try:
        with heeding_signals(came):
            status = group.main(prog_name="qfuzz", standalone_mode=False)
            sys.stdout.flush()
    except QfuzzError as error:
        _fail(str(error), error.exit_status)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _fail_usage(error)
    except (KeyboardInterrupt, click.Abort):
        number = came[0] if came else signal.SIGINT
        how = "terminated" if number is signal.SIGTERM else "interrupted"
        _fail(f"{how}; what was finished and stored is kept", 128 + number)
    except (BrokenPipeError, _ReaderGone):
        _drop_output()
        sys.exit(141)
    except OSError as error:
        _drop_output()
        # Only what was opened before fails without a name.
        full = error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
        said = f"standard output, or a temporary file, can't be written ({error.strerror})"
        _fail(said if full else str(error), EXIT_USAGE)
    except Exception:
        # A fault of ours: the trace is for its report, and its status must not pass for "breakers found".
        traceback.print_exc()
        sys.exit(EXIT_INTERNAL)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, status: int) -> NoReturn:
    print(f"qfuzz: {message}", file=sys.stderr)
    sys.exit(status)


def _fail_usage(error: click.ClickException) -> NoReturn:
    message = error.format_message()
    if "\n" in message:
        # A group without a command: click gives its whole help for a message.
        error.show()
        sys.exit(EXIT_USAGE)
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"; see `{context.command_path} --help`" if context is not None else ""
    _fail(one_line(f"{message.rstrip('.')}{hint}"), EXIT_USAGE)


def _drop_output() -> None:
    """Send what is still to be written nowhere: Python would complain again when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
