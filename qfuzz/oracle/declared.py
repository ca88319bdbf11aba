"""Whether exceptions that a path declares explain all of a difference between two executions."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from qfuzz.model.declared import Declared
from qfuzz.model.observation import Ending, Entry, Observation, Status
from qfuzz.oracle.compare import differing_channels

_SCRIPT = re.compile(rb"/run/qfuzz/in/[0-9a-f]{16}(?:\.sh)?")
"""A script among the side files of a launch."""
_NAME = b"bash"
"""What a direct run calls itself."""


def declared_exceptions(
    declared: Collection[Declared], direct: Observation, transported: Observation
) -> tuple[Declared, ...]:
    """Those of `declared` that explain the whole difference together; none if they do not, or if there is none.

    The comparison stays as it is, for such a reply does not do the same: this is what to say of it.
    """
    used = []
    left = transported
    if Declared.NAME in declared:
        named = _named(transported)
        if named != transported:
            used.append(Declared.NAME)
            left = named
    if Declared.ENDED in declared and direct.status.code == 127 and left.status == Status(Ending.EXIT, 1):
        used.append(Declared.ENDED)
        left = replace(left, status=direct.status)
    return () if differing_channels(direct, left) else tuple(used)


def _named(seen: Observation) -> Observation:
    """As it would be if the script were called as a direct run is."""
    entries = {path: _entry(entry) for path, entry in seen.tree.entries.items()}
    stdout = replace(seen.stdout, data=_SCRIPT.sub(_NAME, seen.stdout.data))
    return replace(seen, stdout=stdout, tree=replace(seen.tree, entries=entries))


def _entry(entry: Entry) -> Entry:
    # Of a long file only the digest counts, which says nothing of names in it.
    return entry if entry.digest else replace(entry, content=_SCRIPT.sub(_NAME, entry.content))
