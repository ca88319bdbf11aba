"""Asks an escaping program: words on its standard input, escaped words on its standard output, each ended by NUL.

One process answers for all words. It has to answer what it was sent without waiting for the end of its input, in order,
once a word; a batch may be sent at once. It ends when its input does.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

from qfuzz.escape.faults import MOST_BYTES, MOST_HANGS, EscapeFault, FaultKind, TargetError, first_fault, given_up
from qfuzz.escape.process import FloodError, GoneError, Process, SilentError

_NUL = b"\0"

FLOOD_BYTES = 4 << 20
"""What one word may be answered with at most; a batch may have a little more for each of its words."""


class CommandWorker:
    """Has the manners of EscapeWorker. `command` is a program and its arguments, `target` what faults call it.

    It runs on the host, as the user, in the working directory. Raises TargetError where it can't be started.
    """

    def __init__(self, target: str, command: Sequence[str], timeout_seconds: float = 5.0) -> None:
        assert timeout_seconds > 0, f"timeout of {timeout_seconds} s"
        self.target = target
        self.warning: EscapeFault | None = None
        """Never: complaints on standard error are what programs have it for."""
        self._command = list(command)
        self._timeout_seconds = timeout_seconds
        self._hangs = 0
        self._process = self._started()

    def escape(self, words: Sequence[bytes], *, twice: bool = False, stop: bool = False) -> list[bytes | EscapeFault]:
        """The escaped words, in their order; a fault in place of each that was not escaped.

        `twice` asks two times for each word and makes a difference a fault. `stop` ends the answers with the first
        fault. Words must hold no NUL. Raises InputError where the program hangs again and again.
        """
        answers = self._escape(words, stop)
        if twice:
            again = self._escape(words[: len(answers)], stop)
            answers = [self._equal(*each) for each in zip(words, answers, again, strict=False)]
        at = first_fault(answers) if stop else None
        return answers if at is None else answers[: at + 1]

    def _equal(self, word: bytes, one: bytes | EscapeFault, other: bytes | EscapeFault) -> bytes | EscapeFault:
        if one == other or isinstance(one, EscapeFault):
            return one
        return EscapeFault(self.target, word, FaultKind.VARIES, "does not answer the same twice")

    def _escape(self, words: Sequence[bytes], stop: bool) -> list[bytes | EscapeFault]:
        answers: list[bytes | EscapeFault] = []
        while len(answers) < len(words) and not (stop and first_fault(answers) is not None):
            answers += self._some(words[len(answers) :])
        return answers

    def _some(self, words: Sequence[bytes]) -> list[bytes | EscapeFault]:
        """Answers for some first words, at least one: where the program fails, up to the word that made it fail."""
        batch = self._ask(words)
        if not isinstance(batch, EscapeFault):
            return [*batch]
        if len(words) == 1:
            return [batch]
        # How far it came is not known: what it had not written out yet is lost.
        answers: list[bytes | EscapeFault] = []
        for word in words:
            answer = self._ask([word])
            if isinstance(answer, EscapeFault):
                return [*answers, answer]
            answers += answer
        return answers

    def _ask(self, words: Sequence[bytes]) -> list[bytes] | EscapeFault:
        """Answers for all words, or what happened instead, said of the first word. Ready for more in either case."""
        try:
            request = _NUL.join([*words, b""])
            most = FLOOD_BYTES + len(words) * MOST_BYTES // 100
            answer = self._process.exchange(request, _ended(len(words)), self._timeout_seconds, most)
        except SilentError:
            said = f"does not answer in {self._timeout_seconds:g} s (an answer has to be written out at once)"
            return self._failed(words[0], FaultKind.HANGS, said)
        except FloodError:
            return self._failed(words[0], FaultKind.FLOODS, "answers without end")
        except GoneError as gone:
            return self._failed(words[0], FaultKind.DIES, str(gone))
        if self._process.unasked():
            return self._failed(words[0], FaultKind.NUL, "writes more than one answer")
        return answer[:-1].split(_NUL)

    def _failed(self, word: bytes, kind: FaultKind, detail: str) -> EscapeFault:
        self._process.close()
        self._process = self._started()
        fault = EscapeFault(self.target, word, kind, detail)
        self._hangs += kind is FaultKind.HANGS
        if self._hangs >= MOST_HANGS:
            raise given_up(fault)
        return fault

    def _started(self) -> Process:
        if shutil.which(self._command[0]) is None:
            raise TargetError("no such program", where=self._command[0])
        try:
            return Process(self._command)
        except OSError as error:
            raise TargetError(f"can't be started ({error.strerror})", where=self._command[0]) from None

    def close(self) -> None:
        """Ends the program. May be called again."""
        self._process.close()


def _ended(count: int) -> Callable[[bytearray], int]:
    """The length of the first `count` answers in a buffer, or 0 while they are not all there."""
    seen = found = 0

    def length(buffer: bytearray) -> int:
        nonlocal seen, found
        found += buffer.count(0, seen)
        seen = len(buffer)
        if found < count:
            return 0
        surplus, end = found - count, len(buffer)
        for _ in range(surplus + 1):
            end = buffer.rindex(0, 0, end)
        return end + 1

    return length
