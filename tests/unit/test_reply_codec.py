"""Reply records: ours, with a command field, and QuoteBench's."""

from __future__ import annotations

import json

import pytest

from qfuzz.model.errors import InputError
from qfuzz.model.reply import MAX_REPLY_BYTES, Reply
from qfuzz.model.reply_codec import decode_reply, encode_reply


def line(**record: object) -> bytes:
    return json.dumps(record).encode()


def test_defaults_and_further_keys() -> None:
    reply = decode_reply(line(task_id="a/t0-b", reply=" echo \n", latency=3, nested={"x": [1]}))
    assert reply == Reply(b" echo \n", "a/t0-b")
    assert (reply.contract, reply.trial, reply.model, reply.effort) == ("raw", 0, "", None)
    assert reply.metadata == {"latency": 3, "nested": {"x": [1]}}


def test_round_trip_with_bytes_that_are_not_text() -> None:
    reply = Reply(b"echo \xff", "t", "disclosed:nested", "m", 2, "high", {"k": 1})
    assert decode_reply(encode_reply(reply).rstrip(b"\n")) == reply


def test_quotebench_records() -> None:
    record = line(task_id="x", contract="nested-shell-v2", model="m", trial=1, reply="true", raw_reply="```true```")
    reply = decode_reply(record)
    assert (reply.program, reply.contract, reply.trial) == (b"true", "disclosed:nested", 1)
    assert decode_reply(line(task_id="x", contract="wrapped", raw_reply="true")).program == b"true"


def test_dotted_command_field() -> None:
    log = line(tool={"calls": [{"input": {"command": "ls"}}], "a.b": "pwd"})
    assert decode_reply(log, "tool.calls.0.input.command").program == b"ls"
    assert decode_reply(log, "tool.a.b").program == b"pwd"
    for missing in ("tool.calls.1.input", "tool.calls.x", "nothing", "tool.calls.0.input.command.x", ""):
        with pytest.raises(InputError):
            decode_reply(log, missing)


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"\xef\xbb\xbf{}",
        b'{"reply": "x"}\r',
        b'{"reply": "x", "reply": "y"}',
        b'{"reply": "\xff"}',
        b'{"reply": NaN}',
        b"\x00\x01",
        line(task_id="t"),
        line(task_id=1, reply="x"),
        line(task_id="", reply="x"),
        line(reply=5),
        line(reply=None),
        line(reply=["x"]),
        line(reply={"base64": "!"}),
        line(reply={"base64": "YQ==", "x": 1}),
        line(reply="a\0b"),
        line(reply="\ud800"),
        line(reply="x", trial="1"),
        line(reply="x", trial=-1),
        line(reply="x", trial=True),
        line(reply="x", trial=1.5),
        line(reply="x", model=1),
        line(reply="x", contract=["raw"]),
        line(reply="x", effort=1),
        line(reply="x" * (MAX_REPLY_BYTES + 1)),
        b'{"reply":' + b"[" * 100_000,
    ],
)
def test_bad_records_give_one_line(bad: bytes) -> None:
    with pytest.raises(InputError) as caught:
        decode_reply(bad)
    assert "\n" not in str(caught.value)
    assert str(caught.value).isprintable()
