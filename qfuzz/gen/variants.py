"""Held-out sets: seeded variants of every family, the same bytes for the same seed, style and generator version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from qfuzz.gen.choices import Choices, SeededChoices
from qfuzz.gen.family import Family, Payloads
from qfuzz.gen.loader import families
from qfuzz.gen.registry import FAMILY_NAMES
from qfuzz.gen.shape import Shape, Style, draw_control, draw_hazardous, mend
from qfuzz.model.errors import UsageError
from qfuzz.model.task import Task
from qfuzz.model.task_codec import encode_task

GENERATOR_VERSION = "1"
"""Raised with every change of a byte that some seed gives."""

MAX_PER_FAMILY = 1_000_000
"""Beyond it two tasks could share a token."""

HAZARDOUS_TIERS = 3
_TOKEN_LETTERS = "bcdfghjkmnpqrstvwxyz"
TOKENS = 1 << 30
"""How many tokens there are. A power of two, so that every odd factor gives a bijection."""


def variant_tasks(
    seed: str, style: Style, *, per_family: int = 3, controls: bool = False, names: Sequence[str] = ()
) -> Iterator[Task]:
    """The tasks of a held-out set, one at a time, in registry order.

    Each family gives `per_family` hazardous tasks, tiers 1, 2, 3, 1, ...; `controls` puts one of tier 0 before each
    started three and leaves the others as they are. Payloads differ within a set and between the styles of one seed.
    Raises UsageError for an unknown family or a count out of range.
    """
    if not 1 <= per_family <= MAX_PER_FAMILY:
        raise UsageError(f"a family can give 1 to {MAX_PER_FAMILY} tasks, not {per_family}")
    selected = families().select(tuple(names))
    return _variants(seed, style, per_family, controls, selected)


def _variants(seed: str, style: Style, per_family: int, controls: bool, selected: tuple[Family, ...]) -> Iterator[Task]:
    tokens = _Tokens(seed, style)
    for family in selected:
        for index in range(per_family):
            tier = index % HAZARDOUS_TIERS + 1
            if controls and tier == 1:
                yield _variant(seed, style, family, 0, index, tokens)
            yield _variant(seed, style, family, tier, index, tokens)


def _variant(seed: str, style: Style, family: Family, tier: int, index: int, tokens: _Tokens) -> Task:
    token = tokens.token(family.name, index, control=tier == 0)
    choices = SeededChoices(seed, "payload", style.value, family.name, str(tier), str(index))
    return family.build(draw_payloads(family, style, tier, token, choices), tier, f"{style.value}-{token}")


def draw_payloads(family: Family, style: Style, tier: int, token: str, choices: Choices) -> Payloads:
    """Payloads of a family for a tier, each holding `token`; above tier 0 they are certain to defeat its naive program.

    Every payload of a set has its own token, so no two are equal.
    """
    if tier == 0:
        return {role: draw_control(shape, token + mark, choices) for role, shape, mark in _roles(family)}
    payloads = {role: draw_hazardous(shape, style, tier, token + mark, choices) for role, shape, mark in _roles(family)}
    if not family.defeats(payloads):
        role = family.roles[0]
        payloads[role] = mend(family.shapes[role], payloads[role], choices)
    assert family.defeats(payloads), f"{family.name}: nothing promises that the naive program fails on {payloads!r}"
    return payloads


def _roles(family: Family) -> Iterator[tuple[str, Shape, str]]:
    for at, role in enumerate(family.roles):
        yield role, family.shapes[role], "abc"[at] if at else ""


def token_text(number: int) -> str:
    """The token of a number from 0 to TOKENS - 1: four letters and four digits in turn.

    So it is no word, and holds nothing that a shell treats as its own.
    """
    text = ""
    for _ in range(4):
        number, digit = divmod(number, 10)
        number, letter = divmod(number, len(_TOKEN_LETTERS))
        text += f"{_TOKEN_LETTERS[letter]}{digit}"
    return text


class _Tokens:
    """Names for the places of a set: a seeded bijection, so that different places never share one."""

    def __init__(self, seed: str, style: Style) -> None:
        digest = hashlib.sha256(b"tokens:" + seed.encode("utf-8")).digest()
        self._factor = int.from_bytes(digest[:8], "big") | 1
        self._offset = int.from_bytes(digest[8:16], "big")
        self._style = list(Style).index(style)

    def token(self, family: str, index: int, *, control: bool) -> str:
        place = ((index * len(FAMILY_NAMES) + FAMILY_NAMES.index(family)) * len(Style) + self._style) * 2 + control
        return token_text((place * self._factor + self._offset) % TOKENS)


def task_set_digest(tasks: Iterable[Task], canary: str = "") -> str:
    """SHA-256 over the set's JSON Lines, as `qfuzz gen` writes them."""
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(encode_task(task, canary))
    return digest.hexdigest()
