"""Campaigns against escaping functions, through real shells in a jail."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence

import pytest

from qfuzz.api.fuzz import check_escape, describe
from qfuzz.escape.faults import FaultKind
from qfuzz.escape.function import FunctionEscaper
from qfuzz.fuzz.escape.campaign import Budget, campaign
from qfuzz.fuzz.escape.events import BatchJudged, CampaignEnded, EscapeFinding, Event, Mended, TargetFaulty
from qfuzz.fuzz.escape.lane import Context, Lane
from qfuzz.fuzz.escape.reader import MOST_BYTES, Reader
from qfuzz.fuzz.escape.shells import SHELLS
from qfuzz.jail.pool import Pool
from qfuzz.model.errors import InputError, UsageError
from tests.integration import quoting

HERE = [name for name, shell in SHELLS.items() if shutil.which(shell.program, path="/usr/bin:/bin")]
"""Shells of this machine. Those that the tests rely on are installed by the setup."""


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as pool:
        yield pool


def events(pool: Pool, function: Callable[[str], object], *lanes: Lane, examples: int, jobs: int = 1) -> list[Event]:
    lanes = lanes or (Lane(SHELLS["bash"], Context.ARGUMENT),)
    return list(campaign(lambda: FunctionEscaper(function), pool, lanes, Budget(examples=examples), seed=1, jobs=jobs))


def words_of(found: Sequence[object]) -> list[bytes]:
    return [event.word for event in found if isinstance(event, EscapeFinding)]


@pytest.mark.parametrize("context", [Context.ARGUMENT, Context.WORD])
@pytest.mark.parametrize("shell", [name for name in HERE if "interactive" not in name and name != "fish"])
def test_single_quotes_hold_in_every_shell(pool: Pool, shell: str, context: Context) -> None:
    assert check_escape(quoting.right, shells=[shell], contexts=[context.value], examples=7_000, pool=pool) == []


def test_the_right_one_for_a_place_between_double_quotes(pool: Pool) -> None:
    options = {"contexts": ["double-quoted"], "examples": 6_000, "pool": pool}
    assert check_escape(quoting.inside_double, shells=["bash", "dash"], **options) == []
    (found, *_) = check_escape(quoting.right, **options)
    assert (found.word, found.reading.read) == (b"", (b"a''z",))


def test_every_hazard_of_a_function_that_does_nothing(pool: Pool) -> None:
    found = check_escape(quoting.nothing, examples=30_000, findings=40, pool=pool)
    witnesses = [finding.word.decode() for finding in found]
    assert witnesses[0] == ""
    assert set("~ \t\n'\"\\`#&;|*?(<>") - set(witnesses) <= set("*?")
    assert {"$a", "a=~"} & set(witnesses), witnesses
    assert all(len(witness) <= 4 for witness in witnesses)


@pytest.mark.parametrize(
    ("function", "shell", "witness", "read"),
    [
        (quoting.no_newline, "bash", b"\n", (b"",)),
        (quoting.double, "bash-interactive", b"!a", None),
        (shlex.quote, "zsh", b"=a", None),
    ],
)
def test_a_fault_is_found_minimal_and_explained(
    pool: Pool, function: Callable[[str], str], shell: str, witness: bytes, read: tuple[bytes, ...] | None
) -> None:
    if shell not in HERE:
        pytest.skip(f"{shell} is not installed")
    found = {finding.word: finding for finding in check_escape(function, shells=[shell], examples=6_000, pool=pool)}
    assert witness in found
    assert found[witness].reading.read == read
    text = describe(found[witness])
    assert text.isprintable() or set(text) - {"\n"} == {char for char in text if char.isprintable()}


def test_a_right_word_with_a_file_beside_it_is_no_right_word(pool: Pool) -> None:
    (found, *_) = check_escape(quoting.leaves_files, examples=6_000, pool=pool)
    assert found.word == b"$"
    assert found.reading.read == (b"$",)
    assert "left" in found.reading.ending


@pytest.mark.parametrize(
    ("function", "ending"),
    [
        (quoting.floods, "(limit of output)"),
        (quoting.hangs_the_shell, "does not end"),
        (quoting.kills_the_shell, "signal 9"),
    ],
)
def test_a_shell_that_misbehaves_ends_its_batch_and_not_the_run(
    pool: Pool, function: Callable[[str], str], ending: str
) -> None:
    lane = Lane(SHELLS["bash"], Context.ARGUMENT)
    only = [b"a", b"$b", b"c"] * 10 + [b"~"] + [b"d", b"'"] * 10
    seen = list(
        campaign(
            lambda: FunctionEscaper(function), pool, [lane], Budget(seconds=60), seed=1, only=only, timeout_seconds=0.5
        )
    )
    assert words_of(seen) == [b"~"]
    (found,) = [event for event in seen if isinstance(event, EscapeFinding)]
    assert ending in found.reading.ending
    assert BatchJudged(51, 0) in seen


def test_the_same_seed_finds_the_same_for_any_number_of_jobs(pool: Pool) -> None:
    def found(jobs: int) -> list[Event]:
        lane = Lane(SHELLS["bash-interactive"], Context.ARGUMENT)
        seen = events(pool, quoting.double, lane, examples=30_000, jobs=jobs)
        return [event for event in seen if not isinstance(event, CampaignEnded)]

    assert found(1) == found(2)


def test_faults_of_the_function_are_told_of_once_and_the_run_goes_on(pool: Pool) -> None:
    seen = events(pool, quoting.picky, examples=4_000)
    (fault,) = [event.fault for event in seen if isinstance(event, TargetFaulty)]
    assert (fault.kind, fault.word) == (FaultKind.RAISES, b"$")
    ended = seen[-1]
    assert isinstance(ended, CampaignEnded)
    assert ended.faults["raises"] > 50
    assert words_of(seen) == []
    with pytest.raises(InputError, match="raises ValueError: no dollars for '\\$'"):
        check_escape(quoting.picky, pool=pool)


def test_an_answer_that_is_too_long_is_the_functions_fault(pool: Pool) -> None:
    seen = events(pool, quoting.long, examples=100)
    (fault,) = [event.fault for event in seen if isinstance(event, TargetFaulty)]
    assert (fault.kind, fault.word) == (FaultKind.FLOODS, b"~")
    assert words_of(seen) == []


def test_batches_that_are_too_long_for_one_shell_are_cut(pool: Pool) -> None:
    reader = Reader(pool, Lane(SHELLS["bash"], Context.WORD))
    words = [b"x" * (MOST_BYTES // 3)] * 5 + [b"y"]
    escaped = [b"'" + word + b"'" for word in words]
    assert reader.holds(words, escaped)
    assert reader.first_failing(words, escaped) is None
    escaped[4] += b"z"
    assert not reader.holds(words, escaped)
    assert reader.first_failing(words, escaped) == 4


def test_known_words_come_first_and_are_said_to_be_known(pool: Pool) -> None:
    lane = Lane(SHELLS["bash"], Context.ARGUMENT)
    seen = list(
        campaign(
            lambda: FunctionEscaper(quoting.no_newline),
            pool,
            [lane],
            Budget(examples=2),
            seed=1,
            known={lane: [b"\n", b"a"]},
        )
    )
    (found,) = [event for event in seen if isinstance(event, EscapeFinding)]
    assert (found.word, found.known) == (b"\n", True)
    assert Mended(lane, b"a") in seen


@pytest.mark.parametrize(("shells", "contexts"), [(["tcsh"], ["argument"]), (["bash"], ["nowhere"])])
def test_unknown_names(shells: list[str], contexts: list[str]) -> None:
    with pytest.raises(UsageError, match="there is no"):
        check_escape(quoting.right, shells=shells, contexts=contexts)
