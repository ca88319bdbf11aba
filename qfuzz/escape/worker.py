"""Asks an escaping function or program for many words at a time, and survives whatever it does.

    with EscapeWorker("shlex:quote") as worker:
        answers = worker.escape([b"a b", b"$x"])      # bytes each, or an EscapeFault

The function or program is the user's own and runs on the host, as the user. What it answers is a hostile text: it goes
to a shell in a jail, and nowhere else.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from qfuzz.escape import child
from qfuzz.escape.faults import MOST_HANGS, EscapeFault, FaultKind, TargetError, first_fault, given_up
from qfuzz.escape.process import FloodError, GoneError, Process, SilentError

CHILD = Path(__file__).parent / "child.py"

START_SECONDS = 30.0
"""How long an import may take at least."""

FLOOD_BYTES = 256 << 20
"""The longest answer to a batch: what comes beyond is not even read."""

Escaped = bytes | EscapeFault

_TOLD = {
    child.RAISES: (FaultKind.RAISES, "raises {}"),
    child.RETURNS: (FaultKind.RETURNS, "returns {} instead of str"),
    child.NUL: (FaultKind.NUL, "returns a NUL, which no shell reads,"),
    child.VARIES: (FaultKind.VARIES, "does not answer the same twice"),
}


def fault_of(target: str, word: bytes, tag: bytes, body: bytes) -> EscapeFault:
    """The fault that an answer of the child's tells of."""
    kind, detail = _TOLD[tag]
    return EscapeFault(target, word, kind, detail.format(body.decode("utf-8", "backslashreplace")))


class EscapeWorker:
    """A Python function `module:function` (or `module:Class.method`), called in a child process.

    Its module is found as `python -m` finds one: the working directory comes first. Words are bytes here and `str` for
    the function: UTF-8, where bytes that are not UTF-8 become lone surrogates (surrogateescape), both ways.
    `timeout_seconds` is for one word. Raises TargetError where the function can't be had. Not for several threads.
    """

    def __init__(self, target: str, timeout_seconds: float = 5.0, *, cwd: Path | None = None) -> None:
        assert timeout_seconds > 0, f"timeout of {timeout_seconds} s"
        module, separator, name = target.partition(":")
        if not separator or not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
            raise TargetError("is not of the form pkg.module:function", where=target)
        self.target = target
        self.warning: EscapeFault | None = None
        """The first word for which it printed something, and what. Said once; the words count as escaped."""
        self._timeout_seconds = timeout_seconds
        self._hangs = 0
        self._cwd = None if cwd is None else str(cwd)
        self._progress_fd = os.memfd_create("progress")
        os.ftruncate(self._progress_fd, mmap.PAGESIZE)
        self._progress = mmap.mmap(self._progress_fd, mmap.PAGESIZE)
        self._process: Process | None = None
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def escape(self, words: Sequence[bytes], *, twice: bool = False, stop: bool = False) -> list[Escaped]:
        """The escaped words, in their order; a fault in place of each that was not escaped.

        `twice` calls the function two times for each word and makes a difference a fault. `stop` ends the answers with
        the first fault. Words must hold no NUL. Raises InputError where the function hangs again and again.
        """
        answers: list[Escaped] = []
        while len(answers) < len(words):
            answers += self._some(words[len(answers) :], twice)
            at = first_fault(answers) if stop else None
            if at is not None:
                return answers[: at + 1]
        return answers

    def _some(self, words: Sequence[bytes], twice: bool) -> list[Escaped]:
        """Answers for some first words, at least one: where the process is lost, up to the word that did it."""
        try:
            return self._ask(words, twice)
        except SilentError:
            kind, detail = FaultKind.HANGS, f"does not answer in {self._timeout_seconds:g} s"
        except GoneError as gone:
            kind, detail = FaultKind.DIES, f"ends its process ({gone})"
        except FloodError:
            kind, detail = FaultKind.FLOODS, "answers without end"
        at = min(self._at(), len(words) - 1)
        self._start()
        fault = EscapeFault(self.target, words[at], kind, detail)
        self._hangs += kind is FaultKind.HANGS
        if self._hangs >= MOST_HANGS:
            raise given_up(fault)
        # The answers before it were lost with the process; they are asked for again.
        return [*self.escape(words[:at], twice=twice), fault]

    def _ask(self, words: Sequence[bytes], twice: bool) -> list[Escaped]:
        self._progress[:] = bytes(len(self._progress))
        body = b"\0".join(words)
        assert body.count(b"\0") == len(words) - 1, "a word holds a NUL"
        tag, answer = self._exchange(child.REQUEST.pack(len(body), twice) + body, self._timeout_seconds)
        _, printed = self._exchange(b"", self._timeout_seconds)
        answers: list[Escaped] = [*answer.split(b"\0")] if tag == child.ALL else self._apart(words, answer)
        assert len(answers) == len(words), f"{len(answers)} answers for {len(words)} words"
        if printed and self.warning is None:
            self.warning = self._who_printed(words, printed)
        return answers

    def _who_printed(self, words: Sequence[bytes], printed: bytes) -> EscapeFault:
        said = printed.decode("utf-8", "backslashreplace").strip().split("\n")[0]
        fault = EscapeFault(self.target, words[0], FaultKind.PRINTS, f"prints {said!r}")
        if len(words) == 1:
            return fault
        self.warning = fault
        for word in words:
            self.warning = None
            self._some([word], False)
            if self.warning is not None:
                return self.warning
        return fault

    def _apart(self, words: Sequence[bytes], answer: bytes) -> list[Escaped]:
        answers: list[Escaped] = []
        offset = 0
        for word in words:
            tag, length = child.ANSWER.unpack_from(answer, offset)
            offset += child.ANSWER.size + length
            body = answer[offset - length : offset]
            answers.append(body if tag == child.OK else fault_of(self.target, word, tag, body))
        return answers

    def _exchange(self, request: bytes, silence_seconds: float) -> tuple[bytes, bytes]:
        assert self._process is not None, "the worker is closed"
        frame = self._process.exchange(request, _framed, silence_seconds, FLOOD_BYTES, self._at)
        tag, _ = child.ANSWER.unpack_from(frame)
        return tag, frame[child.ANSWER.size :]

    def _at(self) -> int:
        """The index of the word that is being escaped."""
        at: int = child.PROGRESS.unpack_from(self._progress)[0]
        return at

    def _start(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process = Process(
            [sys.executable, str(CHILD), self.target], cwd=self._cwd, descriptors=[self._progress_fd], hand=True
        )
        try:
            tag, reason = self._exchange(b"", max(START_SECONDS, self._timeout_seconds))
        except SilentError:
            raise TargetError(f"is not imported in {START_SECONDS:g} s", where=self.target) from None
        except GoneError as gone:
            raise TargetError(f"ends its process while it is imported ({gone})", where=self.target) from None
        if tag == child.UNUSABLE:
            raise TargetError(reason.decode("utf-8", "backslashreplace"), where=self.target)

    def close(self) -> None:
        """Ends the child process. May be called again."""
        if self._process is not None:
            self._process.close()
            self._process = None
        if not self._progress.closed:
            self._progress.close()
            os.close(self._progress_fd)

    def __enter__(self) -> EscapeWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _framed(buffer: bytearray) -> int:
    """The length of the whole answer that a buffer begins with, or 0."""
    if len(buffer) < child.ANSWER.size:
        return 0
    _, length = child.ANSWER.unpack_from(buffer)
    whole: int = child.ANSWER.size + length
    return whole if len(buffer) >= whole else 0
