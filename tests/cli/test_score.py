"""`qfuzz score` and `qfuzz report` over stores that are filled by hand: every figure, every form, every refusal."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable

import pytest

from qfuzz.gen.heldout import load_held_out
from qfuzz.gen.public import load_public
from tests.cli.command import Said
from tests.cli.inside import Inside
from tests.cli.scoring import DB, going_well, only, several
from tests.scored import BUSYBOX, CONTEXT, fill, passing, published


@pytest.fixture
def here(inside: Inside) -> Callable[..., Said]:
    return going_well(inside)


def test_the_published_configuration(here: Callable[..., Said]) -> None:
    published(DB)
    found = only(here("score", "--json"))
    assert (found["model"], found["pair"], found["tasks"]) == ("m", "raw:nested", 56)
    counts = {cell: (found[cell]["passed"], found[cell]["total"]) for cell in ("rr", "rn", "nr", "nn")}
    assert counts == {"rr": (54, 56), "rn": (18, 56), "nr": (30, 56), "nn": (52, 56)}
    assert [found[name]["points"] for name in ("damage", "compensation", "matched_gap")] == [-64.3, 60.7, -3.6]
    for name in ("damage", "compensation", "matched_gap"):
        assert found[name]["low"] < found[name]["points"] < found[name]["high"]
    assert found["identity"] == {"tasks": 56, "damage": -36, "compensation": 34, "matched_gap": -2}
    assert (found["retention"], found["exit0_share"]) == (round(18 / 54, 4), 1.0)
    assert found["damage"]["mcnemar"] == {"lost": 36, "gained": 0, "p": pytest.approx(2 * 0.5**36)}


def test_the_five_things_that_belong_together(here: Callable[..., Said]) -> None:
    published(DB)
    found = only(here("score", "--json"))
    assert found["configuration"] == {"model": "m", "effort": None}
    assert found["contract"] == {"base": "raw", "other": "disclosed:nested"}
    assert found["execution_path"] == {"base": "direct", "other": "nested"}
    assert found["operating_point"] == {
        "effort": None,
        "replies": 112,
        "settings": {},
        "cleaned": {},
        "without_program": 0,
    }
    validator = found["validator"]
    assert (validator["bash"], validator["qfuzz"]) == ("5.2", __import__("qfuzz").__version__)
    assert validator["userland"] == {"name": "gnu", "version": "ls (GNU coreutils) 9.1"}
    task_set = validator["task_set"]
    assert (task_set["name"], task_set["version"], task_set["tasks"], task_set["scored"]) == ("public", "1.0", 56, 56)
    assert len(task_set["digest"]) == 64


def test_settings_and_clean_up_of_the_replies_are_told(here: Callable[..., Said]) -> None:
    fill(DB, "raw", {"direct": passing(9), "nested": passing(5)}, metadata={"temperature": 0.5, "cleaned": ["fences"]})
    fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(9)}, metadata={"temperature": 1})
    point = only(here("score", "--json"))["operating_point"]
    assert point["settings"] == {"temperature": {"0.5": 56, "1": 56}}
    assert point["cleaned"] == {"fences": 56}
    assert "cleaned before they ran: fences 56" in here("score").out


def test_text_is_within_100_columns_whatever_the_names(here: Callable[..., Said]) -> None:
    for model in ("an/extremely-long-name-of-a-model-that-somebody-really-uses-2026-11-29", "[b]*|x", "\x1b[31mred"):
        fill(DB, "raw", {"direct": passing(50), "nested": passing(0)}, model=model, text=model)
        fill(DB, "disclosed:nested", {"direct": passing(0), "nested": passing(40)}, model=model, text=model)
    for kind in ("family", "tier", "hazard"):
        said = here("score", "--by", kind)
        assert max(map(len, said.out.splitlines())) <= 100
        assert "\x1b" not in said.out
        assert "0/56 (≤5.2)" in said.out


def test_three_sentences_say_what_happened(here: Callable[..., Said]) -> None:
    published(DB)
    text = " ".join(here("score").out.split())
    assert "m gives replies that pass 96.4 % over direct (54 of 56)" in text
    assert "36 of 54 that were right no longer pass" in text
    assert "the matched gap -3.6 is -64.3 and +60.7" in text
    assert "-36 +34 = -2" in text
    assert "resample families, here 14" in text
    assert "91 to 93 % of cases" in text


def test_markdown_and_csv_hold_the_same_figures(here: Callable[..., Said]) -> None:
    published(DB)
    assert "| m | 54/56 | 18/56 | 30/56 | 52/56 | 33.3 % | 38/38 | -36 +34 = -2 |" in here("score", "--markdown").out
    (row,) = csv.DictReader(here("score", "--csv").out.splitlines())
    assert (row["model"], row["rr_passed"], row["damage"], row["compensation"]) == ("m", "54", "-64.3", "60.7")
    assert row["native_passed"] == ""


def test_every_figure_comes_down_to_executions(here: Callable[..., Said]) -> None:
    published(DB)
    listed = here("score", "--list", "rn", "--json").records()
    assert len(listed) == 56
    assert sum(each["verdict"] == "pass" for each in listed) == 18
    assert {(each["contract"], each["transport"]) for each in listed} == {("raw", "nested")}
    assert all(len(str(each["id"])) == 16 for each in listed)
    text = here("score", "--list", "rn").out
    assert str(listed[0]["id"]) in text
    assert "18 of 56 pass" in text


def test_the_report_holds_tables_and_executions(here: Callable[..., Said]) -> None:
    published(DB)
    said = here("report").out
    assert "| write-file |" in said
    listed = here("score", "--list", "nn", "--json").records()
    assert all(f"| {each['id']} |" in said for each in listed)
    assert "| id |" not in here("report", "--no-executions").out
    assert "│" not in here("report", "--plain").out


def test_the_same_seed_gives_the_same_and_another_does_not(here: Callable[..., Said]) -> None:
    published(DB)
    first, again, other = (here("score", "--json", "--draws", "500", "--seed", seed).out for seed in "001")
    assert first == again != other


def test_trials_are_averaged_before_tasks(here: Callable[..., Said]) -> None:
    fill(
        DB,
        "raw",
        {"direct": passing(56), "nested": lambda place, trial: "pass" if trial == 0 and place < 28 else "rejected"},
        trials=2,
    )
    fill(DB, "disclosed:nested", {"direct": passing(56), "nested": passing(56)})
    found = only(here("score", "--json"))
    assert (found["rn"]["passed"], found["rn"]["total"], found["damage"]["points"]) == (28, 112, -75.0)
    assert found["trials"] == {"rr": 2, "rn": 2, "nr": 1, "nn": 1}
    assert found["rn"]["pass_hat"] == [0.25, 0.0]
    assert found["rn"]["all_pass"] == {"tasks": 0, "of": 56}
    assert found["rn"]["trial_rates"] == [0.5, 0.0]
    assert found["exit0_share"] == 0.0
    assert found["exit0_detail"]["at_most"] == pytest.approx(1 - 0.05 ** (1 / 56), abs=1e-4)


def test_groups_controls_and_native(here: Callable[..., Said]) -> None:
    published(DB)
    fill(DB, "native", {"direct": passing(50)})
    found = only(here("score", "--json"))
    assert found["controls"]["tasks"] == 14
    assert found["native_minus_raw"]["points"] == round(100 * (50 - 54) / 56, 1)
    assert sum(group["tasks"] for group in found["by_family"]) == 56
    assert [group["name"] for group in found["by_tier"]] == ["0", "1", "2", "3"]
    first, last = found["by_family"][0], next(g for g in found["by_family"] if g["name"] == load_public()[0].family)
    assert first["compensation"]["method"] == "exact"
    assert last["rr"] == {"passed": 4, "total": 4, "at_most": None}
    assert sum(group["compensation"]["points"] * group["tasks"] for group in found["by_family"]) / 56 == pytest.approx(
        60.7, abs=0.1
    )
    out = " ".join(here("score").out.split())
    assert "Disclosure helps in:" in out
    assert "Native minus raw" in out


def test_a_pair_of_disclosed_contracts_gives_the_crossover(here: Callable[..., Said]) -> None:
    fill(DB, "disclosed:single", {"single": passing(53), "nested": passing(10)})
    fill(DB, "disclosed:nested", {"single": passing(6), "nested": passing(53)})
    found = only(here("score", "--pair", "single:nested", "--json"))
    assert found["pair"] == "single:nested"
    assert found["crossover"]["points"] == 80.4
    assert (found["nr"]["contract"], found["nr"]["transport"]) == ("disclosed:nested", "single")


def test_a_pair_without_a_single_reply_is_told_beside_those_that_have_some(here: Callable[..., Said]) -> None:
    published(DB)
    out = " ".join(here("score", "--pair", "raw:nested", "--pair", "single:quoted").out.split())
    assert "There is nothing to score for single:quoted." in out


def test_any_stack_and_any_spelling_makes_a_pair(here: Callable[..., Said]) -> None:
    fill(DB, "native", {"direct": passing(56), "json-naive > nested": passing(12)})
    stack = "json-naive>nested"
    found = only(here("score", "--pair", f"native:{stack}", "--allow-unpaired", "--json"))
    assert (found["pair"], found["damage"]["points"]) == ("native:json-naive > nested", round(100 * -44 / 56, 1))
    assert found["compensation"] is None


def test_two_rankings(here: Callable[..., Said]) -> None:
    several()
    found = only(here("score", "--json"), "ranking")
    assert (found["pairs"], found["comparable"]) == (3, 3)
    assert found["tau_b"] == pytest.approx(1 / 3, abs=1e-4)
    (turned,) = found["reversals"]
    assert (turned["better_raw"]["model"], turned["better_nested"]["model"]) == ("a", "b")
    assert (turned["rr_margin_tasks"], turned["nn_margin_tasks"], turned["single_task"]) == (1, 1, True)
    assert found["regret"]["points"] == [1.8, 1.8]
    text = here("score").out
    assert "1. a *" in text
    assert "1. b *" in text
    assert "3. c " in text


def test_an_effort_ladder_and_the_unset_effort(here: Callable[..., Said]) -> None:
    for effort, nested in ((None, 30), ("high", 48), ("low", 29), ("medium", 40)):
        fill(DB, "raw", {"direct": passing(50), "nested": passing(14)}, effort=effort)
        fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(nested)}, effort=effort)
    found = only(here("score", "--json"), "ladder")
    assert [rung["effort"] for rung in found["rungs"]] == ["low", "medium", "high", None]
    assert found["unset_nearest"]["efforts"] == ["low"]
    assert found["moves"]["nn"] == round(100 * 19 / 56, 1)
    assert "nearest to low" in here("score").out


def test_public_and_held_out_stand_beside_one_another_and_are_never_mixed(here: Callable[..., Said]) -> None:
    published(DB)
    held = load_held_out()
    fill(DB, "raw", {"direct": passing(39), "nested": passing(8)}, tasks=held)
    fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(39)}, tasks=held)
    said = here("score", "--json")
    scores = [each for each in said.records() if each["record"] == "configuration"]
    assert [(each["task_set"], each["tasks"]) for each in scores] == [("public 1.0", 56), ("heldout-v2 1", 42)]
    assert scores[1]["damage"]["points"] == -73.8
    beside = only(said, "task-sets")
    assert beside["damage"]["points"] == pytest.approx(100 * (-31 / 42 + 36 / 56), abs=0.06)
    assert beside["damage"]["low"] < beside["damage"]["high"]
    assert "2 task sets, each scored by itself" in " ".join(here("score").out.split())


def test_two_userlands_on_the_same_replies(here: Callable[..., Said]) -> None:
    for context, nested in ((None, 18), (BUSYBOX, 17)):
        given = {} if context is None else {"context": context}
        fill(DB, "raw", {"direct": passing(54), "nested": passing(nested)}, **given)  # type: ignore[arg-type]
        fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(52)}, **given)  # type: ignore[arg-type]
    assert only(here("score", "--json"))["rn"]["passed"] == 18
    found = only(here("score", "--userland", "gnu", "--userland", "busybox", "--json"), "userlands")
    assert (found["same"], found["compared"]) == (223, 224)
    assert list(found["differing"]) == ["rn"]
    assert found["damage_difference"]["points"] == -1.8


def test_two_userlands_are_compared_on_the_tasks_that_both_have(here: Callable[..., Said]) -> None:
    for context, nested, tasks in ((CONTEXT, 18, load_public()), (BUSYBOX, 17, load_public()[:40])):
        fill(DB, "raw", {"direct": passing(56), "nested": passing(nested)}, context=context, tasks=tasks)
        fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(40)}, context=context, tasks=tasks)
    both = ("--userland", "gnu", "--userland", "busybox")
    found = only(here("score", *both, "--allow-unpaired", "--json"), "userlands")["damage_difference"]
    # 17 of 40 beside 18 of 40, and not beside 18 of 56.
    assert found["points"] == -2.5
    assert found["low"] <= found["points"] <= found["high"]


def test_what_was_judged_again_counts_once(here: Callable[..., Said]) -> None:
    published(DB)
    fill(DB, "raw", {"direct": passing(54), "nested": passing(20)}, context={"versions": {"bash": "5.3"}})
    found = only(here("score", "--json"))
    assert (found["rn"]["passed"], found["validator"]["bash"], found["validator"]["contexts"]) == (20, "5.3", 2)
    assert "112 executions of earlier runs were passed over" in " ".join(here("score").out.split())


def test_refused_replies_are_counted_apart(here: Callable[..., Said]) -> None:
    fill(DB, "raw", {"direct": passing(56), "nested": lambda place, _: "refused" if place < 6 else "silent-wrong"})
    fill(DB, "disclosed:nested", {"direct": passing(9), "nested": passing(56)})
    found = only(here("score", "--json", "--allow-unpaired"))
    assert (found["refused"], found["tasks"], found["rr"]["total"]) == (6, 50, 50)


def test_bad_options(inside: Inside) -> None:
    assert "there is no store here" in inside.refuses("score")
    for arguments, said in (
        (("--pair", "nested"), "is no pair"),
        (("--pair", "raw:direct"), "the same path"),
        (("--pair", "raw:nowhere"), "unknown transport 'nowhere'"),
        (("--json", "--csv"), "only one of"),
        (("--csv", "--list", "rn"), "makes no sense"),
        (("--draws", "7"), "100"),
        (("--tasks", "missing.jsonl"), "can't be read"),
    ):
        assert said in inside.refuses("score", *arguments)


def test_without_numpy_one_line_says_how_to_get_it(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qfuzz.model.extras.find_spec", lambda name: None)  # noqa: ARG005
    for command in ("score", "report"):
        assert inside.refuses(command) == f"qfuzz {command} needs numpy and scipy; pip install 'qfuzz[score]'"


def test_json_has_no_nan_and_no_infinity(here: Callable[..., Said]) -> None:
    several()

    def refuse(name: str) -> None:
        raise AssertionError(name)

    for line in here("score", "--json").out.splitlines():
        json.loads(line, parse_constant=refuse)


def test_retention_asks_the_same_replies_and_exit_0_the_failures(here: Callable[..., Said]) -> None:
    def late(place: int, _: int) -> str:
        return "pass" if place >= 20 else "runtime-error" if place < 15 else "silent-wrong"

    fill(DB, "raw", {"direct": passing(30), "nested": late})
    fill(DB, "disclosed:nested", {"direct": passing(56), "nested": passing(56)})
    found = only(here("score", "--json"))
    assert found["retention_detail"] | {"kept": 10, "passed": 30} == found["retention_detail"]
    assert found["exit0_detail"] | {"exit0": 5, "failed": 20} == found["exit0_detail"]
    assert (found["rn"]["failed_with_exit_0"], found["rn"]["failures"]) == (5, {"runtime-error": 15, "silent-wrong": 5})
    assert found["damage"]["mcnemar"]["gained"] == 26
    assert found["damage"]["points"] == round(100 * (36 - 30) / 56, 1)
