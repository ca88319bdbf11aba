"""The forms of breakers from a machinery alone: parser and rebuilding of tasks are brought along."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.laboratory import Breaker
from qfuzz.engine.minimize import GENERATION, minimize
from qfuzz.engine.parse_child import ParseChild
from qfuzz.gen.rebuild import with_payloads
from qfuzz.model.forms import Forms

STRICT_OFFSET = 1000
"""Strict forms are another generation, so that the two never pass for one another."""


def generation(strict: bool) -> int:
    """Under which number forms are kept in the store."""
    return GENERATION + (STRICT_OFFSET if strict else 0)


@contextmanager
def form_maker(machinery: Machinery, *, strict: bool) -> Iterator[Callable[[Breaker], Forms]]:
    """A function that finds the forms of a breaker; it may be called from several threads."""
    with ParseChild() as parser:

        def make(breaker: Breaker) -> Forms:
            rebuild = with_payloads(breaker.task) if breaker.task is not None else lambda _: None
            return minimize(breaker, machinery, rebuild, parser.spans, strict=strict)

        yield make
