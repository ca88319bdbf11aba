"""Imports the family modules and makes the registry of them."""

from __future__ import annotations

import functools
import importlib

from qfuzz.gen.family import Family
from qfuzz.gen.registry import FAMILY_NAMES, Registry


@functools.cache
def families() -> Registry:
    """The registry. Family `json-write` is the object FAMILY of the module `qfuzz_families.json_write`."""
    return Registry({name: _load(name) for name in FAMILY_NAMES})


def _load(name: str) -> Family:
    # By name: the rooms below the families must not depend on them, and a static import would.
    family: Family = importlib.import_module(f"qfuzz_families.{name.replace('-', '_')}").FAMILY
    assert family.name == name, f"module of {name} holds {family.name}"
    return family
