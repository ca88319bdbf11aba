"""Every command that `qfuzz --help` names exists, and its help shows a call that a reader can copy."""

from __future__ import annotations

import importlib
import re

import click
import pytest
from click.testing import CliRunner

from qfuzz.cli.main import COMMANDS, group


def help_faults(name: str, command: click.Command) -> list[str]:
    """What is missing in the help of one command, and of the commands below it."""
    shown = CliRunner().invoke(command, ["--help"], prog_name=f"qfuzz {name}").output
    faults = []
    # Examples are indented lines below the heading, and one of them calls the very command.
    if not re.search(rf"^ *Examples?:\n(?: +[^\n]*\n)*? +[^\n]*\bqfuzz {re.escape(name)}\b", shown, re.MULTILINE):
        faults.append(f"qfuzz {name}: the help has no 'Example:' with a line that calls 'qfuzz {name}'")
    faults += [
        f"qfuzz {name}: no help for {'/'.join(parameter.opts)}"
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.help
    ]
    if isinstance(command, click.Group):
        for below, inner in command.commands.items():
            faults += help_faults(f"{name} {below}", inner)
    return faults


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_help_with_an_example(name: str) -> None:
    assert help_faults(name, importlib.import_module(f"qfuzz.cli.{name}").command) == []


def test_the_group_has_an_example() -> None:
    assert "Example:" in CliRunner().invoke(group, ["--help"]).output


@click.command()
@click.option("--seed", help="Seed.")
def complete(seed: str) -> None:
    """Write a set.

    \b
    Examples:
        qfuzz gen --seed 1
    """


@click.command()
@click.option("--seed")
def bare(seed: str) -> None:
    """Write a set. qfuzz gen writes it. Example: none."""


def test_faults_are_found() -> None:
    assert help_faults("gen", complete) == []
    assert len(help_faults("tasks", complete)) == 1
    assert help_faults("gen", bare) == [
        "qfuzz gen: the help has no 'Example:' with a line that calls 'qfuzz gen'",
        "qfuzz gen: no help for --seed",
    ]
    nested = click.Group("tasks", commands={"list": bare}, help="\b\nExample:\n    qfuzz tasks list")
    assert [fault.partition(":")[0] for fault in help_faults("tasks", nested)] == ["qfuzz tasks list"] * 2
