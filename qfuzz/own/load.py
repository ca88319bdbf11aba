"""Registers the transports of a `qfuzz.toml` beside ours, for as long as they are used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from qfuzz.own.black_box import BlackBox
from qfuzz.own.config import read_config
from qfuzz.own.specs import Spec, TemplateSpec
from qfuzz.own.template import Escaper, Template
from qfuzz.transports.base import Boundary
from qfuzz.transports.loader import load


@contextmanager
def own_transports(file: Path) -> Iterator[tuple[str, ...]]:
    """Makes the transports of a file known to `resolve`, by the names that are returned; afterwards they are forgotten.

    Raises InputError, with file, line, key and what was expected, for a file that is not as it must be. An escaping
    function is imported when it is first asked.
    """
    registry = load()
    with ExitStack() as cleanup:
        names = []
        for spec in read_config(file, registry.names()):
            boundary = _boundary(spec, cleanup)
            registry.add(boundary)
            cleanup.callback(registry.remove, boundary.name)
            names.append(boundary.name)
        yield tuple(names)


def _boundary(spec: Spec, cleanup: ExitStack) -> Boundary:
    if not isinstance(spec, TemplateSpec):
        return BlackBox(spec)
    escaper = None if spec.escape is None else Escaper(spec)
    if escaper is not None:
        cleanup.callback(escaper.close)
    return Template(spec, escaper)
