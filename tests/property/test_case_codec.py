"""Breaker files: what is written is read again, in one order and with the same bytes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.model.case import DIGEST_DIGITS, Case, Expect, Failure, TaskName, Way
from qfuzz.model.case_codec import decode_case, encode_case, identity, ordered
from qfuzz.model.errors import InputError
from qfuzz.model.reply import MAX_REPLY_BYTES
from qfuzz.model.verdict import Channel
from qfuzz.regress.files import file_bytes
from tests import wild

channels = st.sets(st.sampled_from(Channel)).map(lambda some: tuple(each for each in Channel if each in some))
failures = st.builds(Failure, st.sampled_from(Way), channels)
task_names = st.builds(
    TaskName, wild.words, st.text("0123456789abcdef", min_size=DIGEST_DIGITS, max_size=DIGEST_DIGITS)
)
programs = st.binary(max_size=30).map(lambda data: data.replace(b"\0", b""))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    expect = draw(st.sampled_from(Expect))
    failure = draw(failures if expect is Expect.BROKEN else st.none() | failures)
    case = Case(
        draw(st.text(max_size=12)),
        expect,
        draw(programs),
        failure,
        tuple(draw(st.lists(st.binary(max_size=3), max_size=3))),
        draw(st.text(max_size=12)),
        draw(st.none() | task_names | wild.tasks),
    )
    return replace(case, fixture=draw(wild.fixtures())) if case.task is None else case


@settings(max_examples=60)
@given(cases())
def test_a_case_comes_back_as_it_was(case: Case) -> None:
    line = encode_case(case)
    assert line.count(b"\n") == 1
    assert decode_case(line[:-1]) == case


@settings(max_examples=40)
@given(st.lists(cases(), max_size=4), st.integers(0, 1000))
def test_a_file_has_one_form(some: list[Case], seed: int) -> None:
    distinct = {identity(case): case for case in some}
    shuffled = list(distinct.values())
    random.Random(seed).shuffle(shuffled)
    assert file_bytes(shuffled) == file_bytes(distinct.values())
    assert [decode_case(line) for line in file_bytes(shuffled).splitlines()] == ordered(shuffled)
    assert file_bytes(ordered(shuffled)) == file_bytes(shuffled)


def test_of_equal_cases_the_first_stays() -> None:
    first = Case("nested", Expect.SURVIVES, b"x", reason="kept")
    second = Case("nested", Expect.BROKEN, b"x", Failure(Way.SILENT))
    assert ordered([first, second]) == [first]


GOOD = b'{"schema":1,"transport":"nested","expect":"survives","reply":"x"'


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"{}", "key 'schema' is missing"),
        (b'{"schema":2}', "key 'schema' is 2; this version reads breakers of schema 1"),
        (GOOD + b',"expects":"broken"}', "key 'expects' is not known here"),
        (GOOD.replace(b"survives", b"Broken") + b"}", "key 'expect' must be survives or broken, not 'Broken'"),
        (GOOD.replace(b"survives", b"broken") + b"}", "key 'failure' is missing"),
        (GOOD.replace(b'"x"', b"7") + b"}", "key 'reply' must be a string"),
        (GOOD.replace(b'"x"', b'"a\\u0000"') + b"}", "NUL at byte 1"),
        (GOOD.replace(b'"x"', b'"' + b"x" * (MAX_REPLY_BYTES + 1) + b'"') + b"}", "the most is"),
        (GOOD + b',"failure":{"way":"odd"}}', "key 'failure'.way must be"),
        (GOOD + b',"failure":{"way":"silent","channels":["stderr"]}}', "holds 'stderr'; known: status, stdout, tree"),
        (GOOD + b',"failure":{"way":"silent","channels":[3]}}', "holds 3"),
        (GOOD + b',"failure":{"way":"silent","more":1}}', "more is not known here"),
        (GOOD + b',"causes":"$"}', "key 'causes' must be a list"),
        (GOOD + b',"reason":5}', "key 'reason' must be a string"),
        (GOOD + b',"task":"a"}', "key 'task' must be an object"),
        (GOOD + b',"task":{"task_id":"a","digest":"12"}}', "must be 16 hexadecimal digits, not '12'"),
        (GOOD + b',"task":{"schema":1}}', "key 'task': key 'task_id' is missing"),
        (GOOD + b',"fixture":[]}', "key 'fixture' must be an object"),
        (GOOD + b',"task":{"task_id":"a","digest":"0123456789abcdef"},"fixture":{}}', "the task has one"),
        (GOOD + b"}\r", "carriage return"),
    ],
)
def test_a_line_that_is_no_case(line: bytes, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_case(line)
    assert complaint in str(caught.value)
