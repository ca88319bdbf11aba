"""The extras of the package: what each brings, and one line where it is missing. Loads nothing of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType

from qfuzz.model.errors import HostError


@dataclass(frozen=True, slots=True)
class Extra:
    """`modules` are those that are imported, `serves` says what can't be had without them."""

    modules: tuple[str, ...]
    serves: str


EXTRAS: Mapping[str, Extra] = MappingProxyType(
    {
        "atheris": Extra(("atheris", "hypothesis"), "qfuzz fuzz --engine atheris"),
        "fuzz": Extra(("hypothesis",), "qfuzz fuzz, qfuzz.strategies, assert_escapes and assert_faithful"),
        "inspect": Extra(("inspect_ai",), "qfuzz/crossover and Inspect's logs"),
        "score": Extra(("numpy", "scipy"), "qfuzz score and qfuzz report"),
    }
)
"""The extras that are Python modules and nobody else speaks of: those of boundaries are said with the boundaries."""


def hint_for(*names: str) -> str:
    """The command that gets these extras; with qfuzz installed it looks for no qfuzz elsewhere."""
    return f"pip install 'qfuzz[{','.join(names)}]'"


def lacking(name: str) -> tuple[str, ...]:
    """The modules of an extra that are not installed."""
    return tuple(module for module in EXTRAS[name].modules if find_spec(module) is None)


def need(what: str, name: str) -> None:
    """To be called before what an extra brings is imported. Raises HostError, naming `what`, where some is missing."""
    missing = lacking(name)
    if missing:
        raise HostError(f"{what} needs {' and '.join(missing)}", hint=hint_for(name))
