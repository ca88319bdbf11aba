"""What a boundary does not own arrives: each character, and each sequence of bytes, that readers of text disagree on.

Over the boundaries that hand a plain text on as it is: what they own they say in `owns`, for a reader, in these words.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.model.task import Fixture
from qfuzz.strategies.texts import EDGES, RARE
from qfuzz.transports.available import missing_of
from qfuzz.transports.base import Boundary
from qfuzz.transports.loader import load, resolve

CHARACTERS: tuple[str, ...] = (
    *map(chr, {*range(1, 32)} - {ord("\n")}),
    *map(chr, (*range(0x7F, 0x87), 0x9B, 0x9F, 0xA0)),
    *"\u00ad\u0301\u061c\u1680\u200b\u200d\u200e\u2028\u2029\u202e\u2060\u3000\ud7ff\ue000\ufdd0\ufeff\ufffd\ufffe\uffff",
    *"\U0001f600\U0001ffff\U000e0041\U0010ffff",
)
NOT_TEXT: tuple[bytes, ...] = (
    *(b"\xff", b"\xfe", b"\x80", b"\x85", b"\xa0", b"\xbf", b"\xc2", b"\xe2\x80", b"\xf0\x9f\x98"),
    *(b"\xc0\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xc1\xbf", b"\xf5\x80\x80\x80", b"\xf4\x90\x80\x80"),
    *(b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xff\xfe", b"\xfe\xff"),
)
SURROUNDINGS = (b"%s", b"%sa", b"a%s", b"a%sb", b"a %s b", b"a%s%sb", b"a\n%sb", b"a%s\nb")
"""At the beginning, at the end, inside, between blanks, twice, and beside a line break."""

MARK = b"qfuzzmark"

WORDS = {
    "\t": "tab",
    "\v": "vertical tab",
    "\f": "form feed",
    "\r": "carriage return",
    "\x7f": "DEL",
    "\x85": "U+0085",
    "\u0301": "decomposed",
    "\u2028": "U+2028",
    "\u2029": "U+2029",
    "\ufffe": "U+FFFE",
    "\uffff": "U+FFFF",
}
"""How `owns` names a character. What is not here and no control has no name, for no boundary owns it."""


OTHERWISE = {
    "shlex-join": "writes each word anew, in quotes where it takes them for needed",
    "shlex-argv": "hands words over, and no text",
    "taskfile": "hands the text over in the escapes of YAML, which Task reads",
    "crontab-model": "drops blanks before a command, as cron does",
    "crontab-debian-model": "the same",
}
"""Boundaries of which the text handed over says nothing here, and why."""


def carried(boundary: Boundary, text: bytes) -> bytes | None:
    """What is handed on of `text`; None for a refusal, and an empty text for what is rejected."""
    result = boundary.embed(text)
    if isinstance(result, Refusal):
        return None
    if isinstance(result, Launch):
        handed_over = (*result.argv, result.stdin or b"", *(file.content for file in result.files))
        return result.program if any(result.program in each for each in handed_over) else b""
    return result if isinstance(result, bytes) else b""


def lost(boundary: Boundary, one: bytes) -> Iterator[bytes]:
    """The surroundings in which `one` does not arrive as it is, though a word in its place does."""
    for surroundings in SURROUNDINGS:
        plain = carried(boundary, surroundings.replace(b"%s", MARK))
        if plain is None or MARK not in plain:
            continue
        arrived = carried(boundary, surroundings.replace(b"%s", one))
        if arrived is not None and arrived != plain.replace(MARK, one):
            yield surroundings


def names() -> list[str]:
    """Boundaries that hand a plain text on as it is, perhaps inside of more."""
    found = []
    for name, boundary in load().boundaries.items():
        if missing_of(resolve(name)) is None and boundary.own is None:
            text = carried(boundary, MARK)
            if text is not None and text.strip() == MARK:
                found.append(name)
    return [name for name in found if name not in OTHERWISE]


NAMES = names()


def is_named(boundary: Boundary, character: str) -> bool:
    """Whether the boundary says that it owns it: in its rules, or in words."""
    if character in WORDS and WORDS[character] in boundary.owns:
        return True
    if character < "\x20" and ord(character) in boundary.rules:
        return True
    return (character < "\x20" and "control characters" in boundary.owns) or (
        "\x80" <= character <= "\x9f" and character != "\x85" and "U+0080 to U+009F" in boundary.owns
    )


def test_every_way_to_carry_a_text_is_here() -> None:
    kinds = {"yaml", "yaml-plain", "yaml-literal", "github-run", "xml", "json", "script-file", "stdin", "direct"}
    assert kinds <= set(NAMES)


def test_what_the_grammar_draws_is_here() -> None:
    known = {*(character.encode() for character in CHARACTERS), *NOT_TEXT}
    assert set(EDGES) <= known
    assert {each for each in RARE if each[0] < 0x20} - {b"\t"} <= known


@pytest.mark.parametrize("name", NAMES)
def test_a_character_that_is_not_owned_arrives(name: str) -> None:
    boundary = load().boundaries[name]
    assert boundary.owns == "nothing" or not boundary.faithful
    for character in CHARACTERS:
        where = list(lost(boundary, character.encode()))
        assert not where or is_named(boundary, character), (f"U+{ord(character):04X}", where, boundary.owns)
    for one in NOT_TEXT:
        assert list(lost(boundary, one)) == [], one


@pytest.mark.parametrize("name", [name for name in NAMES if "U+0085" in load().boundaries[name].owns])
def test_what_is_named_is_owned(name: str) -> None:
    boundary = load().boundaries[name]
    for character in "\r\f\v\x01\x7f\x80\x85\u2028\u2029\ufffe\uffff":
        assert list(lost(boundary, character.encode())) != [], f"U+{ord(character):04X}"


@pytest.mark.parametrize("name", [name for name in load().boundaries if load().boundaries[name].faithful])
def test_what_is_faithful_brings_them_to_a_command(pool: Pool, name: str) -> None:
    """Through the shells, in three kinds of quotes, at the beginning of a line and inside of it."""
    text = b"\n".join(b"%sa%sb" % (one, one) for one in (*map(str.encode, CHARACTERS), *NOT_TEXT))
    text = b"\n".join(line for line in text.split(b"\n") if not isinstance(resolve(name).deliver(line), Refusal))
    assert text.count(b"\n") > 25
    program = b"printf '%s' '" + text + b"'; printf %s \"" + text + b"\"; cat <<'EOF'\n" + text + b"\nEOF\n"
    delivery = resolve(name).deliver(program)
    assert isinstance(delivery, Launch)
    assert machinery(pool, 20.0).run(delivery, Fixture()).stdout.data == text * 3 + b"\n"
