"""Docker Compose: the reply in a `command:` list, after Compose has replaced variables. A model; no container runs
here."""

from __future__ import annotations

import re
from types import MappingProxyType

from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes

_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_OPERATOR = re.compile(rb":?[-?+]")


class ComposeModel(Boundary):
    """A model of `command: ["bash", "-c", R]` in a compose file. `$NAME` and `${NAME}` with its defaults are
    replaced from Compose's own environment, unset ones by nothing; `$$` is a dollar; any other dollar is an
    invalid interpolation, and the file is refused. It owns the dollar, and can't carry a NUL or bytes that are
    not UTF-8. The environment of the model is empty. Source: the Compose Specification, 12-interpolation; the
    pattern of compose-go's template package."""

    name = "compose-model"
    summary = 'command: ["bash", "-c", R] in a compose file (model)'
    owns = "dollar"
    cannot_carry = "NUL; bytes that are not UTF-8"
    witness = b'for i in a b; do echo "item $i"; done'
    faithful = False
    starts_shell = False
    rules = MappingProxyType({ord("$"): "begins a variable of Compose, or is an invalid one"})

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "a compose file")
        if refusal is not None:
            return refusal
        try:
            return _interpolated(text)
        except ValueError as error:
            return Rejection(self.name, str(error))

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"$", b"$$")

    def disclosure(self) -> str:
        return (
            "R is an argument of `command:` in a compose file: Compose replaces variables in it, and then bash runs it."
        )


def _interpolated(text: bytes, depth: int = 0) -> bytes:
    """Raises ValueError as Compose reports an error. A default may hold variables again."""
    parts: list[bytes] = []
    place = 0
    while (dollar := text.find(b"$", place)) >= 0:
        parts.append(text[place:dollar])
        following = text[dollar + 1 : dollar + 2]
        name = _NAME.match(text, dollar + 1)
        if following == b"$":
            parts.append(b"$")
            place = dollar + 2
        elif name:
            place = name.end()
        elif following == b"{":
            value, place = _braced(text, dollar + 2, depth)
            parts.append(value)
        else:
            raise ValueError(f"invalid interpolation format at byte {dollar}")
    return b"".join([*parts, text[place:]])


def _braced(text: bytes, place: int, depth: int) -> tuple[bytes, int]:
    """The value of `${...}`, whose content begins at `place`, and where it ends."""
    invalid = ValueError(f"invalid interpolation format at byte {place - 2}")
    name = _NAME.match(text, place)
    if name is None or depth > 20:
        raise invalid
    end = _closing(text, name.end())
    if end < 0:
        raise invalid
    if end == name.end():
        return b"", end + 1
    operator = _OPERATOR.match(text, name.end())
    if operator is None:
        raise invalid
    rest = text[operator.end() : end]
    if operator.group().endswith(b"?"):
        shown = name.group().decode()
        raise ValueError(f"required variable {shown} is missing a value: {rest.decode('utf-8', 'replace')}")
    # Nothing is set, so that a default is used and a replacement is not.
    return (_interpolated(rest, depth + 1) if operator.group().endswith(b"-") else b""), end + 1


def _closing(text: bytes, place: int) -> int:
    """Where the brace closes that is open at `place`; -1 where it does not."""
    opened = 0
    for match in re.finditer(rb"\$\{|\}|\n", text[place:]):
        if match.group() == b"${":
            opened += 1
        elif match.group() == b"\n":
            return -1
        elif not opened:
            return place + match.start()
        else:
            opened -= 1
    return -1


BOUNDARIES: tuple[Boundary, ...] = (ComposeModel(),)
