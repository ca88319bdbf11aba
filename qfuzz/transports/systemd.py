"""A service of systemd, by the rules of unit files: a model, for no manager can run in the jail.

The order is that of the manager: the line is split into words (quotes and C escapes), specifiers of each word are
replaced, and when the service starts, variables of its environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long

SPECIFIERS: Mapping[bytes, bytes] = MappingProxyType(
    {
        b"%": b"%",
        b"a": b"x86-64",
        b"A": b"",
        b"b": b"00000000000000000000000000000001",
        b"B": b"",
        b"C": b"/var/cache",
        b"d": b"/run/credentials/run.service",
        b"E": b"/etc",
        b"f": b"/run",
        b"g": b"root",
        b"G": b"0",
        b"h": b"/root",
        b"H": b"qfuzz",
        b"i": b"",
        b"I": b"",
        b"j": b"run",
        b"J": b"run",
        b"l": b"qfuzz",
        b"L": b"/var/log",
        b"m": b"00000000000000000000000000000002",
        b"M": b"",
        b"n": b"run.service",
        b"N": b"run",
        b"o": b"debian",
        b"p": b"run",
        b"P": b"run",
        b"q": b"qfuzz",
        b"s": b"/bin/bash",
        b"S": b"/var/lib",
        b"t": b"/run",
        b"T": b"/tmp",
        b"u": b"root",
        b"U": b"0",
        b"v": b"6.1.0",
        b"V": b"/var/tmp",
        b"w": b"12",
        b"W": b"",
        b"y": b"/etc/systemd/system/run.service",
        b"Y": b"/etc/systemd/system",
    }
)
"""systemd.unit(5), Specifiers, for /etc/systemd/system/run.service of a system manager; any other one stays as it
is."""

ENVIRONMENT: Mapping[bytes, bytes] = MappingProxyType({b"PATH": b"/usr/bin:/bin", b"LANG": b"C.UTF-8"})
"""What the manager of the model gives its services."""

_NAMED = {
    ord("a"): b"\a",
    ord("b"): b"\b",
    ord("f"): b"\f",
    ord("n"): b"\n",
    ord("r"): b"\r",
    ord("t"): b"\t",
    ord("v"): b"\v",
    ord("s"): b" ",
    ord("\\"): b"\\",
    ord("'"): b"'",
    ord('"'): b'"',
}
_NUMBERED = re.compile(rb"x([0-9A-Fa-f]{2})|([0-3][0-7]{2})")
_SEPARATOR = re.compile(rb"(?<!\S);(?!\S)")
_VARIABLE = re.compile(rb"\$\$|\$\{([A-Za-z_]\w*)\}")


class SystemdModel(Boundary):
    """A model of `ExecStart=/bin/bash -c 'R'` in a unit file. An apostrophe ends the quotes, a backslash is a C
    escape even between them, a newline ends the line, a percent sign begins a specifier, `${NAME}` is a variable
    of the manager and two dollars are one. It owns these, and can't carry a NUL or bytes that are not UTF-8.
    Source: systemd.service(5), Command Lines; systemd.syntax(7), Quoting; systemd.unit(5), Specifiers."""

    name = "systemd-model"
    summary = "ExecStart=/bin/bash -c 'R' in a unit file (model)"
    owns = "apostrophe, backslash, percent sign, ${NAME}, $$, newline, carriage return"
    cannot_carry = "NUL; bytes that are not UTF-8; several commands; more than 131,071 bytes"
    witness = b'printf "%s\\n" ok'
    faithful = False
    starts_shell = True
    tool = True
    rules = MappingProxyType(
        {
            ord("'"): "ends the quotes of a word in a unit file",
            ord("\\"): "starts a C escape in a unit file",
            ord("%"): "begins a specifier of systemd",
            ord("$"): "is systemd's before a brace, and half of a dollar before another",
            ord("\n"): "ends the line of a unit file",
            ord("\r"): "ends the line of a unit file",
        }
    )

    def inert(self, text: bytes, offset: int) -> bool:
        return (
            text[offset] == ord("$")
            and text[offset + 1 : offset + 2] not in (b"{", b"$")
            and text[offset - 1 : offset] != b"$"
            and offset > 0
        )

    def embed(self, text: bytes) -> Launch | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "a unit file") or refuse_long(
            self.name, text, MAX_ARGUMENT_BYTES, "an argument"
        )
        if refusal is not None:
            return refusal
        # A backslash at the end of a line joins the next one to it, with a blank between.
        line, *further = re.split(rb"[\n\r]", re.sub(rb"\\[\n\r]", b" ", text + b"'"))
        words = _words(b"'" + line)
        if words is None or further:
            return Rejection(self.name, "unbalanced quoting, ignoring the line")
        separator = _SEPARATOR.search(line)
        if separator is not None and b";" in words:
            return Refusal(self.name, separator.start(), "a service of several commands is not modelled")
        script, *arguments = (_started(word) for word in words)
        if any(b"\0" in word for word in (script, *arguments)):
            return Rejection(self.name, "an escape makes a NUL")
        return Launch(b"/bin/bash", (b"bash", b"-c", script, *arguments), script)

    def shield(self, one: bytes) -> bytes:
        if one in b"\n\r":
            return b"\\n" if one == b"\n" else b"\\r"
        return one * 2 if one in b"%$\\" else b"\\" + one

    def armor(self, program: bytes) -> bytes | None:
        if refuse_bytes(self.name, program, ""):
            return None
        return b"".join(self.shield(bytes([byte])) if byte in self.rules else bytes([byte]) for byte in program)

    def disclosure(self) -> str:
        return "R is pasted, as it is, between the quotes of `ExecStart=/bin/bash -c 'R'` in a systemd unit file."


def _words(line: bytes) -> list[bytes] | None:
    """The words of a line, unquoted and unescaped; None where a quote is left open. An unknown escape stays as it
    is."""
    words: list[bytes] = []
    word: bytearray | None = None
    quote = 0
    place = 0
    while place < len(line):
        byte = line[place]
        place += 1
        if byte == ord("\\"):
            word = bytearray() if word is None else word
            numbered = _NUMBERED.match(line, place)
            if place < len(line) and line[place] in _NAMED:
                word += _NAMED[line[place]]
                place += 1
            elif numbered:
                digits = numbered.groups()
                word.append(int(digits[0], 16) if digits[0] else int(digits[1], 8))
                place = numbered.end()
            else:
                word.append(byte)
        elif quote:
            assert word is not None
            if byte == quote:
                quote = 0
            else:
                word.append(byte)
        elif byte in b"'\"":
            word = bytearray() if word is None else word
            quote = byte
        elif byte in b" \t":
            if word is not None:
                words.append(bytes(word))
            word = None
        else:
            word = bytearray() if word is None else word
            word.append(byte)
    if quote:
        return None
    return words if word is None else [*words, bytes(word)]


def _started(word: bytes) -> bytes:
    """A word with its specifiers and then its variables replaced."""
    specified = re.sub(rb"%(.)", lambda match: SPECIFIERS.get(match[1], match[0]), word, flags=re.DOTALL)
    return _VARIABLE.sub(lambda match: ENVIRONMENT.get(match[1], b"") if match[1] else b"$", specified)


BOUNDARIES: tuple[Boundary, ...] = (SystemdModel(),)
