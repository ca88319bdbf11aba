"""Several askers of the same function, one a thread at a time."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol

from qfuzz.escape.faults import MOST_BYTES, EscapeFault, FaultKind, first_fault


def as_bytes(word: str) -> bytes:
    """The bytes of a word: UTF-8, and of a lone surrogate the byte that it stands for."""
    return word.encode("utf-8", "surrogateescape")


def as_text(word: bytes) -> str:
    """The other way round."""
    return word.decode("utf-8", "surrogateescape")


class Escaper(Protocol):
    """What escapes words: an EscapeWorker, or anything with its manners."""

    target: str
    warning: EscapeFault | None

    def escape(self, words: Sequence[bytes], *, twice: bool = False, stop: bool = False) -> list[bytes | EscapeFault]:
        """A whole answer or a fault for each word, up to the first fault if `stop`."""

    def close(self) -> None:
        """Ends what it started."""


class Askers:
    """`count` escapers, each made when it is first needed. Closing it closes them; escapes in flight fail then."""

    def __init__(self, make: Callable[[], Escaper], count: int) -> None:
        self._make = make
        self._free: queue.LifoQueue[Escaper | None] = queue.LifoQueue()
        first = make()
        self.target = first.target
        self._all = [first]
        for _ in range(count - 1):
            self._free.put(None)
        self._free.put(first)
        self._warned = False

    def escape(self, words: Sequence[str], *, twice: int = 0, stop: bool = False) -> list[bytes | EscapeFault]:
        """Answers for all words, or up to the first fault if `stop`; the first `twice` words are asked two times.

        May be called from any thread.
        """
        if not words:
            return []
        encoded = list(map(as_bytes, words))
        escaper = self._free.get()
        try:
            if escaper is None:
                escaper = self._make()
                self._all.append(escaper)
            answers = escaper.escape(encoded[:twice], twice=True, stop=stop) if twice else []
            if len(encoded) > twice and not (stop and first_fault(answers) is not None):
                answers = [*answers, *escaper.escape(encoded[twice:], stop=stop)]
        finally:
            self._free.put(escaper)
        return [
            self._too_long(word, len(answer)) if isinstance(answer, bytes) and len(answer) > MOST_BYTES else answer
            for word, answer in zip(encoded, answers, strict=False)
        ]

    def _too_long(self, word: bytes, length: int) -> EscapeFault:
        return EscapeFault(self.target, word, FaultKind.FLOODS, f"answers with {length} bytes, more than {MOST_BYTES},")

    def warnings(self) -> list[EscapeFault]:
        """What an escaper did besides, once for all."""
        if self._warned:
            return []
        warnings = [escaper.warning for escaper in self._all if escaper.warning is not None][:1]
        self._warned = bool(warnings)
        return warnings

    def close(self) -> None:
        for escaper in self._all:
            escaper.close()

    def __enter__(self) -> Askers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
