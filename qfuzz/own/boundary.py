"""What both kinds of transports of the user's own have in common."""

from __future__ import annotations

from qfuzz.own.specs import Common
from qfuzz.transports.base import Boundary, OwnNeeds


class OwnBoundary(Boundary):
    """A boundary that `qfuzz.toml` describes. It is known by its name even where it can't be used here."""

    owns = "not known: it is yours"
    starts_shell = True
    witness = None

    def __init__(self, common: Common) -> None:
        self._common = common
        self.name = common.name
        self.summary = common.summary
        self.faithful = common.faithful
        self.own = OwnNeeds(common.shown, common.identity, common.timeout_seconds)

    def require(self) -> None:
        """Raises HostError where this machine lacks what the file names: a program, a folder."""
        if self._common.lacking is not None:
            raise self._common.lacking
