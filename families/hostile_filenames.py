"""hostile-filenames: move one file with an awkward name, beside files that a pattern or a split name would take."""

from __future__ import annotations

from qfuzz.bash.contexts import breaks_word, is_option
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.decoys import Dialect, decoy, shell_readings
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import UNQUOTED_HAZARDS, Shape
from qfuzz.model.task import ExpectTree, Fixture, FixtureFile

MAX_NAME_BYTES = 200
"""Below the file system's 255, so that a name made of this one fits too."""


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    name = payloads["name"]
    names = choices.words(3)
    folder = f"{names[0]}-{stem}"
    kept = folder.encode()
    content = f"{names[1]} {choices.integer(1000, 9999)}\n".encode()
    bystanders = [other for other in dict.fromkeys(_bystanders(name)) if is_file_name(other) and other != name]
    references = spell(lambda words: b"mv -- %s %s/\n" % (words["name"], kept), {"name": name})
    references["python3"] = python3(f"import os\nos.rename({name!r}, {kept + b'/' + name!r})")
    return Parts(
        instruction=instruction(
            f"The current directory holds several files and the empty directory {folder}. Move the one file whose name "
            f"is exactly {literal(name)} into {folder}, under the same name.",
            "Other files have similar names; they stay where they are.",
        ),
        fixture=Fixture(
            (
                FixtureFile(name, content),
                *(FixtureFile(other, b"%s %d\n" % (names[2].encode(), at)) for at, other in enumerate(bystanders)),
            ),
            dirs=(kept,),
        ),
        expect=(ExpectTree({kept + b"/" + name: content}, gone=(name,)),),
        may_create=(kept + b"/" + name,),
        references=references,
        naive=b"mv %s %s/\n" % (name, kept),
    )


def _bystanders(name: bytes) -> list[bytes]:
    """Names like this one, and those that a shell makes of it."""
    return [b"copy of " + name, name + b"~", *shell_readings(name)]


def is_file_name(name: bytes) -> bool:
    return 0 < len(name) <= MAX_NAME_BYTES and name not in (b".", b"..", b".git") and not any(c in name for c in b"\0/")


def accepts(payloads: Payloads) -> bool:
    return is_file_name(payloads["name"])


def defeats(payloads: Payloads) -> bool:
    name = payloads["name"]
    return breaks_word(name) or is_option(name) or decoy(name, Dialect.GLOB) is not None


FAMILY = Family(
    name="hostile-filenames",
    roles=("name",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "name": Shape(
            decisive=(*UNQUOTED_HAZARDS, "leading-dash"),
            mixed=("glob", "bracket", "brace", "hash", "newline", "non-ascii"),
            joiner="-",
            without="/",
        )
    },
    public=(
        PublicCase(0, "almanac", {"name": b"almanac.txt"}),
        PublicCase(1, "minutes", {"name": b"minutes *final*  draft?.txt"}),
        PublicCase(2, "keelson", {"name": b"-rf $HOME 'keelson'.txt"}),
        PublicCase(3, "sextant", {"name": '# [a-c]{north,south};\n"sextant" é.txt'.encode()}),
    ),
)
