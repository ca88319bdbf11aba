"""What the layers write is what real programs read: bash, sed, awk, grep, printf, python3 are asked."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from qfuzz.bash.quote import single
from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.task import Fixture
from qfuzz.shrink.stacks import patterns, strings
from qfuzz.shrink.stacks.patterns import Dialect
from qfuzz.shrink.stacks.quotes import HeredocSpeller, whole_word
from qfuzz.shrink.stacks.shell import fields
from qfuzz.shrink.stacks.units import View

HAZARDS = "'\"\\$`\n\t !#%&()*+,-./:;<=>?@[]^_{|}~aent0xz☂"
SLOT = b"qslotq"


def hazardous_texts(count: int, without: str = "") -> list[bytes]:
    """Texts of the hazards, the single ones first; the same each time."""
    choices = random.Random("stacks")
    alphabet = [char for char in HAZARDS if char not in without]
    drawn = ["".join(choices.choice(alphabet) for _ in range(int(2 + choices.random() * 9))) for _ in range(count)]
    return [text.encode() for text in (*alphabet, *drawn)]


def spelled(view: View, host: bytes, text: bytes) -> Iterator[bytes]:
    """The host with each spelling of `text` in place of the slot."""
    at = view.text.index(SLOT)
    units = view.slice(at, at + len(SLOT))
    assert units is not None
    for spelling in view.spell(units):
        written = spelling.write(text)
        if written is not None:
            yield host[: units[0].start] + written + host[units[-1].end :]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def printed(pool: Pool, program: bytes) -> bytes:
    launch = Launch(b"/bin/bash", (b"bash", b"-s"), program, stdin=program)
    observation = pool.run(Execution(launch, Fixture(), timeout_seconds=30.0))
    assert not observation.stdout.truncated
    return observation.stdout.data


def check(pool: Pool, cases: list[tuple[bytes, bytes]]) -> None:
    """Each case is a command and what it must print."""
    assert cases
    program = b"".join(command + b"\nprintf '\\0'\n" for command, _ in cases)
    got = printed(pool, program).split(b"\0")
    assert len(got) == len(cases) + 1
    wrong = [(command, wanted, seen) for (command, wanted), seen in zip(cases, got, strict=False) if wanted != seen]
    assert wrong == []


@pytest.mark.parametrize("context", ["single", "double", "ansi-c", "unquoted"])
def test_words(pool: Pool, context: str) -> None:
    texts = hazardous_texts(150) + [bytes([byte]) for byte in range(1, 256)]
    words = [(spelling.write(text), text) for text in texts for spelling in whole_word(context)]
    check(pool, [(b"printf %s " + word, text) for word, text in words if word is not None])


@pytest.mark.parametrize("quoted", [True, False])
def test_here_documents(pool: Pool, quoted: bool) -> None:
    mark = b"'E O'" if quoted else b"E_O"
    end = mark.strip(b"'")
    cases = []
    for text in hazardous_texts(150):
        for spelling in HeredocSpeller(end, quoted=quoted, strips_tabs=False)(()):
            body = spelling.write(text + b"\n")
            assert body is not None
            cases.append((b"cat <<" + mark + b"\n" + body + end, text + b"\n"))
    check(pool, cases)


@pytest.mark.parametrize("around", [b"printf %s `printf %%s %s; echo .`", b'printf %s "`printf %%s %s; echo .`"'])
def test_backquotes(pool: Pool, around: bytes) -> None:
    host = around.replace(b"%%", b"%").replace(b"%s; echo", SLOT + b"; echo")
    view = next(field.view for field in fields(host) if SLOT in field.view.text and b"echo" in field.view.text)
    cases = []
    for text in hazardous_texts(100, "\n\t *?[]~"):
        word = whole_word("single")[0].write(text)
        assert word is not None
        cases += [(program, text + b".") for program in spelled(view, host, word)]
    check(pool, cases)


LANGUAGES: dict[str, tuple[Callable[[bytes], Iterator[View]], bytes, Callable[[bytes, bytes], bytes], str]] = {
    # Views, a host text, the command of a host and a text (which prints the text), hazards that it can't hold.
    "printf-format": (strings.printf_format, b"a qslotq", lambda host, _: b"printf " + single(host), ""),
    "percent-b": (strings.percent_b, b"a qslotq", lambda host, _: b"printf %b " + single(host), ""),
    "echo -e": (strings.percent_b, b"a qslotq", lambda host, _: b"echo -n -e " + single(host), ""),
    "awk-string": (
        strings.awk_strings,
        b'BEGIN { printf "%s", "a qslotq" }',
        lambda host, _: b"awk " + single(host),
        "",
    ),
    "awk-assignment": (
        strings.awk_assignments,
        b"k=a qslotq",
        lambda host, _: b"awk -v " + single(host) + b""" 'BEGIN { printf "%s", k }'""",
        "",
    ),
    "awk-regex": (
        patterns.awk_regexes,
        b"/^a qslotq$/",
        lambda host, text: b"printf %s " + single(b"a " + text) + b" | awk " + single(host + b' { printf "%s", $0 }'),
        "\n",
    ),
    "python-string": (
        strings.python_strings,
        b"print('a qslotq', end='')",
        lambda host, _: b"python3 -c " + single(host),
        "",
    ),
    "python-format": (
        strings.python_strings,
        b'print(f"{chr(97)} qslotq", end="")',
        lambda host, _: b"python3 -c " + single(host),
        "",
    ),
    "python-bytes": (
        strings.python_strings,
        b'import sys; sys.stdout.buffer.write(b"""a qslotq""")',
        lambda host, _: b"python3 -c " + single(host),
        "",
    ),
    "json-string": (
        strings.json_strings,
        b'["a qslotq"]',
        lambda host, _: b"python3 -c 'import json, sys; print(json.loads(sys.argv[1])[0], end=\"\")' " + single(host),
        "",
    ),
    "glob": (
        patterns.glob_pattern,
        b"a*qslotq",
        lambda host, text: (
            b"mkdir d; touch d/"
            + single(b"a " + text)
            + b" d/aQ d/Q; find d -name "
            + single(host)
            + b" -printf %f; rm -r d"
        ),
        "/",
    ),
    "sed-replacement": (
        patterns.sed_replacements,
        b"s/x/a qslotq/",
        lambda host, _: b"printf x | sed " + single(host),
        "",
    ),
    "sed-replacement |": (
        patterns.sed_replacements,
        b"s|x|a qslotq|",
        lambda host, _: b"printf x | sed -E " + single(host),
        "",
    ),
    **{
        f"sed-{dialect.value} {mark}": (
            lambda text, dialect=dialect: patterns.sed_patterns(text, dialect),
            f"s{mark}^a qslotq\\$*b${mark}[&]{mark}".encode().replace(b"\\$*", b""),
            lambda host, text, option=option: (
                b"printf %s "
                + single(b"a " + text + b"b")
                + b" | sed -z"
                + option
                + single(host)
                + b" | sed -z 's/^.//;"
                b"s/b]$//'"
            ),
            "",
        )
        for dialect, option in ((Dialect.BASIC, b" "), (Dialect.EXTENDED, b"E "))
        for mark in "/#,"
    },
    **{
        f"grep-{dialect.value}": (
            lambda text, dialect=dialect: patterns.grep_pattern(text, dialect),
            b"a qslotq",
            lambda host, text, option=option: (
                b"printf '%s\\n' "
                + single(b"a " + text)
                + b" ax a. | grep "
                + option
                + b" -x -e "
                + single(host)
                + b" | head -c -1"
            ),
            "\n",
        )
        for dialect, option in ((Dialect.BASIC, b"-G"), (Dialect.EXTENDED, b"-E"))
    },
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_languages(pool: Pool, name: str) -> None:
    views, host, command, without = LANGUAGES[name]
    slow = name.startswith(("python", "json"))
    view = next(view for view in views(host) if SLOT in view.text)
    cases = []
    for text in hazardous_texts(5 if slow else 25, without):
        for program in list(spelled(view, host, text))[: 1 if slow else None]:
            cases.append((command(program, text), b"a " + text))
    check(pool, cases)
