"""Docker Compose: the reply in a `command:` list, after Compose has replaced variables. A model; no container runs
here."""

from __future__ import annotations

import re
from types import MappingProxyType

from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes

# Compose asks for letters in either case, and so gets the two others that fold to s and k.
_NAME = re.compile("[_a-zA-Z\u017f\u212a][_a-zA-Z0-9\u017f\u212a]*")
_OPERATOR = re.compile(":?[-+?]")
MAX_DEPTH = 50
"""How many defaults may hold one another: each level reads its text once more."""


class ComposeModel(Boundary):
    """A model of `command: ["bash", "-c", R]` in a compose file. `$NAME` and `${NAME}` are replaced from Compose's
    own environment, unset ones by nothing, in `${NAME-x}`, `${NAME:-x}`, `${NAME+x}` by what they say, and
    `${NAME?x}` ends it; `$$` is a dollar; a brace behind a dollar that begins none of these is an invalid
    interpolation, and the file is refused; any other dollar stays as it is, which Compose before 2 refused. It
    owns the dollar, and can't carry a NUL or bytes that are not UTF-8. The environment of the model is empty.
    Source: the Compose Specification, 12-interpolation; compared with `docker-compose config` 2.26.1."""

    name = "compose-model"
    summary = 'command: ["bash", "-c", R] in a compose file (model)'
    owns = "dollar"
    cannot_carry = "NUL; bytes that are not UTF-8; more than 50 defaults inside one another"
    witness = b'for i in a b; do echo "item $i"; done'
    faithful = False
    starts_shell = False
    rules = MappingProxyType({ord("$"): "begins a variable of Compose, or is half of a dollar"})

    def inert(self, text: bytes, offset: int) -> bool:
        before, after = text[max(0, offset - 1) : offset], text[offset + 1 :].decode("utf-8", "replace")[:1]
        return before != b"$" and after not in ("$", "{") and not _NAME.match(after)

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "a compose file")
        if refusal is not None:
            return refusal
        try:
            return _interpolated(text.decode("utf-8")).encode("utf-8")
        except _Deep:
            return Refusal(self.name, text.index(b"${"), f"more than {MAX_DEPTH} defaults inside one another")
        except ValueError as error:
            return Rejection(self.name, str(error))

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"$", b"$$")

    def disclosure(self) -> str:
        return (
            "R is an argument of `command:` in a compose file: Compose replaces variables in it, and then bash runs it."
        )


class _Deep(Exception):
    """Defaults are inside one another deeper than is read."""


def _interpolated(text: str, depth: int = 0) -> str:
    """Raises ValueError as Compose reports an error. A default may hold variables again."""
    if depth > MAX_DEPTH:
        raise _Deep
    parts: list[str] = []
    place = 0
    while (dollar := text.find("$", place)) >= 0:
        parts.append(text[place:dollar])
        name = _NAME.match(text, dollar + 1)
        if text.startswith("$", dollar + 1):
            parts.append("$")
            place = dollar + 2
        elif name:
            place = name.end()
        elif text.startswith("{", dollar + 1):
            value, place = _braced(text, dollar, depth)
            parts.append(value)
        else:
            parts.append("$")
            place = dollar + 1
    return "".join([*parts, text[place:]])


def _braced(text: str, dollar: int, depth: int) -> tuple[str, int]:
    """The value of the `${...}` at `dollar`, and where it ends."""
    name = _NAME.match(text, dollar + 2)
    if name is None:
        raise ValueError(f"invalid interpolation format at character {dollar}")
    if text.startswith("}", name.end()):
        return "", name.end() + 1
    operator = _OPERATOR.match(text, name.end())
    line = text.find("\n", dollar)
    last = text.rfind("}", name.end(), len(text) if line < 0 else line)
    if operator is None or last < operator.end():
        raise ValueError(f"invalid interpolation format at character {dollar}")
    end = _closing(text, dollar, last)
    value = _interpolated(text[operator.end() : end], depth + 1)
    if operator.group().endswith("?"):
        raise ValueError(f"required variable {name.group()} is missing a value: {value}")
    # Nothing is set, so that a default is used and a replacement is not.
    return (value if operator.group().endswith("-") else ""), end + 1


def _closing(text: str, place: int, last: int) -> int:
    """Where the brace closes that is open behind `place`: braces are counted, the character behind an open one is
    passed over, and where they do not pair it is the last one of the line."""
    opened = 0
    while place <= last:
        if text[place] == "}":
            opened -= 1
            if not opened:
                return place
        elif text[place] == "{":
            opened += 1
            place += 1
        place += 1
    return last


BOUNDARIES: tuple[Boundary, ...] = (ComposeModel(),)
