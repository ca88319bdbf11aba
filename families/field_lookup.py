"""field-lookup: find the row of a tab-separated table by the text in one column and write out another column."""

from __future__ import annotations

import re

from qfuzz.bash.contexts import breaks_double
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectFile, Fixture, FixtureFile

# What every awk turns into another character in the value of -v (POSIX: as in a string literal).
_AWK_ESCAPE = re.compile(rb"\\[\\abfnrtv]")


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    key = payloads["key"]
    names = choices.words(8)
    codes = choices.sample(range(1000, 10000), 6)
    source, path = f"{names[0]}.tsv", f"{names[1]}-{stem}.txt"
    table, target = source.encode(), path.encode()
    answer = f"{names[2]}-{codes[0]}".encode()
    others = [key.swapcase(), key + b"s", b"x" + key, names[3].encode()]
    rows = [(other, f"{names[4 + index]}-{codes[1 + index]}".encode()) for index, other in enumerate(others)]
    rows = [row for row in rows if row[0] != key]
    rows.insert(2, (key, answer))
    body = [b"%d\t%s\t%d\t%s" % (index + 1, name, codes[5], code) for index, (name, code) in enumerate(rows)]
    references = spell(
        # The environment, unlike -v, is not read for escapes; joining "" makes both sides strings.
        lambda words: (
            b'key=%s awk -F \'\\t\' \'($2 "") == (ENVIRON["key"] "") { print $4 }\' %s > %s\n'
            % (words["key_text"], table, target)
        ),
        {"key_text": key},
    )
    references["python3"] = python3(
        f"rows = [line.split(b'\\t') for line in open({source!r}, 'rb').read().split(b'\\n')[:-1]]\n"
        f"found = [row[3] for row in rows if row[1] == {key!r}]\nopen({path!r}, 'wb').write(found[0] + b'\\n')"
    )
    return Parts(
        instruction=instruction(
            f"The file {source} is a table: one row a line, columns separated by single tab characters, no quoting and "
            "no header. Columns are counted from 1.",
            f"In exactly one row, column 2 is exactly {literal(key)}. Write column 4 of that row, followed by one "
            f"newline, into the new file {path}. Column 2 is plain text, compared character for character.",
        ),
        fixture=Fixture((FixtureFile(table, b"\n".join([*body, b""])),)),
        expect=(ExpectFile(target, answer + b"\n"),),
        may_create=(target,),
        references=references,
        naive=b"awk -F '\\t' -v key=\"%s\" '$2 == key { print $4 }' %s > %s\n" % (key, table, target),
    )


def accepts(payloads: Payloads) -> bool:
    key = payloads["key"]
    return bool(key) and not any(byte in key for byte in b"\0\n\t")


def defeats(payloads: Payloads) -> bool:
    key = payloads["key"]
    return breaks_double(key) or _AWK_ESCAPE.search(key) is not None


FAMILY = Family(
    name="field-lookup",
    roles=("key",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "key": Shape(
            decisive=("double-quote", "dollar", "command-substitution", "backtick"),
            mixed=("brace", "semicolon", "ampersand", "redirection", "double-blank", "non-ascii"),
            without="\n\t",
        )
    },
    public=(
        PublicCase(0, "oystercatcher", {"key": b"Oystercatcher, juvenile"}),
        PublicCase(1, "flange", {"key": b'5" flange {brass}'}),
        PublicCase(2, "thermos", {"key": rb"D:\new\thermos;v=$total"}),
        PublicCase(3, "angstrom", {"key": "Ångström `cut`  <b>&amp;</b> ×2".encode()}),
    ),
)
