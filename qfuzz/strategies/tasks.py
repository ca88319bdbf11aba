"""Payloads and tasks as Hypothesis draws them, on the code path of the seeded sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from qfuzz.gen.family import Family, Payloads
from qfuzz.gen.loader import families
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.gen.shape import Style
from qfuzz.gen.variants import TOKENS, draw_payloads, token_text
from qfuzz.model.task import Task
from qfuzz.strategies.drawn import DrawnChoices
from qfuzz.strategies.texts import bodies, payloads


@st.composite
def _tokens(draw: DrawFn) -> str:
    return token_text(draw(st.integers(0, TOKENS - 1)))


@st.composite
def family_payloads(draw: DrawFn, family: Family, *, tier: int = 1, style: Style | None = None) -> Payloads:
    """Payloads of a held-out variant of `family`; above tier 0 they are certain to defeat its naive program."""
    drawn_style = draw(st.sampled_from(Style)) if style is None else style
    return draw_payloads(family, drawn_style, tier, draw(_tokens()), DrawnChoices(draw))


@st.composite
def accepted_payloads(draw: DrawFn, family: Family, *, max_size: int = 40) -> Payloads:
    """Any payloads at all that the family's operation can carry, of at most `max_size` characters a role.

    Text without lone surrogates, rich in what shells treat as their own. The naive program may pass or fail.
    """
    texts = st.text(_CHARACTERS, min_size=1, max_size=max_size)
    ending = "\n" if all(shape.lines for shape in family.shapes.values()) else ""
    drawn = st.fixed_dictionaries({role: texts.map(lambda text: (text + ending).encode()) for role in family.roles})
    return draw(drawn.filter(family.accepts))


_CHARACTERS = st.one_of(
    st.sampled_from("'\"\\$`*?[]{}()~!#;&|<>%-=^.,:@ \t\nabnt0"),
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
)


@st.composite
def tasks(
    draw: DrawFn,
    *,
    names: Sequence[str] = FAMILY_NAMES,
    tiers: Sequence[int] = (0, 1, 2, 3),
    style: Style | None = None,
) -> Task:
    """A task of one of the named families and one of the tiers, with every style of reference."""
    family = families()[draw(st.sampled_from(list(names)))]
    tier = draw(st.sampled_from(list(tiers)))
    return family.build(draw(family_payloads(family, tier=tier, style=style)), tier, f"drawn-{draw(_tokens())}")


def references(task: Task) -> SearchStrategy[bytes]:
    """One of the right programs that the family gives for this task."""
    return st.sampled_from(sorted(task.references.values()))


@dataclass(frozen=True, slots=True)
class FamilyProgram:
    """A right program for a task: run directly it passes. `style` is how its texts are quoted."""

    task: Task
    style: str
    program: bytes


@st.composite
def family_programs(draw: DrawFn, family: str | None = None) -> FamilyProgram:
    """A task of the named family, or of any, with one of its right programs.

    Half of the payloads come from the small alphabets of `qfuzz.strategies.texts`, half are those of held-out sets.
    """
    chosen = families()[draw(st.sampled_from(FAMILY_NAMES)) if family is None else family]
    tier = draw(st.sampled_from((1, 2, 3, 0)))
    stem = f"drawn-{draw(_tokens())}"
    strategy = family_payloads(chosen, tier=tier) if draw(st.booleans()) else _small_payloads(chosen)
    task = chosen.build(draw(strategy), tier, stem)
    style = draw(st.sampled_from(tuple(task.references)))
    return FamilyProgram(task, style, task.references[style])


@st.composite
def _small_payloads(draw: DrawFn, family: Family) -> Payloads:
    drawn = {
        role: draw(bodies() if shape.lines else payloads()).decode("utf-8", "ignore")
        for role, shape in family.shapes.items()
    }
    texts = {role: text.encode() for role, text in drawn.items()}
    if not family.accepts(texts):
        reject()
    return texts
