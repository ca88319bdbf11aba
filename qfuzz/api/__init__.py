"""Explaining replies from Python: what `qfuzz explain` prints, as typed data.

    from qfuzz.api import explain
    explained = explain(b"echo '$5'", "nested")
    for cause in explained.forms.repair.causes: ...

`qfuzz.report.explain.explained_record` turns the answer into what `--json` gives.
"""

from __future__ import annotations

from qfuzz.engine.forms import form_maker
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.errors import InputError
from qfuzz.model.task import Fixture, Task
from qfuzz.oracle.compare import differing_channels
from qfuzz.report.explain import Explained
from qfuzz.transports.loader import resolve

__all__ = ["Explained", "explain"]


def explain(
    program: bytes,
    transport: str,
    *,
    task: Task | None = None,
    fixture: Fixture = Fixture(),  # noqa: B008 (frozen)
    timeout_seconds: float = 10.0,
    strict: bool = False,
    pool: Pool | None = None,
    title: str = "a reply",
) -> Explained | None:
    """What breaks `program` over a transport or stack, or None where it works as it does directly.

    It runs in `pool`, or in one of its own, in the work directory of `task` or in `fixture`. Raises InputError where
    the transport can't carry the program, UsageError for an unknown transport, HostError where no jail can be had.
    """
    path = resolve(transport)
    straight, wrapped = resolve("direct").deliver(program), path.deliver(program)
    for delivery in (straight, wrapped):
        if isinstance(delivery, Refusal):
            raise InputError(f"{delivery.boundary} can't carry it: {delivery.reason}", where=title)
    if pool is None:
        with Pool(1) as own:
            return explain(
                program,
                transport,
                task=task,
                fixture=fixture,
                timeout_seconds=timeout_seconds,
                strict=strict,
                pool=own,
                title=title,
            )
    laid = fixture if task is None else task.fixture
    machines = machinery(pool, timeout_seconds)
    assert isinstance(straight, Launch), "direct refuses or starts"
    direct = machines.run(straight, laid)
    transported = machines.run(wrapped, laid) if isinstance(wrapped, Launch) else wrapped
    assert not isinstance(transported, Refusal), "refused above"
    if not isinstance(transported, Rejection) and not differing_channels(direct, transported):
        return None
    with form_maker(machines, strict=strict) as make:
        forms = make(Breaker(program, task, laid, path, direct, transported))
    return Explained("", f"{title} over {path.name}", program, path, direct, transported, forms)
