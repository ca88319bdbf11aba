"""The layers of a transport as readers of a program: what each of them would treat as its own.

Every layer is asked about the program as it was written, as if all others carried it whole. So nothing is marked
exactly if nothing happens to it on the way, as far as the layers' rules are known.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from qfuzz.bash.scan import Context, Scan, contexts
from qfuzz.lint.dash import dash_marks
from qfuzz.lint.findings import Mark, Reader
from qfuzz.lint.standard_input import input_marks
from qfuzz.lint.unquoted import unquoted_marks
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import UsageError
from qfuzz.transports.base import Boundary, Transport, launch_as_program
from qfuzz.transports.nested import Nested, Single
from qfuzz.transports.protection import is_left_alone

PLACEHOLDER = b"x:x"
"""A reply that every layer leaves alone in whatever context it stands, and that one which quotes words puts quotes
around; where it stands in the text that a shell reads is where each reply stands."""

LAST_SHELL_READERS: Mapping[str, Reader] = {"sh": dash_marks, "stdin": input_marks}
"""What is special about the shell that runs the reply, by the boundary that starts it."""

_NAMES = {
    ord('"'): "double-quote",
    ord("'"): "apostrophe",
    ord("$"): "dollar",
    ord("`"): "backtick",
    ord("\\"): "backslash",
    ord("\n"): "newline",
    ord("\t"): "tab",
}


def readers_of(transport: Transport) -> tuple[Reader, ...]:
    """The layers of `transport` that may mark something, in the order in which the reply meets them.

    Raises UsageError for a stack that breaks every reply, or has a layer whose rules lint does not know.
    """
    transport = _before_encoding(transport)
    launch = transport.deliver(PLACEHOLDER)
    if not isinstance(launch, Launch):
        raise UsageError(f"{transport.name} breaks every reply, whatever its characters")
    for boundary in transport.boundaries:
        if not (boundary.faithful or boundary.rules or boundary.name in LAST_SHELL_READERS):
            raise UsageError(f"lint knows no rules of {boundary.name}", hint="find its breakers with `qfuzz diff`")
    alone = _reads_alone(transport)
    readers = [
        _rules_of(boundary)
        for boundary in transport.boundaries
        if boundary.rules and (boundary is alone or not boundary.starts_shell)
    ]
    if alone is None:
        readers += _of_shells(transport, launch)
    last = next((boundary for boundary in transport.boundaries if boundary.starts_shell), transport.starter)
    if last.name in LAST_SHELL_READERS:
        readers.append(LAST_SHELL_READERS[last.name])
    return tuple(readers)


def _before_encoding(transport: Transport) -> Transport:
    """The layers that read the reply itself: those before one that encodes it, if nothing happens to what that makes.

    Raises UsageError where they do not, or where nobody knows.
    """
    at = next((index for index, boundary in enumerate(transport.boundaries) if boundary.encodes), None)
    if at is None:
        return transport
    if not is_left_alone(transport.boundaries[at:], PLACEHOLDER):
        raise UsageError(
            f"lint can't follow what comes after {transport.boundaries[at].name} in {transport.name}",
            hint="find its breakers with `qfuzz diff`",
        )
    return replace(transport, boundaries=transport.boundaries[:at])


def _reads_alone(transport: Transport) -> Boundary | None:
    """A layer that is no shell's text and yet starts one: lint can follow it where no other layer starts a shell."""
    for boundary in transport.boundaries:
        if boundary.rules and (boundary.tool or (boundary.starts_shell and not boundary.sees_arrival)):
            starters = [other for other in transport.boundaries if other.starts_shell or other.tool]
            if starters != [boundary]:
                raise UsageError(
                    f"lint can't follow {boundary.name} beside another shell",
                    hint="find its breakers with `qfuzz diff`",
                )
            return boundary
    return None


def _rules_of(boundary: Boundary) -> Reader:
    def marks(program: bytes, _: Scan) -> Iterator[Mark]:
        for offset, byte in enumerate(program):
            if byte in boundary.rules and not boundary.inert(program, offset):
                name = _NAMES.get(byte, "control-character" if byte < 0x20 else f"byte-{byte:02x}")
                yield Mark(offset, offset + 1, f"{boundary.name}/{name}", boundary.rules[byte])

    return marks


_READER_IN: Mapping[Context, Reader] = {
    Context.DOUBLE: _rules_of(Nested()),
    Context.SINGLE: _rules_of(Single()),
    Context.UNQUOTED: unquoted_marks,
}


def _of_shells(transport: Transport, launch: Launch) -> Iterator[Reader]:
    """One reader for each shell, from the outside in, that reads the reply as a part of a text of its own."""
    makers = [boundary for boundary in transport.boundaries if boundary.starts_shell][: launch.inner_shells]
    files = {file.path: file.content for file in launch.files}
    text = launch.program
    for maker in reversed(makers):
        place = text.find(PLACEHOLDER)
        if place >= 0:
            context = contexts(text).context(place)
            # Quotes of an inner layer may have ended those that this one writes around its text.
            yield _rules_of(maker) if context is _own_context(maker) else _READER_IN[context]
        text = _passed_on(text, files)
    if PLACEHOLDER not in text:
        raise UsageError(f"{transport.name} breaks every reply, whatever its characters")


def _own_context(maker: Boundary) -> Context:
    """The context that a layer writes its text in."""
    made = maker.embed(PLACEHOLDER)
    if isinstance(made, Launch):
        made = launch_as_program(made)
    assert isinstance(made, bytes), f"{maker.name} refuses {PLACEHOLDER!r}"
    place = made.find(PLACEHOLDER)
    return contexts(made).context(place) if place >= 0 else Context.UNQUOTED


def _passed_on(text: bytes, files: Mapping[bytes, bytes]) -> bytes:
    """The program that a text of ours, made from the placeholder, has its shell start the next shell with."""
    words = [word.encode("ascii") for word in shlex.split(text.decode("ascii"))]
    if b"-c" in words:
        return words[words.index(b"-c") + 1]
    return files.get(words[-1], words[-1])


def all_marks(program: bytes, scan: Scan, readers: Iterable[Reader]) -> list[Mark]:
    """What the layers mark; of several that mark one place, the first says why."""
    marks: dict[int, Mark] = {}
    for reader in readers:
        for mark in reader(program, scan):
            marks.setdefault(mark.start, mark)
    return list(marks.values())
