"""bulk-rename: rename all files that begin with a literal, beside files that a pattern would take."""

from __future__ import annotations

from qfuzz.bash.contexts import breaks_word, is_option
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.decoys import Dialect, decoy, shell_readings
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import UNQUOTED_HAZARDS, Shape
from qfuzz.model.task import ExpectTree, Fixture, FixtureFile

MAX_PREFIX_BYTES = 150


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    prefix = payloads["prefix"]
    names = choices.words(2)
    new = f"{names[0]}-{stem}-".encode()
    rests = [b"%02d.txt" % number for number in sorted(choices.sample(range(1, 100), 3))]
    contents = [b"%s %d\n" % (names[1].encode(), choices.integer(1000, 9999)) for _ in rests]
    others = [name for text in _likenesses(prefix) if not (name := text + rests[0]).startswith(prefix)]
    references = spell(
        # Quoted inside ${...#...}, the prefix is no pattern.
        lambda words: (
            b'prefix=%s\nfor file in "$prefix"*; do mv -- "$file" %s"${file#"$prefix"}"; done\n'
            % (words["prefix_text"], new)
        ),
        {"prefix_text": prefix},
    )
    references["python3"] = python3(
        f"import os\nfor name in os.listdir(b'.'):\n    if name.startswith({prefix!r}):\n"
        f"        os.rename(name, {new!r} + name[{len(prefix)}:])"
    )
    return Parts(
        instruction=instruction(
            f"In the current directory, rename every file whose name begins with {literal(prefix)}: that beginning "
            f"becomes {literal(new)}, the rest of the name stays.",
            "The beginning is plain text: no character of it has a special meaning, and upper and lower case differ. "
            "There are three such files; other files have similar names and stay as they are.",
        ),
        fixture=Fixture(
            (
                *(FixtureFile(prefix + rest, text) for rest, text in zip(rests, contents, strict=True)),
                *(FixtureFile(other, b"stays %d\n" % at) for at, other in enumerate(others)),
            )
        ),
        expect=(
            ExpectTree(
                {new + rest: text for rest, text in zip(rests, contents, strict=True)},
                gone=tuple(prefix + rest for rest in rests),
            ),
        ),
        may_create=tuple(new + rest for rest in rests),
        references=references,
        naive=b"for f in %s*.txt; do mv $f %s${f#%s}; done\n" % (prefix, new, prefix),
    )


def _likenesses(prefix: bytes) -> list[bytes]:
    """Beginnings like this one, and those that a shell makes of it."""
    texts = [b"old " + prefix, prefix.swapcase(), *shell_readings(prefix)]
    return [text for text in dict.fromkeys(texts) if len(text) <= MAX_PREFIX_BYTES + 4]


def accepts(payloads: Payloads) -> bool:
    prefix = payloads["prefix"]
    return 0 < len(prefix) <= MAX_PREFIX_BYTES and not any(byte in prefix for byte in b"\0/") and prefix[:1] != b"."


def defeats(payloads: Payloads) -> bool:
    prefix = payloads["prefix"]
    return breaks_word(prefix) or is_option(prefix) or decoy(prefix, Dialect.GLOB) is not None


FAMILY = Family(
    name="bulk-rename",
    roles=("prefix",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "prefix": Shape(
            decisive=(*UNQUOTED_HAZARDS, "leading-dash"),
            mixed=("outer-blank", "glob", "bracket"),
            joiner="-",
            without="/",
        )
    },
    public=(
        PublicCase(0, "plank", {"prefix": b"plank-"}),
        PublicCase(1, "strake", {"prefix": b"strake plan (2) "}),
        PublicCase(2, "rudder", {"prefix": b"rudder[ab]*-"}),
        PublicCase(3, "thwart", {"prefix": b"-$n 'thwart';\"x\"&"}),
    ),
)
