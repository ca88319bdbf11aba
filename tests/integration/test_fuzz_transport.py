"""Campaigns against transports, in real jails: what is found, each cause once, what is known first."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

import pytest
from hypothesis.database import InMemoryExampleDatabase

from qfuzz.engine.events import Judged
from qfuzz.engine.forms import form_maker
from qfuzz.engine.laboratory import Breaker, Laboratory, Patience
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.fuzz.transport.campaign import campaign
from qfuzz.fuzz.transport.causes import KnownCauses
from qfuzz.fuzz.transport.draw import StopShrinking, drawn_cases, example_of, read_examples, shrunk
from qfuzz.fuzz.transport.events import BreakerFound, BreakerGone, CampaignEnded, CampaignStarted, CaseJudged, Event
from qfuzz.fuzz.transport.faithful import Armored, hold
from qfuzz.fuzz.transport.limits import is_endless
from qfuzz.fuzz.transport.plan import Budget, Path, examples_key
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.model.errors import HarnessError, PathError
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture
from qfuzz.oracle.compare import differing_channels
from qfuzz.strategies.cases import Case
from qfuzz.transports.base import Boundary, Transport
from qfuzz.transports.loader import resolve
from tests.conformance.test_faithful_fuzz import planted

TIMEOUT_SECONDS = 10.0


class Lossy(Boundary):
    """Loses what a number sign begins, up to the end of the line: a planted fault."""

    name = "lossy"
    summary = "loses comments, and what it takes for one"
    owns = "the number sign"
    cannot_carry = "nothing"
    witness = b"echo '#'"
    faithful = True
    starts_shell = False

    def embed(self, text: bytes) -> bytes:
        return b"\n".join(line.split(b"#")[0] for line in text.split(b"\n"))

    def disclosure(self) -> str:
        return "R loses comments."


class Folding(Lossy):
    """Loses number signs, each of which can be protected, and makes blanks of NELs, which can't: planted faults."""

    name = "folding"
    summary = "loses number signs and folds lines"
    faithful = False
    rules = MappingProxyType({ord("#"): "is lost"})

    def embed(self, text: bytes) -> bytes:
        return text.replace(b"##", b"\1").replace(b"#", b"").replace(b"\1", b"#").replace(b"\xc2\x85", b" ")

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"#", b"##")


class Looping(Lossy):
    """Never ends where the program has a number sign: a planted fault."""

    name = "looping"
    summary = "goes on for ever behind a number sign"
    faithful = False

    def embed(self, text: bytes) -> bytes:
        return text + b"\nwhile :; do :; done" if b"#" in text else text


class Hanging(Lossy):
    """Loses comments, and never ends for one program of three, whatever is in it: planted faults."""

    name = "hanging"
    summary = "loses comments, or does not end"
    faithful = False

    def embed(self, text: bytes) -> bytes:
        hangs = hashlib.sha256(text).digest()[0] % 3 == 0
        return Lossy.embed(self, text) + (b"\nsleep 60" if hangs else b"")


LOSSY = Transport("lossy", (Lossy(),), resolve("direct").boundaries[0])


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as started:
        yield started


@pytest.fixture(scope="module")
def path(pool: Pool) -> Iterator[Path]:
    machines = machinery(pool, TIMEOUT_SECONDS)
    with form_maker(machines, strict=False) as make:
        yield Path(LOSSY, machines, context_of(pool, TIMEOUT_SECONDS), make)


def over(path: Path, transport: Transport) -> Path:
    return replace(path, transport=transport)


def found(events: list[Event]) -> list[BreakerFound]:
    return [event for event in events if isinstance(event, BreakerFound)]


def test_a_draw_depends_on_seed_and_place_alone() -> None:
    first = list(islice(drawn_cases(7), 20))
    # Each alone, in another order.
    assert [read_examples([example_of(7, place)])[0][1] for place, _ in reversed(first)] == [
        case for _, case in reversed(first)
    ]
    assert list(islice(drawn_cases(7), 20)) == first
    assert [case for _, case in islice(drawn_cases(8), 2)] != [case for _, case in first[:2]]


def test_an_example_is_the_case_again_and_shrinks_to_the_plainest_that_fails() -> None:
    case, place = next((case, place) for place, case in drawn_cases(3) if b"'" in case.program and case.task is None)
    example = example_of(3, place)
    assert read_examples([example, b"\xff damaged"]) == [(example, case)]

    def fails(other: Case) -> bool:
        return b"'" in other.program

    once = shrunk(example, fails)
    assert once == shrunk(example, fails)
    assert once is not None
    smallest, as_example = once
    assert b"'" in smallest.program
    assert len(smallest.program) <= 20
    assert read_examples([as_example]) == [(as_example, smallest)]
    assert shrunk(example, lambda _: False) is None


def test_a_planted_fault_is_found_whatever_the_number_of_jobs_and_is_small(path: Path) -> None:
    runs = [list(campaign(path, Budget(60, None, 1), seed=2, jobs=jobs)) for jobs in (1, 2)]
    told = [[(each.shrunk.found.breaker.program, each.shrunk.forms, each.first) for each in found(run)] for run in runs]
    assert told[0] == told[1]
    ((program, forms, first),) = told[0]
    assert b"#" in program
    assert len(program) <= min(len(first), 40)
    assert forms is not None
    assert forms.reply is not None
    assert len(forms.reply.program) <= 20


def test_a_character_that_no_rule_is_about_is_told_of_once_and_not_hidden_by_others(path: Path) -> None:
    folding = Transport("folding", (Folding(),), resolve("direct").boundaries[0])
    known = KnownCauses(folding)

    def broken(program: bytes) -> Breaker:
        launches = [transport.deliver(program) for transport in (resolve("direct"), folding)]
        seen = [path.machinery.run(launch, Fixture()) for launch in launches if isinstance(launch, Launch)]
        assert differing_channels(*seen)
        return Breaker(program, None, Fixture(), folding, *seen)

    def explained(program: bytes) -> bool:
        case = Case(program, None, frozenset({"echo", "word:single", "other"}))
        return known.explain(case, Laboratory(broken(program), path.machinery, 100))

    def learn(program: bytes) -> bool:
        return known.add(Case(program, None, frozenset({"echo", "word:single"})), path.make(broken(program)))

    nel = b"\xc2\x85"
    assert not explained(b"echo '#'")
    assert learn(b"echo '#'")
    assert explained(b"echo 'b#' '#'")
    # All places are known, and yet there is something else; nor is the construct a reason.
    assert not explained(b"echo '#' '" + nel + b"'")
    assert not explained(b"echo '" + nel + b"'")
    assert learn(b"echo '" + nel + b"'")
    assert explained(b"echo 'b#' '" + nel + b"'")
    assert explained(b"cat <<< '" + nel + b"'")
    assert not explained(b'echo "#" \'' + nel + b"'")


def test_of_what_is_called_faithful_a_lost_character_is_one_breaker(path: Path) -> None:
    events = list(campaign(over(path, planted()[0]), Budget(60), seed=1, jobs=2))
    assert [each.shrunk.found.breaker.program for each in found(events)] == [b"echo '\xc2\x85'"]


def test_each_cause_of_nested_is_told_of_once(path: Path) -> None:
    nested = over(path, resolve("nested"))
    events = list(campaign(nested, Budget(4, None, 3), seed=1, jobs=2))
    causes = []
    for each in found(events):
        assert each.shrunk.forms is not None
        repair = each.shrunk.forms.repair
        assert repair is not None
        causes.append({(one.char, one.context) for cause in repair.causes for one in cause})
    assert len(causes) == 3
    for at, later in enumerate(causes):
        assert not later <= set().union(*causes[:at]), causes
    ended = events[-1]
    assert isinstance(ended, CampaignEnded)
    assert ended.coverage.programs == ended.counts.same + ended.counts.broke
    assert sum(isinstance(event, CaseJudged) for event in events) == ended.coverage.programs
    assert all(isinstance(each.judged, Judged) and each.judged.results[0].breaker for each in found(events))


def test_what_is_known_comes_first_and_what_is_mended_is_forgotten(path: Path) -> None:
    examples = InMemoryExampleDatabase()
    first = list(campaign(path, Budget(60, None, 1), seed=2, jobs=2, examples=examples))
    (breaker,) = found(first)
    key = examples_key(LOSSY)
    assert len(list(examples.fetch(key))) == 1

    again = list(campaign(path, Budget(2, None), seed=9, jobs=2, examples=examples))
    assert again[0] == CampaignStarted("lossy", 9, 1)
    assert isinstance(again[1], BreakerFound)
    assert again[1].known
    assert again[1].shrunk.found.breaker.program == breaker.shrunk.found.breaker.program

    mended = over(path, Transport("lossy", (), resolve("direct").boundaries[0]))
    last = list(campaign(mended, Budget(2, None), seed=9, jobs=2, examples=examples))
    assert isinstance(last[1], BreakerGone)
    assert found(last) == []
    assert list(examples.fetch(key)) == []


def test_what_does_not_end_is_told_of_once_as_it_was_drawn(pool: Pool, path: Path) -> None:
    machines = machinery(pool, 0.5)
    looping = Transport("looping", (Looping(),), resolve("direct").boundaries[0])
    slow = replace(path, transport=looping, machinery=machines, context=context_of(pool, 0.5))
    events = list(campaign(slow, Budget(8, None), seed=2, jobs=2))
    (breaker,) = found(events)
    assert (breaker.finished, breaker.shrunk.forms) == (False, None)
    assert breaker.shrunk.found.breaker.program == breaker.first
    assert b"#" in breaker.first
    ended = events[-1]
    assert isinstance(ended, CampaignEnded)
    # One more execution for each of the others at most, and not hundreds: they are asked for a known cause alone.
    judged = sum(event.counts.broke for event in events if isinstance(event, CampaignEnded))
    assert judged > 1
    assert ended.executions < 8 * 8
    assert ended.counts.left + ended.counts.explained == judged - 1


def test_what_a_path_breaks_is_found_though_many_programs_never_end_over_it(pool: Pool, path: Path) -> None:
    late: Counter[tuple[bytes, Fixture]] = Counter()

    def counted(run: Callable[[Launch, Fixture], Observation]) -> Callable[[Launch, Fixture], Observation]:
        def observe(launch: Launch, fixture: Fixture) -> Observation:
            seen = run(launch, fixture)
            late[launch.program, fixture] += seen.status.ending is Ending.TIMEOUT
            return seen

        return observe

    machines = machinery(pool, 0.5)
    machines = replace(machines, run=counted(machines.run), run_alone=counted(machines.run_alone))
    hanging = Transport("hanging", (Hanging(),), resolve("direct").boundaries[0])
    slow = replace(path, transport=hanging, machinery=machines, context=context_of(pool, 0.5))
    events = list(campaign(slow, Budget(9, None, 2), seed=3, jobs=2))
    ended = events[-1]
    assert isinstance(ended, CampaignEnded)
    endless = [program for (program, _), times in late.items() if times]
    assert len(endless) >= 3
    # Once, and once alone: a second pair would wait twice more.
    assert max(late.values()) == 2
    lost = [each for each in found(events) if not is_endless(each.shrunk.found.breaker.transported)]
    assert lost
    assert all(b"#" in each.shrunk.found.breaker.program for each in lost)


def test_a_search_that_is_stopped_answers_with_the_smallest_so_far() -> None:
    case, place = next((case, place) for place, case in drawn_cases(3) if b"'" in case.program and case.task is None)
    asked: list[Case] = []

    def fails(other: Case) -> bool:
        asked.append(other)
        if len(asked) > 15:
            raise StopShrinking
        return b"'" in other.program

    stopped = shrunk(example_of(3, place), fails)
    assert stopped is not None
    smallest, as_example = stopped
    assert b"'" in smallest.program
    assert len(smallest.program) < len(case.program)
    assert read_examples([as_example]) == [(as_example, smallest)]


def test_patience_is_shared_and_ends_the_search_for_forms(path: Path) -> None:
    (breaker,) = found(list(campaign(path, Budget(60, None, 1), seed=2, jobs=2)))
    over_at_once = Patience(until=0)
    forms = path.make(breaker.shrunk.found.breaker, over_at_once)
    assert over_at_once.ran_out
    assert (forms.executions, forms.reply) == (0, None)


class Failing(Lossy):
    """A path that fails by itself, as one of the user's own can."""

    def embed(self, text: bytes) -> bytes:  # noqa: ARG002
        raise PathError("its program is gone", where=self.name)


class Limited(Lossy):
    """A path that declares a limit that each program is over."""

    def embed(self, text: bytes) -> Refusal:  # type: ignore[override]  # noqa: ARG002
        return Refusal(self.name, 0, "carries nothing")


@pytest.mark.parametrize("why", ["the path fails", "the jail fails", "it is refused", "it is not the same twice"])
def test_a_breaker_that_could_not_be_tried_is_kept(path: Path, why: str) -> None:
    examples = InMemoryExampleDatabase()
    example, key = example_of(2, next(drawn_cases(2))[0]), examples_key(LOSSY)
    examples.save(key, example)
    tried: list[Launch] = []

    def run(launch: Launch, fixture: Fixture) -> Observation:
        tried.append(launch)
        if why == "the jail fails":
            raise HarnessError("the jail is gone")
        seen = path.machinery.run(launch, fixture)
        if why == "it is not the same twice":
            return replace(seen, stdout=replace(seen.stdout, data=b"%d" % len(tried)))
        return seen

    machines = replace(path.machinery, run=run, run_alone=run)
    boundary = {"the path fails": Failing, "it is refused": Limited}.get(why, Lossy)
    broken = Transport("lossy", (boundary(),), resolve("direct").boundaries[0])
    over_it = replace(path, transport=broken, machinery=machines)
    events = list(campaign(over_it, Budget(0), seed=9, jobs=1, examples=examples))
    assert events[0] == CampaignStarted("lossy", 9, 1)
    assert not any(isinstance(event, BreakerGone) for event in events)
    assert list(examples.fetch(key)) == [example]


def test_time_ends_a_campaign(path: Path) -> None:
    events = list(campaign(over(path, resolve("quoted")), Budget(None, 0.5), seed=1, jobs=2))
    ended = events[-1]
    assert isinstance(ended, CampaignEnded)
    assert ended.counts.same == ended.coverage.programs > 0
    assert ended.found == 0


def test_a_transport_that_lies_about_being_faithful_is_seen(path: Path) -> None:
    held = hold([LOSSY, resolve("quoted")], path.machinery, path.context, seed=2, jobs=2, examples=25)
    assert {each.transport for each in held.divergences} == {"lossy"}
    assert held.programs == 25
    assert held.compared["quoted"] == 25


def test_an_armor_is_held_to_its_claim(path: Path) -> None:
    class Forgetful(Lossy):
        def armor(self, program: bytes) -> bytes:
            return program

    armored = Armored.of(Transport("forgetful", (Forgetful(),), resolve("direct").boundaries[0]))
    assert armored.faithful
    held = hold([armored], path.machinery, path.context, seed=2, jobs=2, examples=25)
    assert {each.transport for each in held.divergences} == {"armor of forgetful"}
