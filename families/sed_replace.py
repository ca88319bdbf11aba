"""sed-replace: replace every occurrence of a literal by another, beside lines that a regular expression would take."""

from __future__ import annotations

import re

from qfuzz.bash.contexts import breaks_single
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.decoys import Dialect, decoy
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectFile, Fixture, FixtureFile


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    old, new = payloads["old"], payloads["new"]
    names = choices.words(5)
    path = f"{names[0]}-{stem}.conf"
    target = path.encode()
    before = _lines(old, [name.encode() for name in names[1:]])
    script = b"s/%s/%s/g" % (_basic_regex(old), re.sub(rb"[\\&/]", rb"\\\g<0>", new))
    references = spell(lambda words: b"sed -i -e %s %s\n" % (words["script"], target), {"script": script})
    references["parameter-expansion"] = spell(
        lambda words: (
            b"old=%s new=%s\ntext=$(cat %s; printf x)\ntext=${text%%x}\n" % (words["from"], words["to"], target)
            # Before Bash 5.2 quotes in the replacement are removed, since 5.2 they keep & literal: right in both.
            + b'text=${text//"$old"/"$new"}\nprintf %%s "$text" > %s\n' % target
        ),
        {"from": old, "to": new},
    )["single"]
    references["python3"] = python3(
        f"data = open({path!r}, 'rb').read()\nopen({path!r}, 'wb').write(data.replace({old!r}, {new!r}))"
    )
    return Parts(
        instruction=instruction(
            f"In the file {path}, replace every occurrence of {literal(old)} by {literal(new)}.",
            "Both are plain text: no character of them has a special meaning, upper and lower case differ, and text "
            "that merely resembles the first stays as it is. An occurrence may stand anywhere in a line, more than "
            "once too. Change nothing else in the file, and keep its mode.",
        ),
        fixture=Fixture((FixtureFile(target, before),)),
        expect=(ExpectFile(target, before.replace(old, new)),),
        may_create=(),
        references=references,
        naive=b"sed -i 's/%s/%s/g' %s\n" % (old, new, target),
    )


def _lines(old: bytes, names: list[bytes]) -> bytes:
    lines = [
        b"# %s settings" % names[0],
        b"%s = %s" % (names[1], old),
        b"%s = %s and once more %s;" % (names[2], old, old),
        b"%s = %s" % (names[3], old.swapcase()),
    ]
    taken = decoy(old, Dialect.SED)
    if taken is not None:
        # Alone on its line, so that an anchor in the pattern does not save it.
        lines[2:2] = [taken]
        lines.append(taken)
    return b"\n".join([*lines, b"# end of %s" % names[0], b""])


def _basic_regex(text: bytes) -> bytes:
    """`text` as a basic regular expression between slashes. `+ ? | ( ) { }` are literal as they stand."""
    return re.sub(rb"[][\\.*^$/]", rb"\\\g<0>", text)


def accepts(payloads: Payloads) -> bool:
    old, new = payloads["old"], payloads["new"]
    return bool(old) and old != new and not any(byte in old + new for byte in b"\0\n")


def defeats(payloads: Payloads) -> bool:
    old, new = payloads["old"], payloads["new"]
    taken = decoy(old, Dialect.SED)
    return (
        breaks_single(old + b"/" + new)
        or b"/" in old + new
        # The replacement's own characters: each is taken away, or stands for what was matched.
        or (any(byte in new for byte in b"\\&") and not any(byte in old for byte in b"\\&"))
        or (taken is not None and taken not in (old, new) and b"'" not in old + new)
    )


FAMILY = Family(
    name="sed-replace",
    roles=("old", "new"),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "old": Shape(
            decisive=("bracket", "apostrophe"),
            certain=("apostrophe",),
            mixed=("glob", "dollar", "parenthesis"),
            without="\n\t",
        ),
        "new": Shape(
            decisive=("ampersand",), mixed=("backslash", "pipe", "brace", "semicolon", "hash"), without="\n\t"
        ),
    },
    public=(
        PublicCase(0, "gherkin", {"old": b"gherkin", "new": b"cornichon"}),
        PublicCase(1, "cellar", {"old": b"cellar[2].temp*", "new": b"attic & loft"}),
        PublicCase(2, "gooseberry", {"old": rb"C:\temp\gooseberry.v1", "new": rb"D:\data\gooseberry|v2"}),
        PublicCase(3, "tollgate", {"old": b"it's $5/day (tollgate ^.$)", "new": b"it's {free}/now; #1"}),
    ),
)
