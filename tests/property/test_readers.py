"""Our readers, on damaged input of every kind: what they read, or one of our typed errors, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.bash.parse_reader import outline
from qfuzz.bash.scan import contexts
from qfuzz.jail.agent import frames
from qfuzz.jail.protocol import ProtocolError, read_answer
from qfuzz.model.case_codec import decode_case
from qfuzz.model.errors import InputError
from qfuzz.model.reply_codec import decode_reply, encode_reply
from qfuzz.model.task_codec import decode_task, encode_task
from qfuzz.strategies import programs
from qfuzz.strategies.texts import COMMON
from tests import wild

CASE = (
    b'{"schema": 1, "transport": "nested", "expect": "broken", "reply": "echo $x", "reason": "why", "causes": ["$"], '
    b'"failure": {"way": "silent", "channels": ["stdout"]}, "fixture": {"files": [{"path": "a", "content": "x"}]}}'
)
DECODERS: dict[str, tuple[Callable[[bytes], object], st.SearchStrategy[bytes]]] = {
    "task": (decode_task, wild.tasks.map(lambda task: encode_task(task)[:-1])),
    "reply": (decode_reply, wild.replies.map(lambda reply: encode_reply(reply)[:-1])),
    "case": (decode_case, st.just(CASE)),
}
"""Each reader of lines with lines that it reads."""

_NOISE = (*(bytes([byte]) for byte in b'"\\{}[],:0-e.n\0\xff\xed'), b"\\u0000", b"\\ud800", b"null", b"1e999", b"NaN")


@st.composite
def damaged(draw: st.DrawFn, lines: st.SearchStrategy[bytes]) -> bytes:
    """A line with pieces cut out, doubled, or put in."""
    line = draw(lines)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(line)))
        end = at + draw(st.integers(0, 12))
        piece = draw(st.sampled_from((b"", line[at:end] * 2, *_NOISE)))
        line = line[:at] + piece + line[end:]
    return line


def parts(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values within a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, each in items for inner in parts(each, (*path, key)))]


@st.composite
def swapped(draw: st.DrawFn, lines: st.SearchStrategy[bytes]) -> bytes:
    """A line with one value, somewhere in it, replaced by any other."""
    record = json.loads(draw(lines))
    path = draw(st.sampled_from(parts(record)))
    new = draw(wild.json_values)
    if not path:
        return json.dumps(new).encode()
    around = record
    for key in path[:-1]:
        around = around[key]
    around[path[-1]] = new
    return json.dumps(record).encode()


@pytest.mark.parametrize("name", DECODERS)
@settings(max_examples=100)
@given(data=st.data())
def test_a_damaged_line_is_read_or_refused_in_one_line(name: str, data: st.DataObject) -> None:
    decode, lines = DECODERS[name]
    line = data.draw(st.one_of(damaged(lines), swapped(lines), st.binary(max_size=60)))
    said = ""
    try:
        decode(line)
    except InputError as error:
        said = str(error)
    assert said.isprintable()
    assert len(said) < 1200


@settings(max_examples=100)
@given(damaged(programs()), st.lists(st.sampled_from(COMMON), max_size=6))
def test_scanner_and_outline_read_any_damaged_program(program: bytes, more: list[bytes]) -> None:
    text = program + b"".join(more)
    scan = contexts(text)
    assert sum(segment.end - segment.start for segment in scan.segments) == len(text)
    assert all(0 <= word.start <= word.end <= len(text) for word in outline(text).words)


@settings(max_examples=100)
@given(st.lists(st.binary(max_size=20), max_size=8), st.data())
def test_frames_and_answers_of_a_jail_are_read_or_refused(fields: list[bytes], data: st.DataObject) -> None:
    frame = data.draw(damaged(st.just(frames.pack(fields))))
    with suppress(frames.FrameError, ProtocolError):
        if len(frame) >= frames.HEADER.size:
            size, count = frames.HEADER.unpack_from(frame)
            if size == len(frame) - frames.HEADER.size:
                read_answer(frames.unpack(frame[frames.HEADER.size :], count))
