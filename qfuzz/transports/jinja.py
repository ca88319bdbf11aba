"""Jinja2: the reply is a template, as in Ansible's `shell:`, Salt states, dbt and Home Assistant.

The library's own lexer and parser read the text, and nothing else of it runs: a template can execute code, so
rendering a hostile reply here is out of the question, and in the jail a whole engine would start for each reply.
What the parser gives is a tree. Text, comments and raw blocks are what they are, and a bare name that no template
defines is empty; a tree with nothing else is rendered by these rules, and any other is refused at its line: a
declared limit, not damage. Replies that are no templates hold none of it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.available import library
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long

_GLOBALS = frozenset({"range", "dict", "lipsum", "cycler", "joiner", "namespace"})


class _NotRendered(Exception):
    """A part of a template that is more than text and undefined names; the argument is its line, from 1."""


class _Undefined(Exception):
    """What Jinja2 says of a name that is used and not defined."""


class Jinja2(Boundary):
    """A Jinja2 template without variables: Ansible's `shell:` and `command:`, Salt, dbt. Two braces print an
    expression, a brace and a percent sign hold a statement, a brace and a number sign begin a comment (so
    `${#x}` never ends), and one newline at the end is dropped. It owns these pairs and carriage returns; it
    can't carry a NUL, bytes that are not UTF-8, nor statements and expressions that have to be evaluated.
    Source: Jinja2's Template Designer Documentation; its lexer and parser read the text."""

    name = "jinja2"
    summary = "the reply as a Jinja2 template without variables"
    owns = "{{, {%, {#, carriage return, one newline at the end"
    cannot_carry = "NUL; bytes that are not UTF-8; expressions to evaluate; more than 131,071 bytes"
    witness = b"printf '%s\\n' 'name={{.Names}}'"
    faithful = False
    starts_shell = False
    modules = ("jinja2",)
    rules = MappingProxyType({ord("{"): "begins a tag or comment of Jinja2, before {, % or #"})

    def inert(self, text: bytes, offset: int) -> bool:
        return text[offset + 1 : offset + 2] not in (b"{", b"%", b"#")

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "a template") or refuse_long(
            self.name, text, MAX_ARGUMENT_BYTES, "a template"
        )
        if refusal is not None:
            return refusal
        jinja2 = library("jinja2")
        try:
            tree = jinja2.Environment().parse(text.decode("utf-8"))
            return "".join(_rendered(node) for node in tree.body).encode("utf-8")
        except _NotRendered as found:
            offset = sum(len(line) + 1 for line in text.split(b"\n")[: found.args[0] - 1])
            return Refusal(self.name, offset, "only text, comments and undefined names of a template are rendered here")
        except (jinja2.TemplateError, _Undefined, ValueError) as error:
            return Rejection(self.name, str(error))
        except RecursionError:
            return Rejection(self.name, "nested too deeply")

    def shield(self, one: bytes) -> bytes:
        return b"{{ '" + one + b"' }}"

    def armor(self, program: bytes) -> bytes | None:
        if b"\r" in program:
            return None
        parts = []
        for offset, byte in enumerate(program):
            one = bytes([byte])
            parts.append(one if byte not in self.rules or self.inert(program, offset) else self.shield(one))
        # One newline at the end is dropped.
        return b"".join(parts) + (b"\n" if program.endswith(b"\n") else b"")

    def disclosure(self) -> str:
        return "R is a Jinja2 template, rendered without any variable, and bash runs what comes out."


def _rendered(node: Any) -> str:
    """The text of a node of the body of a template; raises _NotRendered and _Undefined."""
    nodes = library("jinja2.nodes")
    if not isinstance(node, nodes.Output):
        raise _NotRendered(node.lineno)
    return "".join(_printed(nodes, child) for child in node.nodes)


def _printed(nodes: Any, node: Any) -> str:
    if isinstance(node, nodes.TemplateData):
        return str(node.data)
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return str(node.value)
    if isinstance(node, nodes.Name) and node.name not in _GLOBALS:
        return ""
    if isinstance(node, nodes.Getattr | nodes.Getitem):
        inner = node.node
        if isinstance(inner, nodes.Name) and inner.name not in _GLOBALS:
            raise _Undefined(f"{inner.name!r} is undefined")
        if isinstance(inner, nodes.Getattr | nodes.Getitem):
            return _printed(nodes, inner)
    raise _NotRendered(node.lineno)


BOUNDARIES: tuple[Boundary, ...] = (Jinja2(),)
