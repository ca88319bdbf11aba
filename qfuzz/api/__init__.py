"""Explaining replies from Python: what `qfuzz explain` prints, as typed data.

    from qfuzz.api import explain
    explained = explain(b"echo '$5'", "nested")
    for cause in explained.forms.repair.causes: ...

`qfuzz.report.explain.explained_record` turns the answer into what `--json` gives.
"""

from __future__ import annotations

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.forms import form_maker
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.machinery import machinery
from qfuzz.engine.plan import PAIRS
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Delivery, Launch, Refusal, Rejection
from qfuzz.model.errors import InputError
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, Task
from qfuzz.oracle.compare import Comparison, Stability, compare
from qfuzz.oracle.judge import judge
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
    the transport can't carry the program, or the program does not end, or does not do the same twice and no `task`
    tells right from wrong; UsageError for an unknown transport; HostError where no jail can be had.
    """
    path = resolve(transport)
    straight, wrapped = resolve("direct").deliver(program), path.deliver(program)
    for delivery in (straight, wrapped):
        if isinstance(delivery, Refusal):
            raise InputError(f"{delivery.boundary} can't carry it: {delivery.reason}", where=title)
    if pool is None:
        with Pool(1, shown=path.shown) as own:
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
    machines = machinery(pool, timeout_seconds, [path])
    assert isinstance(straight, Launch), "direct refuses or starts"
    directs, over = _pairs(machines, straight, wrapped, laid)
    seen = compare(directs, over) if over else Comparison(Stability.DIVERGED)
    if seen.stability is Stability.DIRECT_TIMEOUT:
        raise InputError(f"does not end in {timeout_seconds:g} s directly, so nothing can be compared", where=title)
    unstable = seen.stability is Stability.NONDETERMINISTIC
    if unstable and (task is None or not all(judge(task, each).passed for each in directs)):
        raise InputError("does not do the same twice, so no cause can be shown", where=title)
    if unstable and task is not None and any(judge(task, each).passed for each in over):
        raise InputError("fails over it only at times, so no cause can be shown", where=title)
    if seen.stability is Stability.SAME:
        return None
    direct = directs[0]
    transported = over[0] if over else wrapped
    assert isinstance(transported, (Observation, Rejection)), "refused above"
    with form_maker(machines, strict=strict) as make:
        forms = make(Breaker(program, task, laid, path, direct, transported, by_verdict=unstable))
    return Explained("", f"{title} over {path.name}", program, path, direct, transported, forms, stable=not unstable)


def _pairs(
    machines: Machinery, straight: Launch, wrapped: Delivery, laid: Fixture
) -> tuple[tuple[Observation, ...], tuple[Observation, ...]]:
    """Two runs of each in turn; none of the second where it was rejected."""
    directs: tuple[Observation, ...] = ()
    over: tuple[Observation, ...] = ()
    for _ in range(PAIRS):
        directs += (machines.run(straight, laid),)
        if isinstance(wrapped, Launch):
            over += (machines.run(wrapped, laid),)
    return directs, over
