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
        b"c": b"/system.slice/run.service",
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
        b"r": b"/system.slice",
        b"R": b"",
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
"""systemd.unit(5), Specifiers, for /etc/systemd/system/run.service of a system manager; c, r and R are the control
groups that older ones had. Any other letter or digit is an error, any other character no specifier."""

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
_NUMBERED = re.compile(rb"x([0-9A-Fa-f]{2})|([0-3][0-7]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})")
_VARIABLE = re.compile(rb"\$\$|\$\{([^}]*)\}")
_LINE_END = re.compile(rb"\r\n|\n\r|\n|\r")
_FURTHER = re.compile(rb"\[|[A-Z]\w*[a-z]\w*\s*=")
"""What a further line of a unit file may do something with: a section, a setting. Others are passed over."""


class SystemdModel(Boundary):
    """A model of `ExecStart=/bin/bash -c 'R'` in a unit file. An apostrophe ends the quotes, a backslash is a C
    escape even between them, a newline ends the line, a percent sign begins a specifier, which is an error where no
    such one exists, `${...}` is a variable of the manager whatever stands in it, a word that begins with a dollar
    is one as a whole, split at blanks, or vanishes, and two dollars are one. It owns these, and can't carry a NUL or
    bytes that are not UTF-8. Source: systemd.service(5), Command Lines; systemd.syntax(7), Quoting; systemd.unit(5),
    Specifiers; compared with systemd 252 as the first process of a sandbox."""

    name = "systemd-model"
    summary = "ExecStart=/bin/bash -c 'R' in a unit file (model)"
    owns = "apostrophe, backslash, percent sign, ${...}, $$, $ that begins a word, newline, carriage return"
    cannot_carry = "NUL; bytes that are not UTF-8; several commands; further settings; more than 131,071 bytes"
    witness = b'printf "%s\\n" ok'
    faithful = False
    starts_shell = True
    tool = True
    rules = MappingProxyType(
        {
            ord("'"): "ends the quotes of a word in a unit file",
            ord("\\"): "starts a C escape in a unit file",
            ord("%"): "begins a specifier of systemd",
            ord("$"): "is systemd's before a brace and where a word begins, and half of a dollar before another",
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
        line, further = _first_line(text + b"'")
        if any(map(_FURTHER.match, further)):
            return Refusal(self.name, len(line), "a unit file with further settings is not modelled")
        words, separator = _words(b"'" + line)
        if words is None:
            return Rejection(self.name, "unbalanced quoting, ignoring the line")
        if separator is not None:
            return Refusal(self.name, max(0, separator - 1), "a service of several commands is not modelled")
        if any(_unknown_specifier(word) for word in words):
            return Rejection(self.name, "failed to resolve unit specifiers, ignoring the line")
        started = [each for word in words for each in _started(word)]
        return Launch(b"/bin/bash", (b"bash", b"-c", *started), started[0] if started else b"")

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


def _first_line(text: bytes) -> tuple[bytes, list[bytes]]:
    """The line that begins with `text`, and what the lines behind it hold.

    A backslash at the end of a line that no other one escapes is a blank and joins the next line; comments between
    them are passed over.
    """
    begun, *rest = _LINE_END.split(text)
    line = begun
    while _ends_escaped(line):
        line = line[:-1] + b" "
        while rest and rest[0].lstrip(b" \t")[:1] in (b"#", b";"):
            rest.pop(0)
        if not rest:
            break
        line += rest.pop(0)
    return line, [each.strip(b" \t") for each in rest]


def _ends_escaped(line: bytes) -> bool:
    return (len(line) - len(line.rstrip(b"\\"))) % 2 == 1


def _words(line: bytes) -> tuple[list[bytes] | None, int | None]:
    """The words of a line, unquoted and unescaped, and where a semicolon separates them from another command.

    None where a quote is left open. An unknown escape stays as it is.
    """
    words: list[bytes] = []
    word: bytearray | None = None
    quote = 0
    place = 0
    while place < len(line):
        byte = line[place]
        if word is None and _stands_alone(line, place, b";"):
            return words, place
        if word is None and _stands_alone(line, place, b"\\;"):
            words.append(b";")
            place += 2
            continue
        place += 1
        if byte in b" \t" and not quote:
            if word is not None:
                words.append(bytes(word))
            word = None
            continue
        word = bytearray() if word is None else word
        if byte == ord("\\"):
            escaped, place = _escape(line, place)
            word += escaped
        elif byte == quote:
            quote = 0
        elif byte in b"'\"" and not quote:
            quote = byte
        else:
            word.append(byte)
    if quote:
        return None, None
    return (words if word is None else [*words, bytes(word)]), None


def _stands_alone(line: bytes, place: int, mark: bytes) -> bool:
    end = place + len(mark)
    return line.startswith(mark, place) and line[end : end + 1] in (b"", b" ", b"\t")


def _escape(line: bytes, place: int) -> tuple[bytes, int]:
    """What the escape whose backslash stands before `place` means, and where it ends."""
    numbered = _NUMBERED.match(line, place)
    if place < len(line) and line[place] in _NAMED:
        return _NAMED[line[place]], place + 1
    if numbered:
        byte, octal, short, long = numbered.groups()
        number = int(octal, 8) if octal else int(byte or short or long, 16)
        if number and (byte or octal):
            return bytes([number]), numbered.end()
        if number and number < 0x110000:
            return chr(number).encode("utf-8", "surrogatepass"), numbered.end()
    return b"\\" + line[place : place + 1], place + 1


def _unknown_specifier(word: bytes) -> bool:
    return any(one.isalnum() and one not in SPECIFIERS for one in re.findall(rb"%(.)", word, re.DOTALL))


def _started(word: bytes) -> list[bytes]:
    """What becomes of a word: its specifiers are replaced, then its variables, which may make it several or none."""
    specified = re.sub(rb"%(.)", lambda match: SPECIFIERS.get(match[1], match[0]), word, flags=re.DOTALL)
    if specified[:1] == b"$" and specified[1:2] not in (b"{", b"$"):
        return ENVIRONMENT.get(specified[1:], b"").split()
    return [_VARIABLE.sub(lambda match: b"$" if match[1] is None else ENVIRONMENT.get(match[1], b""), specified)]


BOUNDARIES: tuple[Boundary, ...] = (SystemdModel(),)
