"""grep-count: count the lines that hold a literal, among lines that a regular expression would take."""

from __future__ import annotations

from qfuzz.bash.contexts import breaks_single, is_option
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.decoys import Dialect, decoy
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectFile, Fixture, FixtureFile


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    needle = payloads["needle"]
    names = choices.words(6)
    hits = choices.integer(2, 9)
    source, path = f"{names[0]}.log", f"{names[1]}-{stem}.count"
    log, target = source.encode(), path.encode()
    lines = _lines(needle, hits, [name.encode() for name in names[2:]])
    count = sum(needle in line for line in lines)
    references = spell(
        lambda words: b"grep -c -F -e %s -- %s > %s\n" % (words["needle"], log, target), {"needle": needle}
    )
    references["python3"] = python3(
        f"count = sum({needle!r} in line for line in open({source!r}, 'rb').read().split(b'\\n'))\n"
        f"open({path!r}, 'w').write(str(count) + '\\n')"
    )
    return Parts(
        instruction=instruction(
            f"Count the lines of the file {source} that contain {literal(needle)} and write the count into the new "
            f"file {path}: the decimal number followed by one newline, nothing else.",
            "The text sought is plain text: no character of it has a special meaning, and upper and lower case differ. "
            "A line that contains it more than once counts once.",
        ),
        fixture=Fixture((FixtureFile(log, b"\n".join([*lines, b""])),)),
        expect=(ExpectFile(target, b"%d\n" % count),),
        may_create=(target,),
        references=references,
        naive=b"grep -c '%s' %s > %s\n" % (needle, log, target),
    )


def _lines(needle: bytes, hits: int, names: list[bytes]) -> list[bytes]:
    """`hits` lines with the needle, and more than `hits` of every decoy.

    So whatever a pattern takes, unless it takes the needle's lines alone, the count comes out different.
    """
    found = [b"%s %d: %s (%s)" % (names[index % 2], index, needle, names[2]) for index in range(hits)]
    found[1] = b"%s twice: %s, %s" % (names[3], needle, needle)
    bare = needle.replace(b"'", b"")
    likenesses = (
        decoy(needle, Dialect.GREP),
        # What is left of the needle when its apostrophes have closed and opened quotes.
        decoy(bare, Dialect.GREP) or bare if bare != needle else None,
    )
    decoys = [text for text in likenesses if text and needle not in text]
    others = [b"%s: all well" % names[0], needle.swapcase() + b" " + names[3]]
    mixed = [line for index in range(hits + 1) for line in (*found[index : index + 1], *decoys)]
    return [others[0], *mixed, *(line for line in others[1:] if needle not in line)]


def accepts(payloads: Payloads) -> bool:
    needle = payloads["needle"]
    return bool(needle) and not any(byte in needle for byte in b"\0\n")


def defeats(payloads: Payloads) -> bool:
    needle = payloads["needle"]
    if is_option(needle):
        # Then the file's name is taken for the pattern and nothing is read. But --regexp (also cut short) and -e carry
        # a pattern themselves, and an e may follow other letters.
        long = needle.startswith(b"--")
        return not b"regexp".startswith(needle[2:].split(b"=")[0]) if long else b"e" not in needle
    return breaks_single(needle) or decoy(needle, Dialect.GREP) is not None


FAMILY = Family(
    name="grep-count",
    roles=("needle",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "needle": Shape(
            decisive=("apostrophe", "bracket", "leading-dash"),
            certain=("apostrophe",),
            mixed=("glob", "double-quote", "backslash", "dollar", "tilde", "pipe", "parenthesis"),
            without="\n",
        )
    },
    public=(
        PublicCase(0, "turnstile", {"needle": b"turnstile jammed"}),
        PublicCase(1, "sluice", {"needle": b"sluice[7]: v1.2*"}),
        PublicCase(2, "kelp", {"needle": b'--depth=3 | "kelp farm"'}),
        PublicCase(3, "quayside", {"needle": rb"can't open ~/quayside\.d ($?)"}),
    ),
)
