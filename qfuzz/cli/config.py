"""The option of every command that takes a transport: a file with transports of the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

FILE_NAME = "qfuzz.toml"

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def config_option(function: Decorated) -> Decorated:
    """--config: until the command ends, the transports of this file are known; else those of ./qfuzz.toml."""
    option = click.option(
        "--config",
        type=click.Path(path_type=Path),
        callback=_read,
        expose_value=False,
        metavar="FILE",
        help=f"Transports of your own. Default: {FILE_NAME}, if it is here.",
    )
    return option(function)


def chosen(file: Path | None) -> Path | None:
    """The file that is named, or the one in this folder; None where there is none."""
    # Whatever has the name counts, be it a folder or a dangling link: to pass over it would look as if it were empty.
    return Path(FILE_NAME) if file is None and os.path.lexists(FILE_NAME) else file


def _read(context: click.Context, _: click.Parameter, named: Path | None) -> None:
    if context.resilient_parsing:
        return
    file = chosen(named)
    if file is None:
        from qfuzz.transports.registry import REGISTRY

        context.with_resource(REGISTRY.noting(f"no {FILE_NAME} is here"))
        return
    # Only now: most runs have no such file.
    from qfuzz.own.load import own_transports

    context.with_resource(own_transports(file))
