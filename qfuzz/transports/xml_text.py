"""XML and its entities: the command as the text of an element, and the half-done escapes that tool calls suffer from.

Expat parses; a document that is pasted into can declare no entities, for these come before the first element.
"""

from __future__ import annotations

import html
import re
from types import MappingProxyType
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long, refuse_nul

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write, section 2.2 (Characters)."""


def _refuse(boundary: str, text: bytes) -> Refusal | None:
    long = refuse_long(boundary, text, MAX_ARGUMENT_BYTES, "the text of a tool call")
    return refuse_bytes(boundary, text, "XML") or long


def _parse(boundary: str, document: str) -> bytes | Rejection:
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        return Rejection(boundary, str(error))
    return (root.text or "").encode("utf-8")


class XmlNaive(Boundary):
    """`<command>R</command>` pasted together and parsed: tool calls in XML, configuration of build servers. A
    less-than sign opens a tag, an ampersand an entity, and the parser makes one newline of each carriage return;
    where another element stands inside, the text ends there. It owns these, control characters, U+FFFE and U+FFFF,
    and can't carry a NUL or bytes that are not UTF-8. Source: XML 1.0, 2.2, 2.4 and 2.11; Expat reads it."""

    name = "xml-naive"
    summary = "the reply pasted into <command>R</command>, parsed by Expat"
    owns = "<, &, carriage return, ]]>, control characters, U+FFFE, U+FFFF"
    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes"
    witness = b"true && echo a"
    faithful = False
    starts_shell = False
    rules = MappingProxyType(
        {
            ord("<"): "opens a tag in XML",
            ord("&"): "starts an entity in XML",
            ord(">"): "ends the forbidden ]]> in XML",
            ord("\r"): "is made a newline by XML",
        }
    )

    def inert(self, text: bytes, offset: int) -> bool:
        return text[offset] == ord(">") and text[max(0, offset - 2) : offset] != b"]]"

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        return _refuse(self.name, text) or _parse(self.name, f"<command>{text.decode('utf-8')}</command>")

    def armor(self, program: bytes) -> bytes | None:
        try:
            text = program.decode("utf-8")
        except UnicodeDecodeError:
            return None
        return None if _NOT_XML.search(text) else escape(text, {"\r": "&#13;"}).encode("utf-8")

    def disclosure(self) -> str:
        return (
            "R is pasted, as it is, into `<command>R</command>`, which an XML parser reads. Then bash runs the "
            "element's text."
        )


class Xml(Boundary):
    """The command escaped into the text of an element and parsed again: XML as it should be used. It owns nothing.
    It can't carry a NUL, bytes that are not UTF-8, nor the control characters that XML 1.0 has no way to write.
    Source: XML 1.0, 2.2 and 2.4; xml.sax.saxutils.escape writes it and Expat reads it."""

    name = "xml"
    summary = "the reply escaped into <command>...</command> and parsed"
    owns = "nothing"
    cannot_carry = "control characters; bytes that are not UTF-8; more than 131,071 bytes"
    witness = None
    faithful = True
    starts_shell = False

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = _refuse(self.name, text)
        if refusal is not None:
            return refusal
        decoded = text.decode("utf-8")
        forbidden = _NOT_XML.search(decoded)
        if forbidden is not None:
            offset = len(decoded[: forbidden.start()].encode("utf-8"))
            return Refusal(self.name, offset, f"XML 1.0 has no way to write U+{ord(forbidden.group()):04X}")
        return _parse(self.name, f"<command>{escape(decoded, {chr(13): '&#13;'})}</command>")

    def armor(self, program: bytes) -> bytes | None:
        return program if isinstance(self.embed(program), bytes) else None

    def disclosure(self) -> str:
        return "R is escaped into an XML element and parsed again by a library, and bash gets exactly R."


class EntitiesLeft(Boundary):
    """Entities that nobody decoded: a model or a client escapes `&`, `<` and `>` in a tool call, and the shell gets
    `&amp;&amp;`. It owns these three characters, and can't carry a NUL. What is left over is Bash again: an
    ampersand puts a command into the background, a semicolon ends the next. Source: HTML, 13.1.4 (Character
    references), as html.escape writes them."""

    name = "entities-left"
    summary = "&, < and > arrive as &amp;, &lt; and &gt;"
    owns = "&, <, >"
    cannot_carry = "NUL"
    plain = b"touch out.txt; echo done"
    witness = b'mkdir d && cd d && basename "$PWD"'
    faithful = False
    starts_shell = False

    def embed(self, text: bytes) -> bytes | Refusal:
        escaped = text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
        return refuse_nul(self.name, text) or escaped

    def armor(self, program: bytes) -> bytes:
        return one_line(program, b"&<>")

    def disclosure(self) -> str:
        return "In R each &, < and > is replaced by &amp;, &lt; and &gt;, and bash runs what comes out."


class EntitiesDecoded(Boundary):
    """Entities decoded once too often: a client unescapes every command because some models escape theirs, and
    `&lt;` that was meant so becomes `<`. It owns the ampersand where an entity follows, also a named one without
    its semicolon, and can't carry a NUL or bytes that are not UTF-8. Source: HTML, 13.5 (Named character
    references), as html.unescape reads them."""

    name = "entities-decoded"
    summary = "entities such as &lt; are decoded once more than they were made"
    owns = "& before the name or number of a character"
    cannot_carry = "NUL; bytes that are not UTF-8"
    witness = b"printf '%s\\n' '&lt;b&gt;'"
    faithful = False
    starts_shell = False
    rules = MappingProxyType({ord("&"): "starts an entity, which is decoded"})

    def inert(self, text: bytes, offset: int) -> bool:
        return not re.match(rb"&(#|[A-Za-z])", text[offset : offset + 2])

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "what is decoded")
        if refusal is not None:
            return refusal
        try:
            decoded = html.unescape(text.decode("utf-8")).encode("utf-8", "surrogatepass")
        except ValueError as error:
            # Python's own bound on the digits of a number.
            return Rejection(self.name, str(error))
        return Rejection(self.name, "the decoded command holds a NUL") if b"\0" in decoded else decoded

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"&", b"&amp;")

    def disclosure(self) -> str:
        return "In R entities such as &lt; or &#39; are decoded as in HTML, and bash runs what comes out."


BOUNDARIES: tuple[Boundary, ...] = (XmlNaive(), Xml(), EntitiesLeft(), EntitiesDecoded())
