"""A program of the user's that runs the reply itself: an agent's tool, a harness, a client with its server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qfuzz.bash.quote import printable_word
from qfuzz.model.content import sha256_hex
from qfuzz.model.delivery import Launch, OwnRun, Refusal, SideFile
from qfuzz.own.boundary import OwnBoundary
from qfuzz.own.placeholders import Pattern
from qfuzz.own.specs import HERE, REPLY, REPLY_FILE, BoxSpec
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES

_DIRECTORY = b"/run/qfuzz/in/"
_ENV = b"/usr/bin/env"


class BlackBox(OwnBoundary):
    """Nothing is known of it but what its processes do. Everything runs in the jail, with the reply."""

    runs_reply = True

    def __init__(self, spec: BoxSpec) -> None:
        super().__init__(spec.common)
        self._spec = spec
        self.shell = spec.shell
        if spec.shell != "bash":
            self.arrival_note = "another shell reads the text, by other rules"
        self._by_argument = any(word.count(REPLY) for word in spec.command)
        self._by_file = any(word.count(REPLY_FILE) for word in spec.command)
        limit = f"; more than {MAX_ARGUMENT_BYTES:,} bytes in an argument" if self._by_argument else ""
        self.cannot_carry = f"NUL{limit}"

    def embed(self, text: bytes) -> Launch | Refusal:
        if b"\0" in text:
            return Refusal(self.name, text.index(0), "no shell program holds a NUL")
        path = _DIRECTORY + sha256_hex(text)[:16].encode() + b".reply"
        words = self._words(self._spec.command, {REPLY: text, REPLY_FILE: path})
        longest = max(words, key=len)
        if len(longest) > MAX_ARGUMENT_BYTES:
            most = max(0, MAX_ARGUMENT_BYTES - (len(longest) - len(text)))
            return Refusal(self.name, most, f"an argument can't be longer than {MAX_ARGUMENT_BYTES} bytes")
        environment = self._words(self._spec.environment)
        own = OwnRun(
            box=True,
            rejects=self._spec.rejects,
            service=(*environment, *service) if (service := self._words(self._spec.service)) else (),
            ready=(*environment, *ready) if (ready := self._words(self._spec.ready)) else (),
            ready_seconds=self._spec.ready_seconds,
        )
        return Launch(
            _ENV,
            (b"env", *environment, *words),
            text,
            stdin=text if self._spec.stdin else None,
            files=(SideFile(path, text),) if self._by_file else (),
            own=own,
        )

    def _words(self, patterns: Sequence[Pattern], values: Mapping[str, bytes] | None = None) -> tuple[bytes, ...]:
        here = {HERE: str(self._spec.common.folder).encode("utf-8", "surrogateescape")}
        return tuple(pattern.fill({**here, **(values or {})}) for pattern in patterns)

    def reproduction(self, text: bytes) -> bytes:
        words = self._words(self._spec.command, {REPLY: text, REPLY_FILE: b"reply.sh"})
        command = b" ".join(map(printable_word, (*self._words(self._spec.environment), *words)))
        if self._spec.environment:
            command = b"env " + command
        written = b"printf %s " + printable_word(text)
        if self._spec.stdin:
            return written + b" | " + command
        return written + b" > reply.sh; " + command if self._by_file else command

    def disclosure(self) -> str:
        return f"R is run by the program `{self._spec.common.summary}`."
