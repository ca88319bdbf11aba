"""What `qfuzz score` does with executions that do not pair: refuse with counts, or restrict and say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qfuzz.gen.public import load_public
from tests.cli.command import Said
from tests.cli.inside import Inside
from tests.cli.scoring import DB, going_well, only, several
from tests.scored import fill, passing, published


@pytest.fixture
def here(inside: Inside) -> Callable[..., Said]:
    return going_well(inside)


REFUSALS: dict[str, tuple[Callable[[], None], str]] = {}


def refusal(said: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def keep(make: Callable[[], None]) -> Callable[[], None]:
        REFUSALS[make.__name__] = (make, said)
        return make

    return keep


@refusal("no replies under disclosed:nested for the 56 under raw")
def without_a_partner() -> None:
    fill(DB, "raw", {"direct": passing(54), "nested": passing(18)})


@refusal("no replies under raw for the 56 under disclosed:nested")
def without_a_base() -> None:
    fill(DB, "disclosed:nested", {"direct": passing(54), "nested": passing(18)})


@refusal("56 replies under raw have no verdict over nested")
def not_run_over_the_path() -> None:
    fill(DB, "raw", {"direct": passing(54)})
    fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(52)})


@refusal("56 replies under disclosed:nested have no verdict over nested")
def told_but_not_run_over_the_path() -> None:
    fill(DB, "raw", {"direct": passing(54), "nested": passing(18)})
    fill(DB, "disclosed:nested", {"direct": passing(9)})


@refusal("4 tasks have replies under raw and none under disclosed:nested (first: ")
def tasks_missing_under_one_contract() -> None:
    fill(DB, "raw", {"direct": passing(54), "nested": passing(18)})
    fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(50)}, tasks=load_public()[:52])


@refusal("the 56 tasks under raw have 1 to 2 trials, not equally many")
def unequal_trials() -> None:
    published(DB)
    fill(DB, "raw", {"direct": passing(54), "nested": passing(18)}, trials=2, tasks=load_public()[:10])


@refusal("112 replies under raw share task, trial and effort with others")
def the_same_reply_twice() -> None:
    published(DB)
    fill(DB, "raw", {"direct": passing(54), "nested": passing(18)}, text="another ")


@refusal("4 configurations were measured on 40 to 56 tasks, of which 40 are common to all")
def configurations_on_different_tasks() -> None:
    several()
    fill(DB, "raw", {"direct": passing(9), "nested": passing(9)}, model="d", tasks=load_public()[:40])
    fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(9)}, model="d", tasks=load_public()[:40])


@refusal("there is nothing to score")
def no_task_at_all() -> None:
    fill(DB, "raw", {}, tasks=())


@pytest.mark.parametrize("name", REFUSALS)
def test_what_does_not_pair_is_refused_with_counts(inside: Inside, name: str) -> None:
    make, said = REFUSALS[name]
    make()
    assert said in inside.refuses("score")


RESTRICTED = {
    "without_a_partner": {"damage": -64.3, "compensation": None, "tasks": 56},
    "without_a_base": {"damage": None, "compensation": None, "tasks": 56},
    "not_run_over_the_path": {"damage": None, "compensation": None, "tasks": 56},
    "told_but_not_run_over_the_path": {"damage": -64.3, "compensation": None, "tasks": 56},
    "tasks_missing_under_one_contract": {"damage": round(100 * (18 - 52) / 52, 1), "tasks": 52},
    "unequal_trials": {"damage": -64.3, "tasks": 56},
    "the_same_reply_twice": {"damage": None, "tasks": 56},
}


@pytest.mark.parametrize("name", RESTRICTED)
def test_allow_unpaired_scores_the_part_that_pairs_and_says_what_it_left_out(
    here: Callable[..., Said], name: str
) -> None:
    REFUSALS[name][0]()
    found = only(here("score", "--allow-unpaired", "--json"))
    for key, wanted in RESTRICTED[name].items():
        value = found[key]
        assert (value["points"] if isinstance(value, dict) else value) == wanted
    assert any(REFUSALS[name][1] in each for each in found["left_out"])
    text = " ".join(here("score", "--allow-unpaired").out.split())
    assert "Left out: " in text


def test_configurations_are_ranked_on_common_tasks_where_that_is_allowed(here: Callable[..., Said]) -> None:
    configurations_on_different_tasks()
    assert only(here("score", "--allow-unpaired", "--json"), "ranking")["tasks"] == 40


def test_two_texts_of_one_task_are_refused_unless_its_set_is_named(inside: Inside) -> None:
    published(DB)
    edited = [replace(task, instruction="Another.") for task in load_public()[:3]]
    old = [replace(task, instruction="Older.") for task in load_public()[:3]]
    for tasks in (edited, old):
        fill(DB, "raw", {"direct": passing(3), "nested": passing(1)}, tasks=tasks, model="n")
        fill(DB, "disclosed:nested", {"direct": passing(3), "nested": passing(1)}, tasks=tasks, model="n")
    assert "3 tasks have more than one text in the store" in inside.refuses("score")
    Path("public.jsonl").write_text(inside.call("gen", "--public").out)
    said = inside.call("score", "--tasks", "public.jsonl", "--json")
    assert only(said)["task_set"] == "public 1.0"
