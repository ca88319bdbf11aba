"""Taking away what models put around a program: asked for by name, and told of each reply.

Every rule is a function of the reply's bytes alone and leaves the reply as it is where it is not sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from qfuzz.model.content import encode_content
from qfuzz.model.errors import UsageError
from qfuzz.model.reply import CLEANED, ORIGINAL, Reply

_THINKING = re.compile(rb"\s*<(think|thinking)>.*?</\1>[ \t\r]*\n?", re.DOTALL)
_OPENING_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})[^`\n]*\Z")
_BLANK = b" \t\r\n"
_PROMPT = b"$ "


@dataclass(frozen=True, slots=True)
class Cleaning:
    """A program after the rules; `changed` names those that changed it, in the order in which they were applied."""

    program: bytes
    changed: tuple[str, ...]


def _without_thinking(program: bytes) -> bytes:
    """Without the blocks <think>...</think> or <thinking>...</thinking> that the reply begins with."""
    while found := _THINKING.match(program):
        program = program[found.end() :]
    return program


def _without_fences(program: bytes) -> bytes:
    """What stands inside a Markdown fence that is the whole reply.

    The first line that closes the block (CommonMark 0.31.2, section 4.5: the same character, at least as often, alone
    in its line) must be the last one: a program that writes Markdown has its own fences.
    """
    lines = program.strip(_BLANK).split(b"\n")
    opening = _OPENING_FENCE.match(lines[0].rstrip(b"\r"))
    if opening is None or len(lines) < 2:
        return program
    mark = opening[1]
    for number, line in enumerate(lines[1:], start=1):
        bare = line.strip(b" \t\r")
        if len(bare) >= len(mark) and not bare.strip(mark[:1]):
            return b"\n".join(lines[1:number]) if number == len(lines) - 1 else program
    return program


def _without_prompts(program: bytes) -> bytes:
    """Without `$ ` at the start of every line where all lines that are not blank have it, else of the first line."""
    lines = program.split(b"\n")
    shown = [line for line in lines if line.strip(_BLANK)]
    if not shown or not shown[0].startswith(_PROMPT):
        return program
    everywhere = all(line.startswith(_PROMPT) for line in shown)
    first = lines.index(shown[0])
    return b"\n".join(
        line.removeprefix(_PROMPT) if everywhere or number == first else line for number, line in enumerate(lines)
    )


def _without_blank_lines(program: bytes) -> bytes:
    """Without blank lines at both ends, and without the final line end."""
    lines = program.split(b"\n")
    while lines and not lines[0].strip(_BLANK):
        del lines[0]
    while lines and not lines[-1].strip(_BLANK):
        del lines[-1]
    kept = b"\n".join(lines)
    # A backslash at the end of a line joins it to the next; at the end of a program it is a character.
    return program if kept.endswith(b"\\") else kept


RULES: dict[str, Callable[[bytes], bytes]] = {
    "thinking": _without_thinking,
    "fences": _without_fences,
    "prompts": _without_prompts,
    "blank-lines": _without_blank_lines,
}
"""Name and rule, in the order in which they are applied."""


def parse_rules(text: str) -> tuple[str, ...]:
    """The rules named in `a,b`, or all of them for `all`, in the order of application. Raises UsageError."""
    named = [name.strip() for name in text.split(",") if name.strip()]
    if named == ["all"]:
        return tuple(RULES)
    for name in named:
        if name not in RULES:
            raise UsageError(f"there is no clean-up {name!r}", hint=f"known: {', '.join(RULES)}, all")
    return tuple(name for name in RULES if name in named)


def clean(program: bytes, rules: tuple[str, ...]) -> Cleaning:
    """The program after each of `rules`."""
    changed = []
    for name in rules:
        after = RULES[name](program)
        if after != program:
            changed.append(name)
            program = after
    return Cleaning(program, tuple(changed))


def cleaned_reply(reply: Reply, rules: tuple[str, ...]) -> Reply:
    """The reply after `rules`. Where one changed it, its metadata names these and keeps what it was before the first.

    A reply that was cleaned before keeps what was recorded then.
    """
    done = clean(reply.program, rules)
    if not done.changed:
        return reply
    earlier = reply.cleaned
    metadata = {
        **reply.metadata,
        CLEANED: [*earlier, *(name for name in done.changed if name not in earlier)],
        ORIGINAL: reply.metadata[ORIGINAL] if earlier and ORIGINAL in reply.metadata else encode_content(reply.program),
    }
    return replace(reply, program=done.program, metadata=metadata)
