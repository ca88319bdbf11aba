"""Every layer reads what it writes: a text put in the place of another is found there again."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qfuzz.shrink.stacks import patterns, strings
from qfuzz.shrink.stacks.find import occurrences
from qfuzz.shrink.stacks.patterns import Dialect
from qfuzz.shrink.stacks.quotes import whole_word
from qfuzz.shrink.stacks.shell import Kind, fields
from qfuzz.shrink.stacks.units import View

SLOT = b"qslotq"
HAZARDS = "'\"\\$`\n\t !#%&()*+,-./:;<=>?@[]^_{|}~aenx0é☂"

hazardous = st.text(HAZARDS, min_size=1, max_size=12).map(lambda text: text.encode())
texts = hazardous | st.binary(min_size=1, max_size=12).filter(lambda text: b"\0" not in text)
CONTEXTS = ("single", "double", "ansi-c", "unquoted")

HOSTS = {
    "json": (strings.json_strings, b'{"a": "qslotq", "b": [1, "c"]}'),
    "awk-string": (strings.awk_strings, b'$2 == "qslotq" { print $4 }'),
    "awk-assignment": (strings.awk_assignments, b"key=qslotq"),
    "awk-regex": (patterns.awk_regexes, b"$2 ~ /qslotq/ { n++ }"),
    "format": (strings.printf_format, b"%s qslotq\\n"),
    "percent-b": (strings.percent_b, b"qslotq\\n"),
    "python": (strings.python_strings, b"x = 'qslotq'  # it's\n"),
    "python-double": (strings.python_strings, b'x = f(u"qslotq", 2)'),
    "python-bytes": (strings.python_strings, b"open('f', 'wb').write(b'qslotq')"),
    "python-format": (strings.python_strings, b'f"{a} qslotq"'),
    "python-raw": (strings.python_strings, b"r'qslotq'"),
    "python-triple": (strings.python_strings, b'"""qslotq\n"""'),
    "glob": (patterns.glob_pattern, b"*qslotq*"),
    "grep-bre": (lambda text: patterns.grep_pattern(text, Dialect.BASIC), b"^qslotq$"),
    "grep-ere": (lambda text: patterns.grep_pattern(text, Dialect.EXTENDED), b"(qslotq)+"),
    **{
        f"sed-{dialect.value} {mark}": (
            lambda text, dialect=dialect: patterns.sed_patterns(text, dialect),
            f"2d; s{mark}qslotq{mark}new{mark}g".encode(),
        )
        for dialect in Dialect
        for mark in "/#|~,@"
    },
    "sed-address": (lambda text: patterns.sed_patterns(text, Dialect.BASIC), b"/qslotq/d"),
    **{
        f"sed-replacement {mark}": (patterns.sed_replacements, f"s{mark}old{mark}qslotq{mark}g".encode())
        for mark in "/#|~,@"
    },
}
CAN_REFUSE = {"json", "grep-bre", "grep-ere", *(name for name in HOSTS if name.startswith("python"))}
"""Not UTF-8, or a newline, or what a raw string can't hold."""


def view_of(views: list[View], text: bytes) -> View | None:
    return next((view for view in views if text in view.text), None)


@given(texts, st.sampled_from(CONTEXTS))
def test_a_word_is_read_as_it_was_written(text: bytes, context: str) -> None:
    for spelling in whole_word(context):
        written = spelling.write(text)
        assert written is not None
        first, second, third = fields(b"x " + written + b" y\n")
        assert (first.view.text, second.view.text, third.view.text) == (b"x", text, b"y")
        assert (second.start, second.end) == (2, 2 + len(written))


@given(texts, st.sampled_from(CONTEXTS), st.sampled_from(CONTEXTS), st.sampled_from(CONTEXTS))
def test_a_part_of_a_word_keeps_the_quotes_around_it(text: bytes, before: str, middle: str, after: str) -> None:
    parts = [whole_word(context)[0].write(part) for context, part in ((before, b"a "), (middle, SLOT), (after, b" b"))]
    source = b"".join(part for part in parts if part is not None)
    (word,) = fields(source)
    at = word.view.text.index(SLOT)
    units = word.view.slice(at, at + len(SLOT))
    assert units is not None
    for spelling in word.view.spell(units):
        written = spelling.write(text)
        assert written is not None
        (again,) = fields(source[: units[0].start] + written + source[units[-1].end :])
        assert again.view.text == b"a " + text + b" b"


@pytest.mark.parametrize("name", HOSTS)
@given(text=hazardous)
@example(text=b"\\n")
@example(text=b"[a]")
@example(text=b"{x}")
def test_a_language_reads_what_is_written_in_it(name: str, text: bytes) -> None:
    views, host = HOSTS[name]
    view = view_of(list(views(host)), SLOT)
    assert view is not None
    at = view.text.index(SLOT)
    units = view.slice(at, at + len(SLOT))
    assert units is not None
    for spelling in view.spell(units):
        written = spelling.write(text)
        if written is None:
            assert name in CAN_REFUSE
            continue
        again = host[: units[0].start] + written + host[units[-1].end :]
        wanted = view.text[:at] + text + view.text[at + len(SLOT) :]
        assert wanted in [other.text for other in views(again)], (spelling.layer, again)


PROGRAMS = (
    b"printf %s 'qslotq' > a.txt",
    b"mv -- \"a qslotq.txt\" b/; printf '%s\\n' x$'\\tqslotq' \\qslotq",
    b'for f in qslotq*; do mv -- "$f" "new-${f#qslotq}"; done',
    b"./onhost h \"printf %s 'qslotq' > f\"",
    b"./onhost h <<'OUTER'\ncat > f <<INNER\nqslotq\nINNER\nOUTER\n",
    b"cat <<EOF\n$a `b` qslotq\nEOF\n",
    b"x=`printf %s \"qslotq\"` y=$(echo 'qslotq')",
    b"git commit -m \"$(cat <<'E'\nqslotq\nE\n)\"",
    b"sed -i 's#qslotq#x&y#' f",
    b'echo \'{"m": "qslotq"}\' > f',
    b"python3 - <<'P'\nopen('f', 'w').write('qslotq')\nP\n",
    b'awk -v k="qslotq" \'$1 == k && $2 ~ "qslotq"\' f',
    b"printf '%b' 's/qslotq/b/' | sed -f -",
    b"find . -name '*qslotq*' -o -name \"[q]slotq\"",
)


@pytest.mark.parametrize("program", PROGRAMS)
@settings(max_examples=25)
@given(text=hazardous)
def test_a_text_put_into_a_program_is_found_there(program: bytes, text: bytes) -> None:
    found = occurrences(program, SLOT)
    assert found
    for each in found[:12]:
        assert each.write(SLOT) is not None
        if each.exact:
            assert each.write(SLOT) == program[each.start : each.end]
        written = each.write(text)
        if written is None:
            continue
        again = occurrences(program[: each.start] + written + program[each.end :], text)
        end = each.start + len(written)
        # Quotes that the text brought with it are around it, not in it.
        inside = again is None or any(each.start <= other.start and other.end <= end for other in again)
        assert inside, (each.stack, written)


@given(
    st.lists(st.sampled_from([*(char.encode() for char in HAZARDS), b"$(", b"${x#", b"<<E\n", b"s/", b'{"a":', SLOT]))
)
def test_every_text_is_read(pieces: list[bytes]) -> None:
    program = b"".join(pieces)
    for field in fields(program):
        assert 0 <= field.start <= field.end <= len(program)
        assert field.kind in Kind
    for each in occurrences(program, SLOT) or ():
        assert 0 <= each.start < each.end <= len(program)


@given(st.binary(max_size=60), hazardous)
def test_bytes_are_read(program: bytes, text: bytes) -> None:
    for each in occurrences(program, text) or ():
        written = each.write(text)
        assert written is not None
        assert not each.exact or written == program[each.start : each.end]
