"""Between breaker files and a store: the breakers of a store as cases, and cases kept in a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qfuzz.engine.stored import direct_of, fixture_of, is_stable, userland_of
from qfuzz.gen.public import load_public
from qfuzz.model.case import Case, Expect, Failure, TaskName, Way
from qfuzz.model.case_codec import decode_case, encode_case, identity
from qfuzz.model.content import sha256_hex
from qfuzz.model.forms import Cause, Forms
from qfuzz.model.observation import Observation
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture, Task
from qfuzz.model.userland import GNU
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.describe import describe_difference
from qfuzz.regress.files import Placed, task_name
from qfuzz.regress.judge import way_of
from qfuzz.report.causes import causes_of, shown_char
from qfuzz.store.keys import sample_key, task_key
from qfuzz.store.store import Store, StoredBreaker
from qfuzz.transports.loader import resolve

MOST_REASON = 300
"""Characters of a reason that is made here."""

NOT_STABLE = "not stable"
OTHER_USERLAND = "ran with another userland, which no case names"
ELSEWHERE = "ran in another work directory (name it with --fixture)"
NO_FORMS = "with the whole reply: no minimal form is known (`qfuzz shrink` finds one)"
WHOLE = "with the whole reply: no smaller one is sure to break in the same way"


@dataclass(frozen=True, slots=True)
class Collected:
    """A breaker of a store as a case, or None with the reason why it makes none. `note` is for people, or empty."""

    case: Case | None
    note: str = ""


def stored_cases(store: Store, given: Fixture, transports: frozenset[str], expect: Expect) -> Iterator[Collected]:
    """The breakers of a store, and after them the cases that were imported into it.

    Only those over `transports`, or all where none is named. `given` is the work directory of replies without a task.
    An imported case keeps its own expectation.
    """
    public = frozenset(task_key(task) for task in load_public())
    for judged in store.breakers():
        if not transports or judged.transport in transports:
            yield _collected(judged, store, given, expect, public)
    for line in store.cases():
        case = decode_case(line.removesuffix(b"\n"))
        if not transports or case.transport in transports:
            yield Collected(case)


def _collected(
    judged: StoredBreaker, store: Store, given: Fixture, expect: Expect, public: frozenset[str]
) -> Collected:
    if not is_stable(judged):
        return Collected(None, NOT_STABLE)
    if userland_of(store, [judged]) != GNU:
        return Collected(None, OTHER_USERLAND)
    direct = direct_of(judged, given, store)
    if direct is None:
        return Collected(None, ELSEWHERE)
    forms = store.last_forms(judged.key)
    minimal = None if forms is None else forms.reply
    case = Case(
        transport=judged.transport,
        expect=expect,
        program=judged.program if minimal is None else minimal.program,
        failure=failure_of(direct, judged.transported),
        causes=_characters(forms),
        reason=_reason(forms, direct, judged),
        task=None if judged.task is None else _task(judged.task, public),
        fixture=Fixture() if judged.task is not None else fixture_of(judged, given),
    )
    return Collected(case, NO_FORMS if forms is None else WHOLE if minimal is None else "")


def failure_of(direct: Observation, transported: Observation | None) -> Failure:
    """The key of a failure; `transported` None: it was rejected."""
    if transported is None:
        return Failure(Way.REJECTED)
    return Failure(way_of(transported), differing_channels(direct, transported))


def _task(task: Task, public: frozenset[str]) -> Task | TaskName:
    """A public task by its name, for every qfuzz has it; another one whole, so that the file stands alone."""
    return task_name(task) if task_key(task) in public else task


def _characters(forms: Forms | None) -> tuple[bytes, ...]:
    marks = [] if forms is None else [one for cause in _causes(forms) for one in cause]
    return tuple(dict.fromkeys(one.char.encode("utf-8", "surrogateescape") for one in marks))


def _causes(forms: Forms) -> tuple[Cause, ...]:
    return forms.reply.causes if forms.reply is not None else causes_of(forms)


def _reason(forms: Forms | None, direct: Observation, judged: StoredBreaker) -> str:
    """Why it breaks, in words: the rules of the characters that did it, else what the boundaries own.

    Of a path of the user's own no rules are known; there it is what was seen of the whole reply.
    """
    transport = resolve(judged.transport)
    if forms is not None and transport.protects_characters():
        rules = {(one.char, one.rule): None for cause in _causes(forms) for one in cause}
        if rules:
            return "; ".join(f"{shown_char(char)} {rule}" for char, rule in rules)[:MOST_REASON]
    if transport.is_own:
        if judged.transported is None:
            return judged.detail[:MOST_REASON]
        channels = differing_channels(direct, judged.transported)
        return describe_difference(direct, judged.transported, channels)[:MOST_REASON]
    return "; ".join(f"{each.name} owns {each.owns}" for each in transport.boundaries)[:MOST_REASON]


def keep_cases(cases: Iterable[Placed], store: Store) -> Counter[bool]:
    """Keeps cases in a store, each with its reply and task. Counts those that are new (True) and those known before.

    A case that is known takes the expectation and the reason that it is given now.
    """
    kept: Counter[bool] = Counter()
    for placed in cases:
        case, task = placed.case, placed.task
        metadata = {"transport": case.transport, "expect": case.expect.value}
        reply = Reply(case.program, None if task is None else task.task_id, metadata=metadata)
        key = sha256_hex(identity(case))
        known_task = None if task is None else (task_key(task), task)
        kept[store.write_case(key, (sample_key(reply), reply), known_task, encode_case(case))] += 1
    return kept


def merged(old: Iterable[Case], new: Iterable[Case]) -> tuple[list[Case], int]:
    """Old cases as they are, and the new ones that are not among them; how many those are."""
    kept = {identity(case): case for case in old}
    before = len(kept)
    for case in new:
        kept.setdefault(identity(case), case)
    return list(kept.values()), len(kept) - before
