"""Templates of Python's standard library, rendered with no variables: the reply was never meant to be a template.

Rendering happens here and not in the jail, for it can reach nothing: without arguments every replacement field fails at
its first name, before any attribute, item, conversion or width of it is looked at.
"""

from __future__ import annotations

import string
from abc import abstractmethod
from types import MappingProxyType

from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes


class _Template(Boundary):
    """A text that a formatting method of Python reads."""

    cannot_carry = "NUL; bytes that are not UTF-8"
    faithful = False
    starts_shell = False

    @abstractmethod
    def render(self, text: str) -> str:
        """May raise TypeError, ValueError or LookupError."""

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "a template")
        if refusal is not None:
            return refusal
        try:
            return self.render(text.decode("utf-8")).encode("utf-8")
        except (TypeError, ValueError, LookupError) as error:
            return Rejection(self.name, f"{type(error).__name__}: {error}")

    def armor(self, program: bytes) -> bytes:
        return b"".join(bytes([byte]) * (2 if byte in self.rules else 1) for byte in program)


class PercentFormat(_Template):
    """`R % (...)` of Python and its like: a command line kept as a format string, loggers. A percent sign begins a
    conversion, and two of them are one. It owns the percent sign, and can't carry a NUL or bytes that are not
    UTF-8. Source: the Python Library Reference, printf-style String Formatting."""

    name = "percent-format"
    summary = "R % () of Python"
    owns = "percent sign"
    witness = b"printf '%s\\n' hi"
    rules = MappingProxyType({ord("%"): "begins a conversion of a format string"})

    def render(self, text: str) -> str:
        return text % ()

    def disclosure(self) -> str:
        return (
            "R is a format string that Python's % operator fills in, without any argument, and bash runs what "
            "comes out."
        )


class StrFormat(_Template):
    """`R.format(...)` of Python: prompts and command lines with `{name}` in them. Braces enclose a field, and
    doubled ones are braces, so awk programs, brace expansion, functions and `${x}` are errors or change without
    one. It owns both braces, and can't carry a NUL or bytes that are not UTF-8. Source: the Python Library
    Reference, Format String Syntax."""

    name = "str-format"
    summary = "R.format() of Python"
    owns = "{ and }"
    witness = b"echo 'a b' | awk '{print $2}'"
    rules = MappingProxyType({ord("{"): "begins a replacement field", ord("}"): "ends a replacement field"})

    def render(self, text: str) -> str:
        return text.format()

    def disclosure(self) -> str:
        return "R is a template for Python's str.format, called without any argument, and bash runs what comes out."


class StringTemplate(_Template):
    """`string.Template(R).substitute()` of Python: deploy scripts, notebooks. A dollar begins a name, two are one,
    and any other dollar is an error. It owns the dollar, and can't carry a NUL or bytes that are not UTF-8.
    Source: the Python Library Reference, Template strings."""

    name = "string-template"
    summary = "string.Template(R).substitute() of Python"
    owns = "dollar"
    witness = b"x=1; echo $x"
    rules = MappingProxyType({ord("$"): "begins a placeholder of string.Template"})

    def render(self, text: str) -> str:
        return string.Template(text).substitute()

    def disclosure(self) -> str:
        return (
            "R is a template for Python's string.Template, filled in without any variable, and bash runs what "
            "comes out."
        )


BOUNDARIES: tuple[Boundary, ...] = (PercentFormat(), StrFormat(), StringTemplate())
