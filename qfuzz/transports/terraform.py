"""Terraform: the reply as a template file or heredoc of HCL. A model; Terraform's licence keeps it out of Debian."""

from __future__ import annotations

import re
import unicodedata
from types import MappingProxyType

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes

_MARK = re.compile(rb"\$\$\{|%%\{|\$\{|%\{")
_NUMBER = re.compile(rb"[ \t]*(\d+)[ \t]*\}")
_NAME = re.compile(rb"~?[ \t\n]*!?[ \t\n]*([A-Za-z_][\w-]*)[ \t\n]*(\(|~?\})?")
_DIRECTIVE = re.compile(rb"~?[ \t\n]*(if|else|endif|for|endfor)\b")
_LITERAL = re.compile(rb'[ \t\n~]*["(\[{\d-]')
_EXTRA = re.compile(rb"[ \t~]*\d+[ \t]*([^ \t\n\d.+*/%<>=!&|?~}#-]|#[^\n]*\Z)")
"""What begins an expression that might be evaluated, and a number with something behind it that ends none: another
character, or a comment that no line ends."""
_CONSTANTS = (b"true", b"false", b"null")


class TerraformModel(Boundary):
    """A model of `templatefile("reply.sh", {})`, as for user_data and remote-exec. `${` begins an expression and
    `%{` a directive; `$${` and `%%{` are ways to write them. Without variables a name is an error, and so is
    nearly all that Bash writes between braces; and decomposed characters are composed (Normalization Form C). It
    owns these, and can't carry a NUL, bytes that are not UTF-8, nor expressions and directives that would have to
    be evaluated. Source: Terraform's language documentation, Strings and Templates; the HCL native syntax
    specification, Templates; compared with the library HCL 2.14, called as templatefile calls it."""

    name = "terraform-model"
    summary = 'templatefile("reply.sh", {}) of Terraform (model)'
    owns = "${ and %{, decomposed characters"
    cannot_carry = "NUL; bytes that are not UTF-8; expressions to evaluate"
    witness = b'echo "${NAME:-deploy}"'
    faithful = False
    starts_shell = False
    rules = MappingProxyType(
        {
            ord("$"): "begins an expression of a Terraform template, before a brace",
            ord("%"): "begins a directive of a Terraform template, before a brace",
        }
    )

    def inert(self, text: bytes, offset: int) -> bool:
        return text[offset + 1 : offset + 2] != b"{"

    def embed(self, text: bytes) -> bytes | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "a template")
        if refusal is not None:
            return refusal
        parts: list[bytes] = []
        place = 0
        while mark := _MARK.search(text, place):
            parts.append(text[place : mark.start()])
            place = mark.end()
            if len(mark.group()) == 3:
                parts.append(mark.group()[1:])
                continue
            number = _NUMBER.match(text, place) if mark.group() == b"${" else None
            if number is None:
                return self._unknown(text, mark)
            parts.append(number.group(1).lstrip(b"0") or b"0")
            place = number.end()
        made = b"".join([*parts, text[place:]])
        # Every string of HCL is kept in this form.
        return unicodedata.normalize("NFC", made.decode("utf-8")).encode("utf-8")

    def _unknown(self, text: bytes, mark: re.Match[bytes]) -> Refusal | Rejection:
        """The answer to an expression or directive that is no number."""
        evaluated = Refusal(self.name, mark.start(), "this part of a template would have to be evaluated")
        if mark.group() == b"%{":
            return (
                evaluated if _DIRECTIVE.match(text, mark.end()) else Rejection(self.name, "Invalid template directive")
            )
        name = _NAME.match(text, mark.end())
        if name is None:
            begins = _LITERAL.match(text, mark.end()) and not _EXTRA.match(text, mark.end())
            return evaluated if begins else Rejection(self.name, "Invalid expression")
        if name.group(1) in _CONSTANTS or name.group(2) == b"(":
            return evaluated
        shown = name.group(1).decode()
        if name.group(2) is None:
            return Rejection(
                self.name, f"Extra characters after interpolation expression {shown!r}, or an unknown name"
            )
        return Rejection(self.name, f'vars map does not contain key "{shown}"')

    def shield(self, one: bytes) -> bytes:
        return one * 2

    def armor(self, program: bytes) -> bytes:
        if re.search(rb"\$\$\{|%%\{", program) or not _is_composed(program):
            # What doubles another doubled sign is read otherwise; and no template holds a decomposed character.
            return one_line(program, b"{")
        return program.replace(b"${", b"$${").replace(b"%{", b"%%{")

    def disclosure(self) -> str:
        return "R is a Terraform template, rendered without any variable, and bash runs what comes out."


def _is_composed(program: bytes) -> bool:
    """Whether a template can hold `program` as it is: text in Normalization Form C."""
    try:
        return unicodedata.is_normalized("NFC", program.decode("utf-8"))
    except UnicodeDecodeError:
        return False


BOUNDARIES: tuple[Boundary, ...] = (TerraformModel(),)
