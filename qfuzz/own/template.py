"""A line that bash reads, with the reply in one place of it: what a harness builds that makes command lines as text."""

from __future__ import annotations

import threading

from qfuzz.bash.scan import Context, contexts
from qfuzz.escape.faults import EscapeFault
from qfuzz.escape.worker import EscapeWorker
from qfuzz.model.delivery import Refusal
from qfuzz.model.errors import PathError
from qfuzz.own.boundary import OwnBoundary
from qfuzz.own.specs import IN_TEMPLATE, TemplateSpec
from qfuzz.transports.base import Boundary
from qfuzz.transports.nested import Nested, Single

_KEPT = 4_096


class Escaper:
    """An escaping function, asked once for each text. May be used from several threads; starts when it is first asked.

    Raises TargetError where the function can't be had at all.
    """

    def __init__(self, spec: TemplateSpec) -> None:
        self._spec = spec
        self._lock = threading.Lock()
        self._worker: EscapeWorker | None = None
        self._known: dict[bytes, bytes | EscapeFault] = {}

    def escape(self, text: bytes) -> bytes:
        """The escaped text; raises PathError where the function does anything else than to return one."""
        with self._lock:
            if text not in self._known:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known[text] = self._asked(text)
            answer = self._known[text]
        if isinstance(answer, EscapeFault):
            raise PathError(f"the escaping function {answer.line}", where=self._spec.common.name)
        return answer

    def start(self) -> None:
        """Have the function imported, if it is not yet."""
        with self._lock:
            self._started()

    def _started(self) -> EscapeWorker:
        if self._worker is None:
            assert self._spec.escape is not None, "made for a function"
            self._worker = EscapeWorker(self._spec.escape, cwd=self._spec.common.folder)
        return self._worker

    def _asked(self, text: bytes) -> bytes | EscapeFault:
        worker = self._started()
        worker.warning = None
        answer = worker.escape([text], twice=True)[0]
        return answer if worker.warning is None else worker.warning

    def close(self) -> None:
        """Ends the child process."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None


_PLACEHOLDER = b"x"


def _quotes_around(spec: TemplateSpec) -> Boundary | None:
    """A boundary of ours whose rules hold for a reply that stands as it is between quotes, alone in them."""
    line = spec.template.fill({IN_TEMPLATE: _PLACEHOLDER})
    place = spec.template.fill({IN_TEMPLATE: b"\0"}).index(b"\0")
    around = line[max(0, place - 1) : place] + line[place + 1 : place + 2]
    context = contexts(line).context(place)
    if context is Context.DOUBLE and around == b'""':
        return Nested()
    return Single() if context is Context.SINGLE and around == b"''" else None


class Template(OwnBoundary):
    """A line of the user's; `escaper` None puts the reply in as it is.

    Then, where the line itself puts quotes around the reply, the rules of these quotes are known.
    """

    cannot_carry = "NUL"

    def __init__(self, spec: TemplateSpec, escaper: Escaper | None) -> None:
        super().__init__(spec.common)
        self._spec = spec
        self._escaper = escaper
        self._quotes = _quotes_around(spec) if escaper is None and not self.faithful else None
        if self._quotes is not None:
            self.rules = self._quotes.rules
            self.owns = self._quotes.owns

    def require(self) -> None:
        """Raises TargetError, too, where the escaping function can't be had."""
        super().require()
        if self._escaper is not None:
            self._escaper.start()

    def embed(self, text: bytes) -> bytes | Refusal:
        if b"\0" in text:
            return Refusal(self.name, text.index(0), "a command line can't hold a NUL")
        escaped = text if self._escaper is None else self._escaper.escape(text)
        return self._spec.template.fill({IN_TEMPLATE: escaped})

    def inert(self, text: bytes, offset: int) -> bool:
        return self._quotes is not None and self._quotes.inert(text, offset)

    def armor(self, program: bytes) -> bytes | None:
        if self._quotes is not None:
            return self._quotes.armor(program)
        return program if self.faithful else None

    def disclosure(self) -> str:
        line = self._spec.template.fill({IN_TEMPLATE: b"R"}).decode()
        how = "as it is" if self._escaper is None else "after a function of the caller's has escaped it"
        return f"R is put, {how}, into the command line `{line}`, which bash reads."
