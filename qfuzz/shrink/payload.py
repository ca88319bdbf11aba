"""The smallest payload that still breaks under the author's quoting, or why there is none to show.

The payload is found where the author spelled it, another one is spelled there in the same way, and the family makes the
task of it. Everything claimed was run: a binding counts once a plain and a hostile payload pass directly with it, a
payload is minimal because it breaks and the smaller ones that were tried do not.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from qfuzz.model.task import Task
from qfuzz.shrink.payload_binding import Binding, Bound, bindings, lasting_names
from qfuzz.shrink.payload_probes import frames, hostile_texts, plain_letters
from qfuzz.shrink.payload_search import smallest
from qfuzz.shrink.repair import OutOfTrials
from qfuzz.shrink.stacks.find import occurrences

MAX_BINDINGS = 6
"""Bindings that are tried; each costs one execution."""

MAX_SEARCHED = 20
"""Payloads that are tried for a smaller one once the binding is sure; each costs up to two executions."""

MAX_PLACES = 32
"""More places where a payload may stand are too many to tell apart by trying."""

_BINDINGS_LOOKED_AT = 500

Rebuild = Callable[[Mapping[str, bytes]], Task | None]
Runs = Callable[[Task, bytes], bool]


class PayloadStatus(enum.Enum):
    """What was found out about the payload's part in a failure."""

    MINIMAL = "minimal"
    """It takes part: a plain one does not break, the one given does."""
    NOT_INVOLVED = "not-involved"
    """A plain payload breaks as well: something that the author wrote around it does."""
    NOT_BOUND = "not-bound"
    """It can't be told; `reason` says why."""


class Unbound(enum.Enum):
    """Why no payload could be put in the place of the task's own."""

    NO_PAYLOAD = "no-payload"
    """The task has none, or an empty one only."""
    NOT_REBUILT = "not-rebuilt"
    """The task's family does not make it again, with this payload or with the probes."""
    NOT_FOUND = "not-found"
    """The reply spells it in no way that is known: computed, split up, or in a language not read."""
    TOO_MANY_PLACES = "too-many-places"
    """The text stands in so many places that most must be there by chance."""
    PROBES_FAIL = "probes-fail"
    """It was found, but with other payloads in its place the reply fails directly."""
    OUT_OF_TRIALS = "out-of-trials"
    """The caller's budget ended before a binding was sure."""
    PARTLY_BOUND = "partly-bound"
    """The task has several payloads, not all were found, and those that were are not involved."""


@dataclass(frozen=True, slots=True)
class PayloadForm:
    """The answer for one breaker.

    `role` and `stack` (layers, the outermost shell context first) are those of the payload that was put in, None and ()
    where there is none. `minimal` is that payload and `program` the reply with it, `task` what the family makes of it:
    the smallest that breaks, or for NOT_INVOLVED the plain one. `reason` is given for NOT_BOUND alone.
    """

    status: PayloadStatus
    role: str | None = None
    stack: tuple[str, ...] = ()
    minimal: bytes | None = None
    program: bytes | None = None
    task: Task | None = None
    reason: Unbound | None = None

    def __post_init__(self) -> None:
        shown = None not in (self.role, self.minimal, self.program, self.task)
        assert shown == (self.status is not PayloadStatus.NOT_BOUND), f"{self.status} with {self.minimal!r}"
        assert (self.reason is None) == shown, f"{self.status} with {self.reason}"


def payload_form(task: Task, program: bytes, rebuild: Rebuild, passes_direct: Runs, breaks: Runs) -> PayloadForm:
    """Bind the payloads of `task` in `program`, a breaker, and search the smallest that still breaks.

    `rebuild` gives the task of other payloads (all roles), None for those that the family can't carry. `passes_direct`
    runs once; `breaks` says whether a program passes directly and fails transported in the breaker's own class. Both
    are asked few times and are best memoized; either may raise OutOfTrials, and the best so far is the answer.

    Small is what has few characters, then what is plain (`order` in payload_probes). Tried are payloads of one
    hazardous character of the original, of two, of three, then the original with parts left out; the first that breaks
    is given. The same answers of the functions give the same form.
    """
    try:
        return _Search(task, program, rebuild, passes_direct, breaks).form()
    except OutOfTrials:
        return _not_bound(Unbound.OUT_OF_TRIALS)


@dataclass(frozen=True, slots=True)
class _Trial:
    """A payload in its place, and the task that it makes."""

    payloads: Mapping[str, bytes]
    task: Task
    program: bytes


class _Search:
    def __init__(self, task: Task, program: bytes, rebuild: Rebuild, passes_direct: Runs, breaks: Runs) -> None:
        self._task = task
        self._program = program
        self._rebuild = rebuild
        self._passes_direct = passes_direct
        self._breaks = breaks
        self._searched = 0
        self._roles = [role for role, payload in task.payloads.items() if payload and b"\0" not in payload]
        self._letters = dict(zip(self._roles, plain_letters(task, len(self._roles)), strict=True))

    def form(self) -> PayloadForm:
        if not self._roles:
            return _not_bound(Unbound.NO_PAYLOAD)
        found = self._found()
        if found is None:
            return _not_bound(Unbound.TOO_MANY_PLACES)
        if not found:
            return _not_bound(Unbound.NOT_FOUND)
        bound_roles = [role for role in self._roles if any(bound.role == role for bound in found)]
        probes = self._hostile_tasks(bound_roles)
        if not probes:
            return _not_bound(Unbound.NOT_REBUILT)
        names = lasting_names(self._task, probes[0][1])
        tried: set[bytes] = set()
        listed = bindings(self._program, self._task.payloads, found, names)
        for binding in islice(listed, _BINDINGS_LOOKED_AT):
            hostile = _first_insertable(binding, probes)
            if hostile is None or hostile.program in tried:
                continue
            tried.add(hostile.program)
            if self._passes_direct(hostile.task, hostile.program):
                plain = self._plain(binding, bound_roles)
                if plain is not None and self._passes_direct(plain.task, plain.program):
                    return self._bound(binding, bound_roles, plain)
            if len(tried) == MAX_BINDINGS:
                break
        return _not_bound(Unbound.PROBES_FAIL)

    def _found(self) -> list[Bound] | None:
        """All occurrences of all payloads, None where they are too many."""
        found: list[Bound] = []
        for role in self._roles:
            everywhere = occurrences(self._program, self._task.payloads[role])
            if everywhere is None or len({occurrence.start for occurrence in everywhere}) > MAX_PLACES:
                return None
            found += (Bound(role, occurrence) for occurrence in everywhere)
        return found

    def _hostile_tasks(self, roles: list[str]) -> list[tuple[dict[str, bytes], Task]]:
        probes = []
        for texts in zip(*(hostile_texts(self._letters[role]) for role in roles), strict=True):
            payloads = dict(self._task.payloads) | dict(zip(roles, texts, strict=True))
            task = self._rebuild(payloads)
            if task is not None:
                probes.append((payloads, task))
        return probes

    def _plain(self, binding: Binding, roles: list[str]) -> _Trial | None:
        for at in range(len(frames("", ""))):
            texts = {role: frames(self._letters[role], "")[at].encode() for role in roles}
            trial = self._trial(binding, dict(self._task.payloads) | texts)
            if trial is not None:
                return trial
        return None

    def _trial(self, binding: Binding, payloads: Mapping[str, bytes]) -> _Trial | None:
        program = binding.insert(payloads)
        task = None if program is None else self._rebuild(payloads)
        return None if program is None or task is None else _Trial(payloads, task, program)

    def _bound(self, binding: Binding, roles: list[str], plain: _Trial) -> PayloadForm:
        if self._breaks(plain.task, plain.program):
            if len(roles) < len(self._roles):
                return _not_bound(Unbound.PARTLY_BOUND)
            return _form(PayloadStatus.NOT_INVOLVED, binding, roles[0], plain)
        for role in roles:
            found = self._smallest(binding, role, plain)
            if found is not None:
                return _form(PayloadStatus.MINIMAL, binding, role, found)
        # Nothing smaller is known to break, and the breaker itself does.
        original = _Trial(self._task.payloads, self._task, self._program)
        return _form(PayloadStatus.MINIMAL, binding, roles[0], original)

    def _smallest(self, binding: Binding, role: str, plain: _Trial) -> _Trial | None:
        """The smallest payload of this role that breaks while the others are plain; None if none was found."""
        try:
            original = self._task.payloads[role].decode("utf-8")
        except UnicodeDecodeError:
            return None
        letter = self._letters[role]
        needed = len(plain.payloads[role]) - len(letter)

        def trial_of(text: str) -> _Trial | None:
            return self._trial(binding, {**plain.payloads, role: text.encode("utf-8")}) if text else None

        def fails(trial: _Trial) -> bool:
            if self._searched == MAX_SEARCHED:
                raise OutOfTrials
            self._searched += 1
            return self._breaks(trial.task, trial.program)

        return smallest(original, letter, needed, trial_of, fails)


def _first_insertable(binding: Binding, probes: list[tuple[dict[str, bytes], Task]]) -> _Trial | None:
    for payloads, task in probes:
        program = binding.insert(payloads)
        if program is not None:
            return _Trial(payloads, task, program)
    return None


def _not_bound(reason: Unbound) -> PayloadForm:
    return PayloadForm(PayloadStatus.NOT_BOUND, reason=reason)


def _form(status: PayloadStatus, binding: Binding, role: str, trial: _Trial) -> PayloadForm:
    return PayloadForm(status, role, binding.stack(role), trial.payloads[role], trial.program, trial.task)
