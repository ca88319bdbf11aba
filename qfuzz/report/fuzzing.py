"""What a campaign against a transport found: as text, in the words of `qfuzz diff`, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap

from qfuzz.fuzz.transport.events import BreakerFound, BreakerGone, CampaignEnded, CampaignStarted, Counts
from qfuzz.model.content import JsonValue, encode_content
from qfuzz.model.text import counted, one_line
from qfuzz.report.causes import causes_of, placed, signature
from qfuzz.report.text import WIDTH, breaker_lines
from qfuzz.report.visible import visible
from qfuzz.store.keys import short_id
from qfuzz.strategies.cases import Case

MOST_CAUSES = 6
"""Causes of one breaker that are listed; the rest is counted."""


def found_text(found: BreakerFound) -> Iterator[str]:
    """A breaker as its line in `qfuzz diff`, its smallest reply, and its causes with their contexts."""
    for line in breaker_lines(found.judged):
        known = " (known)" if found.known else ""
        yield one_line(f"{line.id}{known}  {line.outcome}: {line.what}", WIDTH)
        if line.declared:
            yield one_line(f"    declared: {line.declared}", WIDTH)
    yield from _program("smallest", _smallest(found))
    if not found.finished:
        yield "    not made small to the end; `qfuzz shrink` goes on"
    forms = found.shrunk.forms
    causes = () if forms is None else causes_of(forms)
    for cause in causes[:MOST_CAUSES]:
        contexts = ", ".join(dict.fromkeys(one.context for one in cause))
        yield one_line(f"    cause: {placed(cause)}, {contexts}", WIDTH)
    if len(causes) > MOST_CAUSES:
        yield f"    and {len(causes) - MOST_CAUSES} causes more; `qfuzz explain` has all"


def gone_text(gone: BreakerGone) -> Iterator[str]:
    yield "breaks no more, and is forgotten:"
    yield from _program("program", gone.case.program)


def _smallest(found: BreakerFound) -> bytes:
    forms = found.shrunk.forms
    return found.shrunk.found.breaker.program if forms is None or forms.reply is None else forms.reply.program


def _program(name: str, program: bytes) -> Iterator[str]:
    head = f"    {name}: "
    first, *rest = visible(program).split("\n")
    yield one_line(head + first, WIDTH)
    for line in rest:
        yield one_line(" " * len(head) + line, WIDTH)


def ended_text(ended: CampaignEnded) -> Iterator[str]:
    """What was tried, what became of it, and what was in it."""
    tried = ended.coverage.programs
    rate = tried / ended.seconds if ended.seconds else 0
    yield (
        f"{counted(tried, 'program')} in {ended.seconds:.1f} s ({rate:.0f}/s, {ended.executions} executions): "
        f"{counted(ended.found, 'breaker')} with different causes"
    )
    yield from _wrapped("", counts_text(ended.counts))
    for name, numbers in (
        ("constructs", ended.coverage.constructs),
        ("hazards", ended.coverage.hazards),
        ("contexts", ended.coverage.contexts),
    ):
        listed = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
        yield from _wrapped(f"{name}: ", ", ".join(f"{what} {count}" for what, count in listed) or "none")


def counts_text(counts: Counts) -> str:
    """What became of the programs, without what did not occur."""
    parts = [(counts.same, "did the same on both paths"), (counts.broke, "worked directly only")]
    parts += [
        (counts.explained, "of these by the causes told of"),
        (counts.left, "of these not looked into to the end"),
        (counts.unsettled, "of these not to be shown again"),
        (counts.diverged, "did something else though their task passes"),
        (counts.unstable, "were not stable when repeated"),
        (counts.no_direct_end, "did not end in time directly"),
        (counts.refused, "were refused"),
        (counts.harness_errors, "failed on our side (harness-error)"),
    ]
    return ", ".join(f"{count} {what}" for count, what in parts if count)


def _wrapped(head: str, text: str) -> list[str]:
    return wrap(head + text, WIDTH, subsequent_indent="  ") if text else []


def started_record(event: CampaignStarted) -> Mapping[str, JsonValue]:
    return {"event": "started", "transport": event.transport, "seed": event.seed, "known": event.known}


def found_record(found: BreakerFound) -> Mapping[str, JsonValue]:
    """A breaker: `program` is as Hypothesis shrank it and what `id` names, `smallest` the minimal reply."""
    shrunk = found.shrunk
    causes = () if shrunk.forms is None else causes_of(shrunk.forms)
    (line,) = breaker_lines(found.judged)
    return {
        "event": "breaker",
        "id": short_id(shrunk.found.key),
        "transport": shrunk.found.breaker.transport.name,
        "outcome": line.outcome,
        "task_id": found.judged.sample.reply.task_id,
        "program": encode_content(shrunk.found.breaker.program),
        "smallest": encode_content(_smallest(found)),
        "causes": [[[char, context] for char, context in signature(cause)] for cause in causes],
        "first": encode_content(found.first),
        "known": found.known,
        "finished": found.finished,
    }


def gone_record(case: Case) -> Mapping[str, JsonValue]:
    return {"event": "gone", "program": encode_content(case.program)}


def ended_record(ended: CampaignEnded) -> Mapping[str, JsonValue]:
    counts = {name: getattr(ended.counts, name) for name in Counts.__dataclass_fields__}
    return {
        "event": "ended",
        "programs": ended.coverage.programs,
        "found": ended.found,
        "executions": ended.executions,
        "seconds": round(ended.seconds, 3),
        "counts": counts,
        "constructs": dict(sorted(ended.coverage.constructs.items())),
        "hazards": dict(sorted(ended.coverage.hazards.items())),
        "contexts": dict(sorted(ended.coverage.contexts.items())),
    }
