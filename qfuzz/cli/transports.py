"""`qfuzz transports`: which paths are known, and what one does to a sample."""

from __future__ import annotations

import json
import sys

import click

from qfuzz.cli.config import config_option
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.report.transports_page import boundaries_page
from qfuzz.report.visible import visible
from qfuzz.transports.available import missing_of
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import load, resolve

SAMPLE = "echo '$HOME' > out.txt"
MOST_SHOWN = 20_000
"""Files of more bytes than this together are a library's: those without the reply in them are only named."""


@click.group(invoke_without_command=True)
@config_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a transport.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List the transports that qfuzz knows.

    A stack of them is written in the order in which the reply meets them, as in "json-naive > nested".

    \b
    Example:
        qfuzz transports
        qfuzz transports show "json-naive > nested"
    """
    if context.invoked_subcommand is not None:
        return
    registry = load()
    width = max(map(len, registry.names()))
    for name in registry.names():
        transport = registry.resolve(name)
        summary = registry.boundaries[name].summary if name in registry.boundaries else _alias_summary(transport)
        if as_json:
            print(json.dumps({"name": name, "faithful": transport.faithful, "summary": summary}))
        else:
            print(f"{name:<{width}} {'faithful' if transport.faithful else '':<9} {summary}")


def _alias_summary(transport: Transport) -> str:
    return " > ".join(boundary.name for boundary in transport.boundaries)


@command.command()
@click.argument("stack")
@click.option("--sample", default=SAMPLE, help="The reply to carry instead of the usual one.")
def show(stack: str, sample: str) -> None:
    """Print what STACK makes of a sample, layer by layer.

    \b
    Example:
        qfuzz transports show nested --sample 'echo "$HOME"'
    """
    transport = resolve(stack)
    print(transport.name)
    for boundary in transport.boundaries:
        print(f"\n{boundary.name}: {boundary.summary}")
        print(f"  owns:         {boundary.owns}")
        print(f"  can't carry:  {boundary.cannot_carry}")
        print(f"  faithful:     {'yes' if boundary.faithful else 'no'}")
        if boundary.witness is not None:
            print(f"  breaks:       {visible(boundary.witness)}".replace("\n", "\n                "))
    lacking = missing_of(transport)
    if lacking is not None:
        print(f"\n{lacking}; {lacking.remedy}")
        return
    reply = sample.encode("utf-8", "surrogateescape")
    print("\nthe reply")
    _print_text(reply)
    for step in transport.steps(reply):
        print(f"after {step.boundary}")
        match step.result:
            case bytes():
                _print_text(step.result)
            case Launch():
                _print_launch(step.result, reply)
            case Refusal(_, offset, reason):
                print(f"  refused: {reason} (byte {offset})")
            case Rejection(_, message):
                print(f"  rejected by the parser: {message}")
    armored = transport.armor(reply)
    if armored is None:
        print("no lossless way is known for the whole stack")
    elif armored != reply:
        print("to deliver the reply whole, send")
        _print_text(armored)


@command.command()
def page() -> None:
    """Print what docs/transports.md says of every boundary, as Markdown.

    \b
    Example:
        qfuzz transports page
    """
    print(boundaries_page(load()), end="")


def _print_text(text: bytes) -> None:
    sys.stdout.flush()
    for line in text.split(b"\n"):
        sys.stdout.buffer.write(b"  " + line + b"\n")
    sys.stdout.buffer.flush()


def _print_launch(launch: Launch, reply: bytes) -> None:
    many = sum(len(file.content) for file in launch.files) > MOST_SHOWN
    for file in launch.files:
        if many and reply not in file.content:
            print(f"  file {file.path.decode()}, {len(file.content)} bytes")
            continue
        print(f"  file {file.path.decode()}")
        _print_text(b"\n".join(b"  " + line for line in file.content.split(b"\n")))
    print(f"  execve {launch.executable.decode()}, arguments")
    for index, argument in enumerate(launch.argv):
        _print_text(b"  [%d] " % index + argument.replace(b"\n", b"\n        "))
    if launch.stdin is not None:
        print("  standard input")
        _print_text(b"\n".join(b"  " + line for line in launch.stdin.split(b"\n")))
