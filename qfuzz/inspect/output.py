"""The reply in a model's output: its text to the byte, or the argument of its one call."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inspect_ai.model import ChatMessageAssistant, ContentReasoning, ContentText, ModelOutput

from qfuzz.collect.prompts import BASH_TOOL, NATIVE
from qfuzz.model.reply import MAX_REPLY_BYTES

TOOL: str = BASH_TOOL["name"]
COMMAND = "command"
"""The argument of the tool that is the reply."""


@dataclass(frozen=True, slots=True)
class Given:
    """`missing` says why there is no program, which then is empty; `calls` is the number of calls of the tool.

    `reasoning_apart`: Inspect took reasoning out of the answer, and with it blank space around the rest, where the
    provider gave both in one text.
    """

    program: bytes
    missing: str = ""
    calls: int = 0
    reasoning_apart: bool = False


def given_program(output: ModelOutput, contract: str) -> Given:
    """What a model that answered gave under the contract of this name.

    Texts in several parts are joined with nothing between; Inspect's own joining would put line ends there.
    """
    message = output.choices[0].message
    if contract == NATIVE:
        return _called(message)
    parts = message.content
    if isinstance(parts, str):
        return _checked(parts, "the answer is empty")
    text = "".join(part.text for part in parts if isinstance(part, ContentText))
    apart = any(isinstance(part, ContentReasoning) for part in parts)
    return replace(_checked(text, "the answer is empty"), reasoning_apart=apart)


def _called(message: ChatMessageAssistant) -> Given:
    calls = [call for call in message.tool_calls or () if call.function == TOOL]
    if not calls:
        return Given(b"", f"no call of {TOOL}")
    argument = calls[0].arguments.get(COMMAND)
    if calls[0].parse_error or not isinstance(argument, str):
        given = Given(b"", f"the call of {TOOL} has no argument {COMMAND} that can be read")
    else:
        given = _checked(argument, f"the argument {COMMAND} is empty")
    return replace(given, calls=len(calls))


def _checked(text: str, if_empty: str) -> Given:
    try:
        program = text.encode("utf-8")
    except UnicodeEncodeError:
        return Given(b"", "the answer holds a lone surrogate, which is no text")
    if not program:
        return Given(b"", if_empty)
    if b"\0" in program:
        return Given(b"", "the answer holds a NUL, which no shell program can")
    if len(program) > MAX_REPLY_BYTES:
        return Given(b"", f"the answer has {len(program)} bytes; a program has {MAX_REPLY_BYTES} at most")
    return Given(program)
