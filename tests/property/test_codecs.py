"""The interchange formats: what is written is read again, and nothing else is read as anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.gen.public import load_public
from qfuzz.model.content import canonical_json, decode_content, encode_content
from qfuzz.model.errors import InputError
from qfuzz.model.fields import MAX_NESTING, parse_json_line
from qfuzz.model.jsonl import read_records
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply, encode_reply
from qfuzz.model.task import Task
from qfuzz.model.task_codec import decode_task, encode_task, task_to_json
from tests import wild

DECODERS: list[Callable[[bytes], object]] = [decode_task, decode_reply, lambda line: decode_reply(line, "a.b")]


def read_or_refusal(decode: Callable[[bytes], object], line: bytes) -> object:
    """What the line holds, or its refusal, which is one printable line."""
    try:
        return decode(line)
    except InputError as error:
        refusal = error
    assert str(refusal).isprintable()
    assert 0 < len(str(refusal)) < 1200
    return refusal


@given(st.binary(max_size=40))
def test_contents_come_back_as_they_were(data: bytes) -> None:
    value = encode_content(data)
    assert decode_content(json.loads(json.dumps(value)), "it") == data
    assert isinstance(value, str) == (data.decode("utf-8", "ignore").encode() == data)


@settings(max_examples=40)
@given(wild.tasks)
def test_a_task_comes_back_as_it_was(task: Task) -> None:
    line = encode_task(task)
    assert line.count(b"\n") == 1
    assert decode_task(line[:-1]) == task
    assert encode_task(decode_task(line[:-1])) == line


@given(wild.replies)
def test_a_reply_comes_back_as_it_was(reply: Reply) -> None:
    line = encode_reply(reply)
    assert line.count(b"\n") == 1
    again = decode_reply(line[:-1])
    assert again == reply
    assert again.metadata == reply.metadata
    assert encode_reply(again) == line


def test_the_public_tasks_have_one_form() -> None:
    for task in load_public():
        assert decode_task(encode_task(task)[:-1]) == task


@settings(max_examples=20)
@given(wild.tasks, st.text(min_size=1))
def test_a_canary_changes_nothing_else(task: Task, canary: str) -> None:
    assert decode_task(encode_task(task, canary)[:-1]) == task


garbage = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(str.encode),
    wild.json_values.map(canonical_json),
    st.text('[]{}",:\\ud8001e9', max_size=60).map(str.encode),
)


@settings(max_examples=200)
@given(st.sampled_from(DECODERS), garbage)
def test_garbage_is_read_or_refusal(decode: Callable[[bytes], object], line: bytes) -> None:
    read_or_refusal(decode, line)


@settings(max_examples=60)
@given(wild.tasks.map(encode_task) | wild.replies.map(encode_reply), st.data())
def test_a_damaged_line_is_refused_in_one_line_or_read(line: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line) - 1))
    end = data.draw(st.integers(start, min(len(line), start + 8)))
    damaged = line[:start] + data.draw(st.binary(max_size=4)) + line[end:]
    for decode in DECODERS:
        read_or_refusal(decode, damaged)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside a JSON value, its own first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


odd_values = st.one_of(
    wild.json_values,
    st.sampled_from(
        ["\ud800", "a\0b", "../x", "/etc", ".git/x", "x" * 5000, {"base64": "?"}, [[]], {"a": 1}, -1, 10**30]
    ),
)


@settings(max_examples=80)
@given(wild.tasks, odd_values, st.data())
def test_any_value_of_a_task_may_be_anything(task: Task, new: Any, data: st.DataObject) -> None:
    record = task_to_json(task)
    path = data.draw(st.sampled_from(places(record)[1:]))
    line = json.dumps(replaced(record, path, new)).encode()
    read = read_or_refusal(decode_task, line)
    if isinstance(read, Task):
        # What was let in can be written again: keys and the store rely on it.
        assert decode_task(encode_task(read)[:-1]) == read


@settings(max_examples=100)
@given(st.sampled_from(["task_id", "reply", "contract", "model", "trial", "effort", "further"]), odd_values)
def test_any_value_of_a_reply_may_be_anything(key: str, new: Any) -> None:
    record = {"task_id": "t", "reply": "x", "contract": "raw", "model": "m", "trial": 1, "effort": "low", key: new}
    read = read_or_refusal(decode_reply, json.dumps(record).encode())
    if isinstance(read, Reply):
        assert decode_reply(encode_reply(read)[:-1]) == read


@pytest.mark.parametrize(
    "line",
    [
        b'{"reply":"x","note":"\\ud800"}',
        b'{"reply":"x","\\uDFFF":1}',
        b'{"reply":"x","deep":{"er":["\\udc00"]}}',
        b'{"reply":"x","n":1e999}',
        b'{"reply":"x","n":-1e999}',
        b'{"reply":"x","n":1' + b"0" * 5000 + b"}",
        b'{"reply":"x","trial":99999999999999999999}',
        b'{"reply":"x","deep":' + b"[" * 500 + b"]" * 500 + b"}",
        b'{"reply":"x","deep":' + b'{"a":' * 500 + b"1" + b"}" * 501,
        b"[" * 1_000_000,
        b'{"' * 500_000,
        b'{"reply":"x","' + b"k" * 100_000 + b'":1,"' + b"k" * 100_000 + b'":1}',
    ],
)
def test_what_no_store_could_keep_is_refused(line: bytes) -> None:
    with pytest.raises(InputError) as caught:
        decode_reply(line)
    assert len(str(caught.value)) < 1200
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "line",
    [
        b'{"reply":"' + b"[{" * 1000 + b'"}',
        b'{"reply":"' + b'\\"[' * 1000 + b'"}',
        b'{"reply":"x","wide":[' + b"[]," * 1000 + b"[]]}",
        b'{"reply":"\\ud83d\\ude00","deep":' + b"[" * (MAX_NESTING - 1) + b"]" * (MAX_NESTING - 1) + b"}",
    ],
)
def test_brackets_in_texts_and_pairs_of_surrogates_are_let_in(line: bytes) -> None:
    reply = decode_reply(line)
    assert decode_reply(encode_reply(reply)[:-1]) == reply


@pytest.mark.parametrize("command_field", ["a.²", "a.-1", "a.1_0", "", ".", "a..b", "a.0.x"])
def test_any_command_field_is_looked_up_or_refused(command_field: str) -> None:
    with pytest.raises(InputError):
        decode_reply(b'{"a":["x"]}', command_field)


@given(wild.json_values)
def test_only_objects_are_records(value: object) -> None:
    line = canonical_json(value)
    if isinstance(value, dict):
        assert parse_json_line(line) == value
    else:
        with pytest.raises(InputError, match="must be a JSON object"):
            parse_json_line(line)


@settings(max_examples=60)
@given(st.lists(st.sampled_from([b"", b"  ", b'{"a":1}', b"{", b"\xff", b'{"a":1}\r']), max_size=6), st.booleans())
def test_every_complaint_names_file_and_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bool
) -> None:
    path: Path = tmp_path_factory.mktemp("records") / "r.jsonl"
    path.write_bytes(b"\n".join(lines) + (b"\n" if end else b""))
    bad: list[str] = []
    good: list[int] = []
    if any(line.strip() for line in lines):
        for record in read_records(path, parse_json_line, on_bad=lambda error: bad.append(error.where)):
            good.append(record.number)
    else:
        with pytest.raises(InputError, match="no record"):
            list(read_records(path, parse_json_line))
    numbers = range(1, len(lines) + 1)
    assert good == [number for number in numbers if lines[number - 1] == b'{"a":1}']
    assert bad == [f"{path}:{number}" for number in numbers if lines[number - 1].strip(b" ") not in (b"", b'{"a":1}')]
