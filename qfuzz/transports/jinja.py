"""Jinja2: the reply is a template, as in Ansible's `shell:`, Salt states, dbt and Home Assistant.

The library's own lexer and parser read the text here, and nothing else of it runs: a template can execute code. What
the parser gives is a tree. Text, comments and raw blocks are what they are, and a bare name that no template defines
is empty; a tree with nothing else is rendered by these rules, and replies that are no templates hold nothing else. Any
other is rendered in the jail, by the whole engine, which then becomes the shell; so it can't be where another layer
needs the text, and is refused there at its line: a declared limit, not damage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from qfuzz.bash.quote import printable_word, single
from qfuzz.model.delivery import Launch, Refusal, Rejection, SideFile
from qfuzz.transports.available import library, require_boundary
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long
from qfuzz.transports.packages import python_package
from qfuzz.transports.script_file import SCRIPT_DIRECTORY, script_path

_SPECIAL = frozenset({"range", "dict", "lipsum", "cycler", "joiner", "namespace", "self"})
"""Names that every template has."""

_RENDERER = "jinja_renderer.py"
_REPRODUCTION = b"import jinja2, sys; print(jinja2.Environment().from_string(sys.argv[1]).render())"


class _NotRendered(Exception):
    """A part of a template that is more than text and undefined names; the argument is its line, from 1."""


@dataclass(frozen=True, slots=True)
class _Undefined:
    """A name that is used and not defined: an error of the engine's."""

    name: str


class Jinja2(Boundary):
    """A Jinja2 template without variables: Ansible's `shell:` and `command:`, Salt, dbt. Two braces print an
    expression, a brace and a percent sign hold a statement, a brace and a number sign begin a comment (so
    `${#x}` never ends), and one newline at the end is dropped. It owns these pairs and carriage returns; it
    can't carry a NUL or bytes that are not UTF-8. What has to be evaluated is rendered in the jail, where an error
    of the engine is status 1, and only by the last layer of a stack: another one can't get the text. Source:
    Jinja2's Template Designer Documentation; the library runs."""

    name = "jinja2"
    summary = "the reply as a Jinja2 template without variables"
    owns = "{{, {%, {#, carriage return, one newline at the end"
    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes; to another layer, expressions to evaluate"
    witness = b"printf '%s\\n' 'name={{.Names}}'"
    faithful = False
    starts_shell = False
    modules = ("jinja2", "markupsafe")
    programs = ("python3",)
    rules = MappingProxyType({ord("{"): "begins a tag or comment of Jinja2, before {, % or #"})

    def inert(self, text: bytes, offset: int) -> bool:
        return text[offset + 1 : offset + 2] not in (b"{", b"%", b"#")

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = self._limits(text)
        if refusal is not None:
            return refusal
        try:
            return self._rendered(text)
        except _NotRendered as found:
            offset = sum(len(line) + 1 for line in text.split(b"\n")[: found.args[0] - 1])
            return Refusal(self.name, offset, "only text, comments and undefined names can be handed to another layer")

    def embed_last(self, text: bytes) -> bytes | Launch | Refusal | Rejection:
        refusal = self._limits(text)
        if refusal is not None:
            return refusal
        try:
            return self._rendered(text)
        except _NotRendered:
            return self._launch(text)

    def _limits(self, text: bytes) -> Refusal | None:
        return refuse_bytes(self.name, text, "a template") or refuse_long(
            self.name, text, MAX_ARGUMENT_BYTES, "a template"
        )

    def _rendered(self, text: bytes) -> bytes | Rejection:
        """What the engine makes of the text, or its error; raises _NotRendered where it would have to evaluate."""
        jinja2 = library("jinja2")
        try:
            tree = jinja2.Environment().parse(text.decode("utf-8"))
            printed = [_printed(child) for node in tree.body for child in _children(node)]
            undefined = next((each for each in printed if isinstance(each, _Undefined)), None)
            if undefined is not None:
                return Rejection(self.name, f"{undefined.name!r} is undefined")
            return "".join(each for each in printed if isinstance(each, str)).encode("utf-8")
        except (jinja2.TemplateError, ValueError) as error:
            return Rejection(self.name, str(error))
        except RecursionError:
            # How deep the stack is here says nothing about the engine elsewhere.
            raise _NotRendered(1) from None

    def _launch(self, text: bytes) -> Launch:
        require_boundary(self)
        renderer = (Path(__file__).parent / "inside" / _RENDERER).read_bytes()
        script = SideFile(SCRIPT_DIRECTORY + _RENDERER.encode(), renderer)
        template = SideFile(script_path(text, b".j2"), text)
        packages = (each for name in self.modules for each in python_package(name, SCRIPT_DIRECTORY + b"python/"))
        words = (b"python3", b"-ISB", script.path, template.path)
        return Launch(b"/usr/bin/python3", words, text, files=(script, template, *packages), inner_shells=1)

    def reproduction(self, text: bytes) -> bytes | None:
        return b'bash -c "$(python3 -c ' + single(_REPRODUCTION) + b" " + printable_word(text) + b')"'

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


def _children(node: Any) -> Sequence[Any]:
    """What a node of the body of a template prints, in order; raises _NotRendered where it does more."""
    if not isinstance(node, library("jinja2.nodes").Output):
        raise _NotRendered(node.lineno)
    children: Sequence[Any] = node.nodes
    return children


def _printed(node: Any) -> str | _Undefined:
    """The text of an expression without values; raises _NotRendered where there is something to evaluate."""
    nodes = library("jinja2.nodes")
    if isinstance(node, nodes.TemplateData):
        return str(node.data)
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return node.value
    if isinstance(node, nodes.Name) and node.name not in _SPECIAL:
        return ""
    looks_up = isinstance(node, nodes.Getattr) or (
        isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const)
    )
    if looks_up:
        inner = node.node
        if isinstance(inner, nodes.Name) and inner.name not in _SPECIAL:
            return _Undefined(inner.name)
        if isinstance(inner, nodes.Getattr | nodes.Getitem):
            return _printed(inner)
    raise _NotRendered(node.lineno)


BOUNDARIES: tuple[Boundary, ...] = (Jinja2(),)
