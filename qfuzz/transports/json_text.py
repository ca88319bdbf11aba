"""JSON: the command travels as a string value of an object. Grammar: RFC 8259; a real parser reads it back."""

from __future__ import annotations

import json
from types import MappingProxyType

from qfuzz.bash.quote import printable_word, single
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_not_utf8, refuse_nul

_KEY = "command"


def _refuse(boundary: str, text: bytes) -> Refusal | None:
    """JSON is text: bytes that are not UTF-8 have no place in it (RFC 8259, section 8.1). NUL has, escaped."""
    return refuse_not_utf8(boundary, text, "JSON")


def _parse(boundary: str, document: str) -> bytes | Rejection:
    try:
        value = json.loads(document)
    except json.JSONDecodeError as error:
        return Rejection(boundary, f"{error.msg.removesuffix(' at')} at character {error.pos}")
    except ValueError as error:
        # Python's own bound on the digits of a number.
        return Rejection(boundary, str(error))
    except RecursionError:
        return Rejection(boundary, "nested too deeply")
    command = value.get(_KEY) if isinstance(value, dict) else None
    if not isinstance(command, str):
        return Rejection(boundary, f"no string under the key {_KEY!r}")
    try:
        decoded = command.encode("utf-8")
    except UnicodeEncodeError as error:
        return Rejection(boundary, f"a lone surrogate at character {error.start} of the command")
    if b"\0" in decoded:
        return Rejection(boundary, "the decoded command holds a NUL, which no shell program can")
    return decoded


class JsonNaive(Boundary):
    """The reply pasted into `{"command": "R"}` and parsed strictly: string building where a serializer belongs. It
    owns the double quote, the backslash and control characters, and can't carry bytes that are not UTF-8.
    Source: RFC 8259, section 7; Python's json reads it."""

    name = "json-naive"
    summary = 'the reply pasted into {"command": "R"}, parsed strictly'
    owns = "double quote, backslash, control characters such as newline and tab"
    cannot_carry = "bytes that are not UTF-8"
    witness = b'echo "a  b"'
    faithful = False
    starts_shell = False
    rules = MappingProxyType(
        {
            **dict.fromkeys(range(32), "a control character, which a JSON string can't hold"),
            ord('"'): "ends the JSON string around the reply",
            ord("\\"): "starts an escape in a JSON string",
        }
    )

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = _refuse(self.name, text)
        return refusal or _parse(self.name, f'{{"{_KEY}": "{text.decode("utf-8")}"}}')

    def reproduction(self, text: bytes) -> bytes:
        script = b"import json, os, sys; c = json.loads(sys.argv[1])['command']; os.execvp('bash', ['bash', '-c', c])"
        document = b'{"' + _KEY.encode() + b'": "' + text + b'"}'
        return b" ".join((b"python3 -c", single(script), printable_word(document)))

    def armor(self, program: bytes) -> bytes | None:
        if _refuse(self.name, program):
            return None
        return json.dumps(program.decode("utf-8"), ensure_ascii=False)[1:-1].encode("utf-8")

    def disclosure(self) -> str:
        return (
            'R is pasted, as it is, into the JSON text `{"command": "R"}`. A strict parser reads that text, and the '
            "decoded value of command is run by bash. Nothing escapes R for you."
        )


class Json(Boundary):
    """The reply written by a JSON serializer and read by a JSON parser: how a tool call should travel. It owns
    nothing, and can't carry a NUL or bytes that are not UTF-8. Source: RFC 8259; Python's json writes and reads
    it."""

    name = "json"
    summary = 'the reply serialized into {"command": ...} and parsed'
    owns = "nothing"
    cannot_carry = "NUL; bytes that are not UTF-8"
    witness = None
    faithful = True
    starts_shell = False

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse_nul(self.name, text) or _refuse(self.name, text)
        return refusal or _parse(self.name, json.dumps({_KEY: text.decode("utf-8")}))

    def armor(self, program: bytes) -> bytes | None:
        return None if _refuse(self.name, program) else program

    def disclosure(self) -> str:
        return "R is serialized into a JSON object and parsed again by a library, and bash gets exactly R."


BOUNDARIES: tuple[Boundary, ...] = (JsonNaive(), Json())
