"""From what a program printed to a reply, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qfuzz.collect.program import End, Ran
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import InputError
from qfuzz.model.fields import Fields, parse_json_line
from qfuzz.model.reply import MAX_REPLY_BYTES, NO_PROGRAM

TEXT = "text"
JSON = "json"

_COUNTS = ("input_tokens", "output_tokens", "reasoning_tokens")
_NOT_THEIRS = ("task_id", "reply", "contract", "trial", "effort", "model", "cleaned", "original", "seconds", "attempts")


MAX_TOLD_WAIT_SECONDS = 3600.0


class NoAnswer(Exception):
    """The program gave no reply; the message says why.

    `wait_seconds` is how long the program said to wait before it is asked again, None if it did not say.
    """

    def __init__(self, reason: str, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds


@dataclass(frozen=True, slots=True)
class Answer:
    program: bytes
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


def read_answer(ran: Ran, form: str) -> Answer:
    """The answer of a program that printed `form`: TEXT, the reply to the byte, or JSON, an envelope around it.

    An envelope is one object with `text`, the reply, and perhaps `input_tokens`, `output_tokens`, `reasoning_tokens`;
    other keys are kept. `error` says why there is no reply, and `retry_after` beside it in how many seconds to ask
    again. Raises NoAnswer.
    """
    if ran.end is not End.EXITED:
        raise NoAnswer(ran.end.value)
    if ran.status < 0:
        raise NoAnswer(f"was killed by signal {-ran.status}")
    if ran.status:
        raise NoAnswer(f"ended with status {ran.status}")
    if not ran.stdout.strip():
        raise NoAnswer("printed nothing")
    try:
        answer = _enveloped(ran.stdout) if form == JSON else Answer(ran.stdout)
    except InputError as error:
        raise NoAnswer(f"printed no envelope: {error}") from None
    if b"\0" in answer.program:
        raise NoAnswer(f"gave a NUL at byte {answer.program.index(0)}, which no shell program can hold")
    if len(answer.program) > MAX_REPLY_BYTES:
        raise NoAnswer(f"gave {len(answer.program)} bytes; a reply has {MAX_REPLY_BYTES} at most")
    return answer


def _enveloped(printed: bytes) -> Answer:
    value = parse_json_line(printed.strip())
    if value.get("error") is not None:
        raise NoAnswer(f"said: {value['error']}", _told_wait(value.get("retry_after")))
    fields = Fields(value)
    program = fields.content("text")
    for key in _COUNTS:
        if value.get(key) is not None and fields.integer(key) < 0:
            raise InputError(f"key {key!r} must not be negative")
    metadata = {key: item for key, item in value.items() if key not in ("text", "error", *_NOT_THEIRS)}
    if not program:
        # Said in so many words, so it is what was answered and no failure to ask.
        metadata[NO_PROGRAM] = "the answer is empty"
    return Answer(program, metadata)


def _told_wait(value: JsonValue) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MAX_TOLD_WAIT_SECONDS:
        raise InputError(f"key 'retry_after' must be 0 to {MAX_TOLD_WAIT_SECONDS:g} seconds, not {value!r}")
    return float(value)
