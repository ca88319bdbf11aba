"""YAML: the command travels as the value of a key, in each of the styles that YAML has. PyYAML reads it back.

The document is only composed into nodes, and the text of one scalar is taken from it: nothing is constructed, so
tags do nothing, and aliases and merge keys can't multiply what is there. A value that YAML 1.1 takes for a number
or a boolean is taken as its text, as readers do that want a string."""

from __future__ import annotations

import functools
import json
import re
from types import MappingProxyType
from typing import Any

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.available import library
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long

KEY = "run"
_MOST_OPEN = 100
OWN_BREAKS = "carriage return, U+0085, U+2028, U+2029"
"""Line breaks of YAML 1.1 beside the newline; most other readers of text know none of the last three."""
OWN_CONTROLS = "control characters, DEL, U+0080 to U+009F, U+FFFE, U+FFFF"
"""What no YAML file holds, but for a tab and the line breaks (YAML 1.1, 5.1)."""
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def refuse(boundary: str, text: bytes) -> Refusal | None:
    """YAML is text. The length is that of what bash takes, which bounds the work of the parser."""
    return refuse_bytes(boundary, text, "YAML") or refuse_long(boundary, text, MAX_ARGUMENT_BYTES, "the text of a step")


def double_quoted(text: str) -> str:
    """A scalar from which every parser of YAML reads `text` again."""
    quoted = json.dumps(text, ensure_ascii=False)
    # JSON's escapes are YAML's. What JSON lets stand and YAML does not is escaped by its number.
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)


def scalar_at(boundary: str, document: str, path: tuple[str | int, ...]) -> bytes | Rejection:
    """The text at `path` (keys of mappings, indices of sequences) of a document; of equal keys the last counts."""
    yaml = library("yaml")
    try:
        loader = yaml.SafeLoader(document)
        loader.fetch_flow_collection_start = functools.partial(_bounded_start, loader, yaml)
        node = loader.get_single_node()
    except yaml.YAMLError as error:
        return Rejection(boundary, _said(error))
    except RecursionError:
        return Rejection(boundary, "nested too deeply")
    except (OverflowError, ValueError) as error:
        # PyYAML takes any eight digits for a character.
        return Rejection(boundary, str(error))
    for step in path:
        if isinstance(step, int) and isinstance(node, yaml.SequenceNode) and step < len(node.value):
            node = node.value[step]
        elif isinstance(step, str) and isinstance(node, yaml.MappingNode):
            found = [value for key, value in node.value if isinstance(key, yaml.ScalarNode) and key.value == step]
            if not found:
                return Rejection(boundary, f"no key {step!r}")
            node = found[-1]
        else:
            return Rejection(boundary, f"no {step!r} there")
    if not isinstance(node, yaml.ScalarNode):
        return Rejection(boundary, "the value is no text")
    return _without_nul(boundary, str(node.value))


def _bounded_start(loader: Any, yaml: Any, token: Any) -> None:
    """Begins a collection in brackets or braces. Each open one costs time at every token, so few may be open."""
    if loader.flow_level >= _MOST_OPEN:
        raise yaml.scanner.ScannerError(None, None, "nested too deeply", loader.get_mark())
    type(loader).fetch_flow_collection_start(loader, token)


def _without_nul(boundary: str, value: str) -> bytes | Rejection:
    try:
        text = value.encode("utf-8")
    except UnicodeEncodeError as error:
        return Rejection(boundary, f"a lone surrogate at character {error.start} of the command")
    return Rejection(boundary, "the decoded command holds a NUL, which no shell program can") if b"\0" in text else text


def _said(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{problem} at line {mark.line + 1} column {mark.column + 1}" if mark else problem


class _Pasted(Boundary):
    """The reply pasted behind `run:`, with something before it and something after."""

    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes"
    faithful = False
    starts_shell = False
    modules = ("yaml",)
    before = ""
    after = ""

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse(self.name, text)
        document = f"{KEY}: {self.before}{text.decode('utf-8', 'replace')}{self.after}\n"
        return refusal or scalar_at(self.name, document, (KEY,))

    def armor(self, program: bytes) -> bytes | None:
        return one_line(program, b" #:\"'`%&*!|>@,[]{}?-")


class YamlPlain(_Pasted):
    """`run: R`, as people write one command into a CI file. In a plain scalar a blank and a number sign begin a
    comment, a colon and a blank make a mapping, line breaks fold, a tab begins no word, and the first character may
    be an indicator. YAML 1.1 has more line breaks than most: carriage return, U+0085 (NEL), U+2028 and U+2029 are
    breaks too. It owns these and control characters, and can't carry a NUL or bytes that are not UTF-8. Source: YAML
    1.1, 9.1.3, 5.1 and 5.4; PyYAML reads it."""

    name = "yaml-plain"
    summary = "run: R, a plain scalar, read by PyYAML"
    owns = f"' #', ': ', newline, {OWN_BREAKS}; blanks at the ends, an indicator at the beginning, tab; {OWN_CONTROLS}"
    witness = b'echo "build #7"'

    def disclosure(self) -> str:
        return (
            "R is pasted, as it is, behind `run: ` in a YAML file: a plain scalar, which a YAML parser reads. "
            "Then bash runs it."
        )


class YamlSingle(_Pasted):
    """`run: 'R'`. Between single quotes an apostrophe ends the scalar, two of them are one, and line breaks fold
    with the blanks around them, carriage return, U+0085 (NEL), U+2028 and U+2029 too. It owns the apostrophe, line
    breaks and control characters, and can't carry a NUL or bytes that are not UTF-8. Source: YAML 1.1, 9.1.2, 5.1 and
    5.4; PyYAML reads it."""

    name = "yaml-single"
    summary = "run: 'R', a single-quoted scalar, read by PyYAML"
    owns = f"apostrophe; newline, {OWN_BREAKS} and the blanks around them; {OWN_CONTROLS}"
    witness = b"echo a\necho b"
    before = "'"
    after = "'"
    rules = MappingProxyType(
        {
            ord("'"): "ends the YAML scalar, or is half of one apostrophe",
            ord("\n"): "is folded by YAML into a blank",
        }
    )

    def shield(self, one: bytes) -> bytes:
        return one * 2

    def armor(self, program: bytes) -> bytes:
        return one_line(program).replace(b"'", b"''")

    def disclosure(self) -> str:
        return (
            "R is pasted, as it is, between the quotes of `run: 'R'` in a YAML file, which a parser reads. Then "
            "bash runs it."
        )


class YamlDouble(_Pasted):
    """`run: "R"`. Between double quotes a backslash starts an escape, a double quote ends the scalar, and line
    breaks fold, carriage return, U+0085 (NEL), U+2028 and U+2029 too. It owns these and control characters, and can't
    carry a NUL or bytes that are not UTF-8. Source: YAML 1.1, 9.1.1, 5.1, 5.4 and 5.6; PyYAML reads it."""

    name = "yaml-double"
    summary = 'run: "R", a double-quoted scalar, read by PyYAML'
    owns = f"double quote, backslash; newline, {OWN_BREAKS} and the blanks around them; {OWN_CONTROLS}"
    witness = b'echo "a  b"'
    before = '"'
    after = '"'
    rules = MappingProxyType(
        {
            **dict.fromkeys(range(1, 32), "a control character, which YAML does not take or takes for a break"),
            ord("\t"): "a tab, which YAML drops beside a line break",
            ord("\n"): "is folded by YAML into a blank",
            ord('"'): "ends the YAML scalar",
            ord("\\"): "starts an escape in a double-quoted YAML scalar",
            0x7F: "a control character, which YAML does not take",
        }
    )

    def armor(self, program: bytes) -> bytes | None:
        if refuse(self.name, program):
            return None
        return double_quoted(program.decode("utf-8"))[1:-1].encode("utf-8")

    def disclosure(self) -> str:
        return (
            'R is pasted, as it is, between the quotes of `run: "R"` in a YAML file, which a parser reads. Then '
            "bash runs it."
        )


class _Block(_Pasted):
    """A block scalar: each line of the reply two blanks further right than the key."""

    adds_text = True

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse(self.name, text)
        if refusal is not None:
            return refusal
        lines = text.decode("utf-8").split("\n")
        body = "\n".join(f"  {line}" if line else "" for line in lines)
        return scalar_at(self.name, f"{KEY}: {self.before}\n{body}\n", (KEY,))


class YamlLiteral(_Block):
    """`run: |` and the reply below, each line indented: how CI files carry scripts. The lines are kept, yet the
    first one that is not empty sets the indentation, so that blanks before it are lost or break the file; a
    final newline is added, further ones are dropped. Carriage return, U+0085 (NEL), U+2028 and U+2029 are line breaks,
    and what follows one is not indented. It owns these and control characters, and can't carry a NUL or bytes that
    are not UTF-8. Source: YAML 1.1, 9.2, 9.3.1, 5.1 and 5.4; PyYAML reads it."""

    name = "yaml-literal"
    summary = "run: | and the reply indented below, read by PyYAML"
    owns = f"blanks before the first line, newlines at the end, {OWN_BREAKS}; {OWN_CONTROLS}"
    witness = b" echo a\necho b"
    before = "|"

    def disclosure(self) -> str:
        return "Each line of R is indented below `run: |` in a YAML file, which a parser reads. Then bash runs it."


class YamlFolded(_Block):
    """`run: >` and the reply below, each line indented. Line breaks between lines of the same indentation become
    blanks, so that several commands become one with many words. It owns newlines besides what `yaml-literal`
    owns, and can't carry a NUL or bytes that are not UTF-8. Source: YAML 1.1, 9.3.2; PyYAML reads it."""

    name = "yaml-folded"
    summary = "run: > and the reply indented below, read by PyYAML"
    owns = f"blanks before the first line, newline, {OWN_BREAKS}; {OWN_CONTROLS}"
    witness = b"echo a\necho b"
    before = ">"

    def disclosure(self) -> str:
        return "Each line of R is indented below `run: >` in a YAML file, which a parser reads. Then bash runs it."


class Yaml(Boundary):
    """The command written by a YAML serializer and read by a YAML parser: how a program should write a CI file. It
    owns nothing, and can't carry a NUL or bytes that are not UTF-8. What is not ASCII is escaped, as PyYAML does when
    not told otherwise: with `allow_unicode` it writes a U+0085 (NEL) as it is, which its reader takes for a line break.
    Source: PyYAML, safe_dump and compose."""

    name = "yaml"
    summary = "the reply serialized into run: ... by PyYAML, and parsed"
    owns = "nothing"
    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes"
    witness = None
    faithful = True
    starts_shell = False
    modules = ("yaml",)

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse(self.name, text)
        if refusal is not None:
            return refusal
        document = library("yaml").safe_dump({KEY: text.decode("utf-8")})
        return scalar_at(self.name, document, (KEY,))

    def armor(self, program: bytes) -> bytes | None:
        return None if refuse(self.name, program) else program

    def disclosure(self) -> str:
        return "R is serialized into a YAML file and parsed again by a library, and bash gets exactly R."


BOUNDARIES: tuple[Boundary, ...] = (YamlPlain(), YamlSingle(), YamlDouble(), YamlLiteral(), YamlFolded(), Yaml())
