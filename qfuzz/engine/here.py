"""Whether a transport can be had on this machine, in the jails that it needs."""

from __future__ import annotations

from qfuzz.jail.id_mapped import unused_ids
from qfuzz.jail.pool import Isolation
from qfuzz.model.errors import HostError
from qfuzz.own.boundary import OwnBoundary
from qfuzz.transports.available import require
from qfuzz.transports.base import Transport


def require_here(transport: Transport, isolation: Isolation) -> None:
    """Raises HostError, with the remedy, where `transport` can't be had on this machine and with this isolation; and
    TargetError where an escaping function of the user's own can't be."""
    require(transport)
    for boundary in transport.boundaries:
        if isinstance(boundary, OwnBoundary):
            boundary.require()
        if boundary.needs_jail and isolation == "none":
            raise HostError(
                f"{boundary.name} is not available here, because it is at home in the jail only",
                hint="leave out --isolation none",
            )
        if boundary.id_mapped:
            try:
                unused_ids(0)
            except HostError as error:
                raise HostError(
                    f"{boundary.name} is not available here, because {error.what}", hint=error.hint
                ) from None
