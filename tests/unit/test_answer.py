"""What a program printed, as a reply or as a reason why there is none."""

from __future__ import annotations

import json

import pytest

from qfuzz.collect.answer import JSON, TEXT, NoAnswer, read_answer
from qfuzz.collect.program import End, Ran
from qfuzz.model.reply import MAX_REPLY_BYTES


def ran(stdout: bytes, status: int = 0, end: End = End.EXITED) -> Ran:
    return Ran(end, status, stdout, b"", 0.1)


def envelope(**keys: object) -> bytes:
    return json.dumps(keys).encode() + b"\n"


def test_text_is_the_reply_to_the_byte() -> None:
    for printed in (b"ls\n", b"  ls", b"printf \xff", b"a\r\n\n"):
        assert read_answer(ran(printed), TEXT).program == printed


def test_an_envelope_holds_the_reply_and_what_it_cost() -> None:
    answer = read_answer(ran(envelope(text="ls\n", input_tokens=3, output_tokens=1, stop="end", trial=9)), JSON)
    assert answer.program == b"ls\n"
    assert answer.metadata == {"input_tokens": 3, "output_tokens": 1, "stop": "end"}
    pretty = json.dumps({"text": {"base64": "/w=="}}, indent=2).encode()
    assert read_answer(ran(pretty), JSON).program == b"\xff"


def test_an_empty_answer_is_one_only_where_it_is_said() -> None:
    said = read_answer(ran(envelope(text="")), JSON)
    assert (said.program, said.metadata) == (b"", {"no_program": "the answer is empty"})
    for form in (TEXT, JSON):
        with pytest.raises(NoAnswer, match="printed nothing"):
            read_answer(ran(b" \n"), form)


@pytest.mark.parametrize(
    ("printed", "form", "why"),
    [
        (ran(b"ls", 1), TEXT, "ended with status 1"),
        (ran(b"ls", -9), TEXT, "was killed by signal 9"),
        (ran(b"ls", 0, End.TIMEOUT), TEXT, "did not end in time"),
        (ran(b"ls", 0, End.TOO_LONG), TEXT, "printed more than"),
        (ran(b"a\0b"), TEXT, "NUL at byte 1"),
        (ran(b"a" * (MAX_REPLY_BYTES + 1)), TEXT, "a reply has 1048576 at most"),
        (ran(b"ls"), JSON, "printed no envelope: is not JSON"),
        (ran(b"[]"), JSON, "must be a JSON object"),
        (ran(envelope(texts="ls")), JSON, "key 'text' is missing"),
        (ran(envelope(text=["ls"])), JSON, "key 'text' must be a string"),
        (ran(envelope(text="ls", output_tokens="7")), JSON, "must be a whole number"),
        (ran(envelope(text="ls", input_tokens=-1)), JSON, "must not be negative"),
        (ran(envelope(text="ls", error="busy")), JSON, "said: busy"),
        (ran(b'{"text": "\\ud800"}'), JSON, "lone surrogate"),
        (ran(envelope(error="busy", retry_after=-1)), JSON, "'retry_after' must be 0 to 3600 seconds"),
        (ran(envelope(error="busy", retry_after="soon")), JSON, "'retry_after' must be 0 to 3600 seconds"),
    ],
)
def test_what_is_no_answer(printed: Ran, form: str, why: str) -> None:
    with pytest.raises(NoAnswer, match=why):
        read_answer(printed, form)


@pytest.mark.parametrize(("told", "wait"), [({}, None), ({"retry_after": 2}, 2.0), ({"retry_after": 0.5}, 0.5)])
def test_how_long_to_wait_may_be_said(told: dict[str, float], wait: float | None) -> None:
    with pytest.raises(NoAnswer) as said:
        read_answer(ran(envelope(error="429", **told)), JSON)
    assert said.value.wait_seconds == wait
