"""Go's text/template, in a model: docker and kubectl output formats, Helm, consul-template.

No program that Debian carries renders a plain Go template, so this follows the package's rules: what is not between
`{{` and `}}` is copied, comments vanish, `{{-` and `-}}` trim blanks, constants print themselves, a field of empty
data prints `<no value>`, a name that is no function is an error. What would have to be evaluated is refused."""

from __future__ import annotations

import re
from types import MappingProxyType

from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes

_BLANKS = b" \t\r\n"
_FUNCTIONS = frozenset(
    b"and or not len index slice print printf println html js call urlquery eq ne lt le gt ge "
    b"if else end range with define template block break continue nil true false".split()
)
_FIELDS = re.compile(rb"(\.[A-Za-z_]\w*)+\Z|\.\Z")
_STRING = re.compile(rb'"((?:[^"\\\n])*)"\Z|`([^`]*)`\Z')
_NAME = re.compile(rb"[A-Za-z_]\w*")
NO_VALUE = b"<no value>"


class GoTemplateModel(Boundary):
    """A model of Go's text/template with empty data: `docker ps --format`, `kubectl -o go-template`, Helm charts.
    Two braces begin an action and two end it. It owns `{{` and can't carry a NUL, bytes that are not UTF-8, nor
    actions that have to be evaluated. Source: Go's package text/template, Actions, Text and spaces, Arguments;
    compared with that package of Go 1.24."""

    name = "go-template-model"
    summary = "the reply as a Go template with empty data (model)"
    owns = "{{"
    cannot_carry = "NUL; bytes that are not UTF-8; actions to evaluate"
    witness = b"printf '%s\\n' 'name={{.Names}}'"
    faithful = False
    starts_shell = False
    rules = MappingProxyType({ord("{"): "begins an action of a Go template, before another brace"})
    missing = NO_VALUE

    def inert(self, text: bytes, offset: int) -> bool:
        return text[offset + 1 : offset + 2] != b"{"

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        return refuse_bytes(self.name, text, "a template") or self._render(text)

    def _render(self, text: bytes) -> bytes | Refusal | Rejection:
        parts: list[bytes] = []
        place = 0
        trim = False
        while True:
            begin = text.find(b"{{", place)
            copied = text[place:] if begin < 0 else text[place:begin]
            copied = copied.lstrip(_BLANKS) if trim else copied
            if begin < 0:
                return b"".join([*parts, copied])
            inside = begin + 2
            if text[inside : inside + 1] == b"-" and text[inside + 1 : inside + 2] in (b" ", b"\t", b"\r", b"\n"):
                copied = copied.rstrip(_BLANKS)
                inside += 2
            parts.append(copied)
            end = _end_of_action(text, inside)
            if end < 0:
                return Rejection(self.name, "unclosed action")
            body = text[inside:end]
            trim = len(body) > 1 and body.endswith(b"-") and body[-2:-1] in (b" ", b"\t", b"\r", b"\n")
            printed = self._print(body.removesuffix(b"-") if trim else body, begin)
            if not isinstance(printed, bytes):
                return printed
            parts.append(printed)
            place = end + 2

    def _print(self, body: bytes, begin: int) -> bytes | Refusal | Rejection:
        if body.startswith(b"/*"):
            return b""
        action = body.strip(_BLANKS)
        if not action:
            return Rejection(self.name, "missing value for command")
        if _FIELDS.match(action):
            return self.missing if action != b"." else b"map[]"
        constant = _STRING.match(action)
        if constant:
            return next(group for group in constant.groups() if group is not None)
        name = _NAME.match(action)
        if name and name.group() not in _FUNCTIONS:
            return Rejection(self.name, f"function {name.group().decode()!r} not defined")
        if name or action[:1] in b"($\"'`.0123456789+-":
            return Refusal(self.name, begin, "this action would have to be evaluated")
        return Rejection(self.name, f"unexpected {action[:1].decode('latin-1')!r} in command")

    def shield(self, one: bytes) -> bytes:
        return b'{{"' + one + b'"}}'

    def armor(self, program: bytes) -> bytes:
        parts = []
        for offset, byte in enumerate(program):
            one = bytes([byte])
            parts.append(one if byte not in self.rules or self.inert(program, offset) else self.shield(one))
        return b"".join(parts)

    def disclosure(self) -> str:
        return "R is a Go template, rendered with empty data, and bash runs what comes out."


def _end_of_action(text: bytes, inside: int) -> int:
    """Where the `}}` of an action stands, strings and comments being passed over; -1 where it is missing."""
    if text.startswith(b"/*", inside):
        end = text.find(b"*/", inside + 2)
        closing = re.compile(rb"(\s-)?\}\}").match(text, end + 2) if end >= 0 else None
        return -1 if closing is None else closing.end() - 2
    quoted = re.compile(rb'"(?:[^"\\\n]|\\.)*"|`[^`]*`|\'(?:[^\'\\\n]|\\.)*\'|(\}\})|[^}"`\']+|.', re.DOTALL)
    for match in quoted.finditer(text, inside):
        if match.group(1):
            return match.start()
        if match.group() in (b'"', b"`", b"'"):
            return -1
    return -1


BOUNDARIES: tuple[Boundary, ...] = (GoTemplateModel(),)
