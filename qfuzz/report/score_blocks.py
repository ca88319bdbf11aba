"""A score as headings, paragraphs and tables: what the terminal and Markdown both show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qfuzz.report.score_compare import ladder_blocks, ranking_blocks, set_blocks, userland_blocks
from qfuzz.report.score_page import Block, Heading, Note, Table
from qfuzz.report.score_sentences import advice, caveat, sentences, summary
from qfuzz.report.score_words import (
    NO_DATA,
    cell_words,
    count_words,
    effect_words,
    in_tasks,
    number,
    percent,
    share_words,
    value_words,
)
from qfuzz.score.result import ConfigurationScore, Effect, Group, Report


@dataclass(frozen=True, slots=True)
class Wanted:
    """`by`: the groupings to show."""

    by: tuple[str, ...] = ()


def blocks(report: Report, wanted: Wanted) -> Iterator[Block]:
    """All of a report in reading order."""
    for group in grouped(report.scores):
        yield from _pair_blocks(group, wanted)
    for ranking in report.rankings:
        yield from ranking_blocks(ranking)
    for ladder in report.ladders:
        yield from ladder_blocks(ladder)
    for userlands in report.userlands:
        yield from userland_blocks(userlands)
    for sets in report.sets:
        yield from set_blocks(sets)
    yield Heading("How to read this")
    for note in report.notes:
        yield Note(note)
    yield Note(caveat(report))
    yield from (Note(line) for line in _validators(report.scores))


def grouped(scores: Sequence[ConfigurationScore]) -> list[list[ConfigurationScore]]:
    """Scores of the same pair, set and userland together."""
    groups: dict[tuple[str, str, str], list[ConfigurationScore]] = {}
    for score in scores:
        key = (score.pair.name, score.validator.task_set.digest, score.userland)
        groups.setdefault(key, []).append(score)
    return list(groups.values())


def _pair_blocks(group: list[ConfigurationScore], wanted: Wanted) -> Iterator[Block]:
    first = group[0]
    tasks = sorted({len(score.tasks) for score in group})
    counted = f"{tasks[0]}" if len(tasks) == 1 else f"{tasks[0]} to {tasks[-1]}"
    held = len(first.validator.task_set.keys)
    of = "" if tasks == [held] else f" of {held}"
    yield Heading(
        f"{first.pair.name} on {first.validator.task_set.title}, {counted}{of} tasks, {first.userland} userland"
    )
    cells = first.pair.cells()
    yield Note("; ".join(f"{name.upper()}: {contract} over {path}" for name, (contract, path) in cells.items()) + ".")
    yield Table(
        ("configuration", "RR", "RN", "NR", "NN", "retained", "exit 0", "in tasks"),
        tuple(
            (
                score.title,
                *(cell_words(score.cells.get(name)) for name in ("rr", "rn", "nr", "nn")),
                percent(score.retention.rate),
                f"{score.exit0.parts}/{score.exit0.whole}" if score.exit0.whole else "no data",
                in_tasks(score),
            )
            for score in group
        ),
    )
    yield Table(
        ("configuration", "damage", "compensation", "matched gap"),
        tuple(
            (
                score.title,
                effect_words(score.damage),
                effect_words(score.compensation),
                effect_words(score.matched_gap),
            )
            for score in group
        ),
    )
    for line in sentences(group[0]) if len(group) == 1 else summary(group):
        yield Note(line)
    for score in group:
        yield from _details(score, several=len(group) > 1)
        for kind in wanted.by:
            yield Note(f"{score.title} by {kind}:")
            yield _group_table(score, kind)


def _details(score: ConfigurationScore, *, several: bool) -> Iterator[Block]:
    who = f"{score.title}: " if several else ""
    failures = score.cells["rn"].failures if "rn" in score.cells else {}
    if failures:
        listed = ", ".join(f"{name} {count}" for name, count in failures.items())
        yield Note(f"{who}Failures in RN: {listed}; {share_words(score.exit0, 'end with status 0')}.")
    if score.controls is not None:
        yield Note(f"{who}{_controls(score.controls)}")
    if score.native_minus_raw is not None:
        yield Note(f"{who}Native minus raw, both over the direct path: {effect_words(score.native_minus_raw)}.")
    if score.crossover is not None:
        yield Note(f"{who}Crossover, diagonal minus anti-diagonal: {effect_words(score.crossover)}.")
    if any(count > 1 for count in score.trials.values()):
        yield Note(f"{who}{_trials(score)}")
    if score.compensation is not None:
        yield from (Note(who + line) for line in advice(score))
    if score.refused:
        yield Note(f"{who}Refused for a declared limit of a path, so in no cell: {score.refused} replies.")
    cleaned = score.operating_point["cleaned"]
    if cleaned:
        listed = ", ".join(f"{rule} {count}" for rule, count in cleaned.items())
        yield Note(f"{who}Replies that were cleaned before they ran: {listed}.")
    empty = score.operating_point["without_program"]
    if empty:
        yield Note(f"{who}Answers without a program, judged as empty replies: {empty}.")
    for problem in score.left_out:
        yield Note(f"{who}Left out: {problem}.")


def _controls(group: Group) -> str:
    cells = ", ".join(f"{name.upper()} {count_words(*counts, group.tasks)}" for name, counts in group.cells.items())
    return f"Controls alone ({group.tasks} tasks of tier 0): {cells}; damage {effect_words(group.damage)}."


def _trials(score: ConfigurationScore) -> str:
    parts = []
    for name, cell in score.cells.items():
        if len(cell.pass_hat) < 2 or cell.spread is None:
            continue
        steady, tasks = cell.all_pass
        rates = ", ".join(number(100 * rate) for rate in cell.spread.rates[:8])
        parts.append(
            f"{name.upper()} {rates} % by trial, {steady} of {tasks} tasks pass in all, "
            f"pass^{len(cell.pass_hat)} {percent(cell.pass_hat[-1])}"
        )
    return f"Trials: {'; '.join(parts)}."


def _group_effect(effect: Effect | None, kind: str) -> str:
    """Of one family the points alone: a handful of tasks has bounds that say nothing. `--json` has them."""
    return value_words(effect) if kind == "family" else effect_words(effect)


def _group_table(score: ConfigurationScore, kind: str) -> Table:
    return Table(
        (kind, "tasks", "RR", "RN", "NN", "damage", "compensation"),
        tuple(
            (
                group.name,
                str(group.tasks),
                *(
                    NO_DATA if cell not in group.cells else count_words(*group.cells[cell], group.tasks)
                    for cell in ("rr", "rn", "nn")
                ),
                *(_group_effect(effect, kind) for effect in (group.damage, group.compensation)),
            )
            for group in score.by[kind]
        ),
    )


def _validators(scores: Sequence[ConfigurationScore]) -> Iterator[str]:
    said: dict[str, None] = {}
    for score in scores:
        validator = score.validator
        versions = validator.versions
        said[
            f"Validator: task set {validator.task_set.title}, digest {validator.task_set.digest[:16]}; "
            f"qfuzz {validator.qfuzz}; bash {versions.get('bash', 'unknown')}; "
            f"{validator.userland} userland, {validator.userland_version.rstrip('.') or 'version unknown'}."
        ] = None
        if validator.contexts > 1:
            said[f"Executions come from {validator.contexts} contexts (versions, limits or timeouts differ)."] = None
    yield from said
