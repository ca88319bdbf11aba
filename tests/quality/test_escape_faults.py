"""Known faults of escaping functions are found, and functions that are right run clean.

Every day one seed each; `make test-long` measures over twenty. What a run may take is bounded by words, so that the
machine decides nothing: BUDGET words take five seconds or so, where a minute is allowed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from qfuzz.api.fuzz import check_escape
from qfuzz.escape.loader import escaper
from qfuzz.fuzz.escape.asking import as_text
from qfuzz.fuzz.escape.campaign import Budget, campaign
from qfuzz.fuzz.escape.events import EscapeFinding
from qfuzz.fuzz.escape.guided import ATHERIS_CORPUS, guided_batches
from qfuzz.fuzz.escape.lane import Context, Lane
from qfuzz.fuzz.escape.shells import SHELLS, shell_named
from qfuzz.jail.pool import Pool
from tests.quality.escape_faults import CLEAN, KNOWN, Known

BUDGET = 200_000
SEEDS = 20
NEEDED = 19

DAILY = {"npm:shell-quote-1.7.2", "forgets_newline", "forgets_tilde_after_equals", "forgets_history", "forgets_braces"}


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as pool:
        yield pool


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    # Where a child process finds the module with the faults.
    monkeypatch.chdir(Path(__file__).parent)


def found(known: Known, seed: int, pool: Pool) -> bool:
    """Whether a campaign shows this fault within BUDGET words. Ends with the first witness that does."""
    lane = Lane(shell_named(known.shell), Context(known.context))
    make = escaper(known.option, known.target, 5.0)
    with closing(campaign(make, pool, [lane], Budget(BUDGET, findings=100), seed=seed)) as events:
        return any(isinstance(event, EscapeFinding) and known.shows(as_text(event.word)) for event in events)


def needs(shell: str) -> None:
    if shutil.which(SHELLS[shell].program, path="/usr/bin:/bin") is None:
        pytest.skip(f"{shell} is not installed")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("known", [known for known in KNOWN if known.name in DAILY], ids=lambda known: known.name)
def test_a_known_fault_is_found(known: Known, pool: Pool) -> None:
    needs(known.shell)
    assert found(known, 1, pool)


@pytest.mark.nightly
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_a_known_fault_is_found_for_nearly_every_seed(known: Known, pool: Pool) -> None:
    needs(known.shell)
    assert sum(found(known, seed, pool) for seed in range(SEEDS)) >= NEEDED


def clean(option: str, target: str, shell: str, context: str, examples: int, pool: Pool) -> list[bytes]:
    lane = Lane(shell_named(shell), Context(context))
    with closing(campaign(escaper(option, target, 5.0), pool, [lane], Budget(examples), seed=3)) as events:
        return [event.word for event in events if isinstance(event, EscapeFinding)]


@pytest.mark.parametrize(("option", "target", "shell"), CLEAN[2:3] + CLEAN[4:5])
def test_what_is_right_runs_clean(option: str, target: str, shell: str, pool: Pool) -> None:
    assert clean(option, target, shell, "argument", 25_000, pool) == []


@pytest.mark.nightly
@pytest.mark.parametrize("context", ["argument", "word"])
@pytest.mark.parametrize(("option", "target", "shell"), CLEAN)
def test_what_is_right_runs_clean_for_long(option: str, target: str, shell: str, context: str, pool: Pool) -> None:
    assert clean(option, target, shell, context, 1_000_000, pool) == []


@pytest.mark.usefixtures("here")
def test_coverage_guides_where_chance_does_not_lead(pool: Pool) -> None:
    pytest.importorskip("atheris", reason="the extra qfuzz[atheris] is not installed")
    target, words = "escape_faults:nests_four_conditions", 40_000
    assert check_escape(target, examples=words, seed=1, pool=pool) == []
    lane = Lane(shell_named("bash"), Context.ARGUMENT)
    with (
        closing(guided_batches(target, 1, runs=words, corpus=ATHERIS_CORPUS)) as source,
        closing(
            campaign(escaper("--escape", target, 5.0), pool, [lane], Budget(words), seed=1, source=source)
        ) as events,
    ):
        witness = next(event.word for event in events if isinstance(event, EscapeFinding))
    assert witness == b"^%?<a"
