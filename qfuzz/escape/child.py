"""Calls one Python function for many words. Run as a script by `worker`, with the user's interpreter settings and cwd.

    python child.py MODULE:FUNCTION REQUESTS ANSWERS LIFELINE PROGRESS

The last four are inherited descriptors. A request is <length, twice> and words joined by NUL; an answer is a tag,
<length> and bytes. First of all comes one answer: that the function is there, or why not. Standard library only.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import mmap
import os
import struct
import sys
from collections.abc import Callable
from typing import BinaryIO

REQUEST = struct.Struct("<I?")
ANSWER = struct.Struct("<cI")
PROGRESS = struct.Struct("<Q")

READY = b"+"
UNUSABLE = b"!"
ALL = b"="
"""Every word escaped, joined by NUL."""
EACH = b"*"
"""A list of <tag, length> and bytes, one a word: OK or the tag of what went wrong."""
OK = b"o"
RAISES = b"r"
RETURNS = b"t"
VARIES = b"v"
NUL = b"0"
PRINTED = b"p"
"""Follows ALL or EACH: what was written to stdout or stderr meanwhile, at most MAX_PRINTED bytes; mostly none."""

MAX_PRINTED = 200

Escape = Callable[[str], object]


def main(target: str, requests: BinaryIO, answers: BinaryIO, progress: mmap.mmap, printed: int) -> None:
    escape = _found(target, answers)
    if escape is None:
        return
    _printed(printed)
    answers.write(ANSWER.pack(READY, 0))
    answers.flush()
    while head := requests.read(REQUEST.size):
        length, twice = REQUEST.unpack(head)
        words = requests.read(length).decode("utf-8", "surrogateescape").split("\0")
        done = None if twice else _all(escape, words, progress)
        tag, body = (EACH, _each(escape, words, twice, progress)) if done is None else (ALL, done)
        answers.write(ANSWER.pack(tag, len(body)) + body)
        output = _printed(printed)
        answers.write(ANSWER.pack(PRINTED, len(output)) + output)
        answers.flush()


def _found(target: str, answers: BinaryIO) -> Escape | None:
    """The function, or None after the reason was told."""
    module, _, path = target.partition(":")
    try:
        found: object = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
        if callable(found):
            return found
        reason = f"is not callable but of type {type(found).__name__}"
    except BaseException as error:
        reason = f"can't be imported ({_told(error)})"
    answers.write(ANSWER.pack(UNUSABLE, len(reason.encode("utf-8", "replace"))) + reason.encode("utf-8", "replace"))
    answers.flush()
    return None


def _all(escape: Escape, words: list[str], progress: mmap.mmap) -> bytes | None:
    """The words escaped, or None where one was not: then each has to be looked at."""
    escaped = []
    step, place = PROGRESS.pack_into, progress
    try:
        for index, word in enumerate(words):
            step(place, 0, index)
            escaped.append(escape(word))
        joined = "\0".join(escaped)  # type: ignore[arg-type]
        if joined.count("\0") == len(words) - 1:
            return joined.encode("utf-8", "surrogateescape")
    except BaseException:
        pass
    return None


def _each(escape: Escape, words: list[str], twice: bool, progress: mmap.mmap) -> bytes:
    out = bytearray()
    for index, word in enumerate(words):
        PROGRESS.pack_into(progress, 0, index)
        tag, body = one(escape, word)
        if twice and tag == OK and one(escape, word) != (tag, body):
            tag = VARIES
        out += ANSWER.pack(tag, len(body)) + body
    return bytes(out)


def one(escape: Escape, word: str) -> tuple[bytes, bytes]:
    """The tag and the bytes for a single word."""
    try:
        escaped = escape(word)
    except BaseException as error:
        return RAISES, _told(error).encode("utf-8", "replace")
    if not isinstance(escaped, str):
        return RETURNS, type(escaped).__name__.encode("utf-8", "replace")
    try:
        body = escaped.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return RETURNS, b"str that holds a lone surrogate"
    return (NUL if b"\0" in body else OK), body


def _told(error: BaseException) -> str:
    """Type and message in one line; a message that can't be had is left out."""
    message = ""
    with contextlib.suppress(Exception):
        message = " ".join(str(error).split())[:MAX_PRINTED]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _printed(file: int) -> bytes:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    size = os.fstat(file).st_size
    if not size:
        return b""
    output = os.pread(file, MAX_PRINTED, 0)
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    return output or b" "


def _die_with(lifeline: int) -> None:
    """The kernel's SIGIO ends this process when the other end of a pipe is closed, whatever it is doing then."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


if __name__ == "__main__":
    requests, answers, lifeline, progress = map(int, sys.argv[2:6])
    _die_with(lifeline)
    # As with `python -m`: what the user's cwd holds comes first, and nothing of ours can be imported by accident.
    sys.path[0] = os.getcwd()
    capture = os.memfd_create("printed")
    for stream in (1, 2):
        os.dup2(capture, stream)
    for text in (sys.stdout, sys.stderr):
        # A function that prints shall not fail because of what it prints.
        text.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    target = sys.argv[1]
    sys.argv = [target]
    main(
        target,
        os.fdopen(requests, "rb"),
        os.fdopen(answers, "wb"),
        mmap.mmap(progress, mmap.PAGESIZE),
        capture,
    )
