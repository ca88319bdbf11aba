"""A binding: which places of a reply hold which payload under which stack, so that others can be put there.

Whether a place holds the payload, holds it by chance (in a file name), or holds it under another stack than it seems
can't be seen from the text. So bindings are listed, the likely ones first, and tried.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qfuzz.model.task import ExpectArgv, ExpectFile, ExpectGitHead, ExpectJson, ExpectLines, ExpectTree, Task
from qfuzz.shrink.stacks.find import Occurrence

_LEAVE_OUT = 6
"""The cost, beside those of occurrences, of passing over a place that no name explains."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One occurrence of the payload of a role."""

    role: str
    occurrence: Occurrence


@dataclass(frozen=True, slots=True)
class Binding:
    """`places` do not overlap and are in the order of the program."""

    program: bytes
    originals: Mapping[str, bytes]
    places: tuple[Bound, ...]

    def insert(self, payloads: Mapping[str, bytes]) -> bytes | None:
        """The program with these payloads, or None where a place can't carry its one.

        A payload that is the original keeps the author's spelling, so the originals give the program to the byte.
        """
        parts = []
        at = 0
        for bound in self.places:
            new = payloads[bound.role]
            if new == self.originals[bound.role]:
                continue
            written = bound.occurrence.write(new)
            if written is None:
                return None
            parts += [self.program[at : bound.occurrence.start], written]
            at = bound.occurrence.end
        return b"".join([*parts, self.program[at:]])

    def stack(self, role: str) -> tuple[str, ...]:
        """The stack of the role's first place."""
        return next(bound.occurrence.stack for bound in self.places if bound.role == role)


def bindings(
    program: bytes, originals: Mapping[str, bytes], found: Sequence[Bound], names: set[bytes]
) -> Iterator[Binding]:
    """All bindings that use every role of `found` at least once, the likely ones first.

    What stands inside one of `names` probably does so by chance.
    """
    roles = {bound.role for bound in found}
    choices = [_choices(place, program, names) for place in _places(found)]
    for chosen in _cheapest_first(choices):
        bound = tuple(choice for choice in chosen if choice is not None)
        if {each.role for each in bound} == roles:
            yield Binding(program, originals, bound)


def _places(found: Sequence[Bound]) -> list[list[Bound]]:
    """Occurrences that overlap exclude each other: one group each, in the order of the program."""
    groups: list[list[Bound]] = []
    end = -1
    for bound in sorted(found, key=lambda each: (each.occurrence.start, each.occurrence.end)):
        if bound.occurrence.start < end:
            groups[-1].append(bound)
        else:
            groups.append([bound])
        end = max(end, bound.occurrence.end)
    return groups


_Choice = tuple[int, Bound | None]


def _choices(place: list[Bound], program: bytes, names: set[bytes]) -> list[_Choice]:
    by_chance = all(_inside_a_name(program, bound.occurrence, names) for bound in place)
    left_out: _Choice = (0 if by_chance else _LEAVE_OUT, None)
    return sorted([left_out, *((bound.occurrence.cost, bound) for bound in place)], key=lambda choice: choice[0])


def _inside_a_name(program: bytes, occurrence: Occurrence, names: set[bytes]) -> bool:
    """Whether one of the names stands around the occurrence, at least up to one of its own ends."""
    held = program[occurrence.start : occurrence.end]
    before, after = program[: occurrence.start], program[occurrence.end :]
    for name in names:
        at = name.find(held)
        while at >= 0:
            front, back = name[:at], name[at + len(held) :]
            if (front and before.endswith(front)) or (back and after.startswith(back)):
                return True
            at = name.find(held, at + 1)
    return False


def _cheapest_first(choices: list[list[_Choice]]) -> Iterator[tuple[Bound | None, ...]]:
    """One choice of each list, all combinations by total cost; equal costs in a fixed order."""
    if not choices:
        return
    start = (0,) * len(choices)
    heap = [(sum(options[0][0] for options in choices), start)]
    seen = {start}
    while heap:
        cost, picked = heapq.heappop(heap)
        yield tuple(options[at][1] for options, at in zip(choices, picked, strict=True))
        for place, at in enumerate(picked):
            options = choices[place]
            following = (*picked[:place], at + 1, *picked[place + 1 :])
            if at + 1 < len(options) and following not in seen:
                seen.add(following)
                heapq.heappush(heap, (cost + options[at + 1][0] - options[at][0], following))


def lasting_names(one: Task, other: Task) -> set[bytes]:
    """File names that both tasks have, whatever their payloads: a payload inside one stands there by chance."""
    return _names(one) & _names(other)


def _names(task: Task) -> set[bytes]:
    paths = [*task.may_create, *task.fixture.dirs]
    paths += [file.path for file in task.fixture.files] + [link.path for link in task.fixture.symlinks]
    for expectation in task.expect:
        match expectation:
            case ExpectFile(path) | ExpectArgv(path) | ExpectJson(path) | ExpectLines(path):
                paths.append(path)
            case ExpectTree(files, gone):
                paths += [*files, *gone]
            case ExpectGitHead(_, files):
                paths += files
    return {part for path in paths for part in path.split(b"/")}
