"""Spans from bashlex, in a process of its own: `python -m qfuzz.bash.parse_tree SECONDS`.

bashlex is optional, and never to be trusted with a reply: on some texts (`$'a${.b'`) it loops for ever and eats all
memory. `qfuzz.engine.parse_child` starts this module and limits its memory; a timer here ends the process where an
answer takes more than SECONDS of processor time, so that a busy machine changes no answer.

Standard input has requests: the length of a program as four bytes, the most significant first, and the program.
Standard output has one line of JSON for each: `{"spans": [[start, end, part], ...]}` or `{"failure": reason}`; and one
before all, the answer for an empty program, when it is ready.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from qfuzz.bash.parse import NoParse, Part, Span

_ASCII = bytes(byte if byte < 0x80 else ord("x") for byte in range(256))
"""Bytes beyond ASCII are letters to Bash's grammar; as single letters they leave every offset where it is."""
_COMPOUNDS = ("compound", "function")
_MEMBERS = {"list": Part.STATEMENT, "pipeline": Part.STAGE}
_JOINTS = ("operator", "pipe", "reservedword")


def tree_spans(program: bytes) -> tuple[Span, ...] | NoParse:
    """The spans of `program` as bashlex reads it. It may never return: call it in a process that can be ended."""
    try:
        import bashlex
    except ImportError:
        return NoParse.MISSING
    try:
        trees = bashlex.parse(program.translate(_ASCII).decode("ascii"))
        found = {span for tree in trees for span in _below(tree)}
        if len(trees) > 1:
            found |= {_span(tree, Part.STATEMENT) for tree in trees}
    except MemoryError:
        return NoParse.MEMORY
    except Exception:
        # It raises whatever its tables and assertions come upon: ParsingError, AttributeError, RecursionError, ...
        return NoParse.SYNTAX
    return tuple(sorted(found, key=lambda span: (span.start, -span.end, span.part.value)))


def _below(node: Any) -> Iterator[Span]:
    """The spans at a node and below it."""
    if node.kind in _COMPOUNDS:
        yield _span(node, Part.COMPOUND)
    part = _MEMBERS.get(node.kind)
    for child in _children(node):
        if part is not None and child.kind not in _JOINTS:
            yield _span(child, part)
        yield from _below(child)


def _span(node: Any, part: Part) -> Span:
    start, end = node.pos
    return Span(start, end, part)


def _children(node: Any) -> Iterator[Any]:
    yield from getattr(node, "parts", ())
    yield from getattr(node, "list", ())
    command = getattr(node, "command", None)
    if command is not None:
        yield command


def answer(requests: BinaryIO, answers: BinaryIO, seconds: float) -> None:
    """Serve requests until their stream ends."""
    _write(answers, b"", seconds)
    while len(head := requests.read(4)) == 4:
        _write(answers, requests.read(int.from_bytes(head, "big")), seconds)


def _write(answers: BinaryIO, program: bytes, seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    found = tree_spans(program)
    signal.setitimer(signal.ITIMER_PROF, 0)
    if isinstance(found, NoParse):
        record: dict[str, object] = {"failure": found.value}
    else:
        record = {"spans": [[span.start, span.end, span.part.value] for span in found]}
    answers.write(json.dumps(record).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    # The default action of the timer ends the process, also in the middle of a loop.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    answer(sys.stdin.buffer, sys.stdout.buffer, float(sys.argv[1]))
