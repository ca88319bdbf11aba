"""The forms of breakers from a machinery alone: parser and rebuilding of tasks are brought along."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from qfuzz.engine.attempt import Machinery
from qfuzz.engine.laboratory import Breaker, Patience
from qfuzz.engine.minimize import GENERATION, minimize
from qfuzz.engine.parse_child import ParseChild
from qfuzz.gen.rebuild import with_payloads
from qfuzz.model.delivery import Launch
from qfuzz.model.forms import Forms
from qfuzz.store.keys import digest_parts, launch_key
from qfuzz.transports.loader import resolve


class FormMaker(Protocol):
    """Finds the forms of a breaker, or what of them was found when the patience was over."""

    def __call__(self, breaker: Breaker, patience: Patience | None = ...) -> Forms: ...


def forms_key(verdict: str, breaker: Breaker, *, strict: bool) -> str:
    """The key of everything that determines the forms of a breaker, whose judged execution has the key `verdict`.

    A changed escaping function keeps a verdict's key and changes what is handed over; where bashlex is installed,
    smaller replies can come out.
    """
    straight = resolve("direct").deliver(breaker.program)
    wrapped = breaker.transport.deliver(breaker.program)
    handed_over = [launch_key(each) if isinstance(each, Launch) else str(each) for each in (straight, wrapped)]
    parser = importlib.util.find_spec("bashlex") is not None
    parts = ["forms", verdict, *handed_over, str(GENERATION), str(strict), str(parser)]
    if breaker.by_verdict:
        parts.append("by verdict")
    return digest_parts([part.encode("utf-8", "surrogateescape") for part in parts])


@contextmanager
def form_maker(machinery: Machinery, *, strict: bool) -> Iterator[FormMaker]:
    """What finds the forms of a breaker; it may be called from several threads."""
    with ParseChild() as parser:

        def make(breaker: Breaker, patience: Patience | None = None) -> Forms:
            rebuild = with_payloads(breaker.task) if breaker.task is not None else lambda _: None
            return minimize(breaker, machinery, rebuild, parser.spans, strict=strict, patience=patience)

        yield make
