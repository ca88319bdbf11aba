"""Asks a function object of this very process. Nothing guards it: if it hangs, so does the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qfuzz.escape import child
from qfuzz.escape.faults import EscapeFault
from qfuzz.escape.worker import fault_of


class FunctionEscaper:
    """The manners of EscapeWorker, without a child process: for functions that no other process can import by name.

    What the function prints goes where the caller's output goes. Not for several threads.
    """

    def __init__(self, function: Callable[[str], object]) -> None:
        name = getattr(function, "__qualname__", "") or repr(function)
        self.target = f"{getattr(function, '__module__', '') or '?'}:{name}"
        self.warning: EscapeFault | None = None
        self._function = function

    def escape(self, words: Sequence[bytes], *, twice: bool = False, stop: bool = False) -> list[bytes | EscapeFault]:
        answers: list[bytes | EscapeFault] = []
        for word in words:
            answers.append(self._one(word, twice))
            if stop and isinstance(answers[-1], EscapeFault):
                break
        return answers

    def _one(self, word: bytes, twice: bool) -> bytes | EscapeFault:
        text = word.decode("utf-8", "surrogateescape")
        tag, body = child.one(self._function, text)
        if twice and tag == child.OK and child.one(self._function, text) != (tag, body):
            tag = child.VARIES
        return body if tag == child.OK else fault_of(self.target, word, tag, body)

    def close(self) -> None:
        """Nothing was started."""
