"""The families by name. Filled by `qfuzz.gen.loader`; nothing here imports a family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qfuzz.gen.family import Family
from qfuzz.model.errors import UsageError

FAMILY_NAMES = (
    "write-file",
    "sed-replace",
    "grep-count",
    "field-lookup",
    "hostile-filenames",
    "find-glob",
    "ssh-nested",
    "json-write",
    "git-commit",
    "env-passing",
    "argv-passing",
    "bulk-rename",
    "heredoc-write",
    "ssh-heredoc",
)
"""The fourteen, in the order in which every listing and every set has them."""


class Registry(Mapping[str, Family]):
    """Families in the order of `FAMILY_NAMES`."""

    def __init__(self, families: Mapping[str, Family]) -> None:
        self._families = families

    def __getitem__(self, name: str) -> Family:
        return self._families[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._families)

    def __len__(self) -> int:
        return len(self._families)

    def select(self, names: tuple[str, ...]) -> tuple[Family, ...]:
        """The named families in registry order, all of them for no name; raises UsageError for an unknown one."""
        unknown = [name for name in names if name not in self]
        if unknown:
            raise UsageError(f"there is no family {unknown[0]!r}", hint=f"known: {', '.join(self)}")
        return tuple(family for name, family in self.items() if not names or name in names)
