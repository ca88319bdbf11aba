"""Ansible's free-form `shell: R`: the text is split and searched for options before a shell gets the rest. A model."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

from qfuzz.bash.quote import any_shell
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long

_OPTIONS = ("chdir", "creates", "executable", "removes", "stdin", "stdin_add_newline", "strip_empty_ends", "warn")
_NOT_MODELLED = ("creates", "removes", "stdin_add_newline", "strip_empty_ends")
_ESCAPE = re.compile(r"\\(U[0-9A-Fa-f]{8}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|N\{[^}]+\}|[\\'\"abfnrtv])")
_EQUALS = re.compile(r"(?<!\\)=")
_BLOCKS = (("{{", "}}"), ("{%", "%}"), ("{#", "#}"))


@dataclass
class _Open:
    """What is open behind a piece of the text: a quote, or blocks of a template."""

    quote: str = ""
    blocks: list[int] = field(default_factory=lambda: [0] * len(_BLOCKS))

    def __bool__(self) -> bool:
        return bool(self.quote) or any(self.blocks)

    def read(self, piece: str) -> None:
        before = ""
        for char in piece:
            if char in "\"'" and before != "\\":
                if not self.quote:
                    self.quote = char
                elif self.quote == char:
                    self.quote = ""
            before = char
        for number, (begin, end) in enumerate(_BLOCKS):
            self.blocks[number] = max(0, self.blocks[number] + piece.count(begin) - piece.count(end))


class AnsibleShellModel(Boundary):
    """A model of a task with `shell: R` on one line of arguments, without the rendering (see `jinja2`). The text is
    split at blanks and newlines outside quotes and joined again, quotes being counted in comments as well, so that
    one apostrophe there stops the play; words such as `chdir=/tmp` are taken out as options, a backslash that
    stands alone and a blank that alone begins a line are dropped, and in a word whose equals signs all have a
    backslash escapes are decoded. An unknown `\\N{name}` stops the play. `sh` runs the rest. It owns these and
    Bash extensions; it can't carry a NUL, bytes that are not UTF-8, nor the options that look at files. Source:
    Ansible's documentation of ansible.builtin.shell, Notes and free_form; compared with ansible-core 2.19.3, its
    reader of tasks and its command module."""

    name = "ansible-shell-model"
    summary = "shell: R of Ansible, free-form, run by sh (model)"
    owns = "unpaired quotes, chdir= and its like, a lone backslash, \\= and \\N{...}; Bash extensions"
    cannot_carry = "NUL; bytes that are not UTF-8; creates= and removes=; more than 131,071 bytes"
    witness = b"echo chdir=/tmp done"
    faithful = False
    starts_shell = True
    shell = "sh"
    tool = True
    sees_arrival = False
    arrival_note = "another shell reads the text, by other rules"

    def embed(self, text: bytes) -> Launch | Refusal | Rejection:
        refusal = refuse_bytes(self.name, text, "a playbook") or refuse_long(
            self.name, text, MAX_ARGUMENT_BYTES, "an argument"
        )
        if refusal is not None:
            return refusal
        words = _split(text.decode("utf-8"))
        if words is None:
            return Rejection(self.name, "failed at splitting arguments, either an unbalanced jinja2 block or quotes")
        try:
            command, options = _read(words)
            values = {name: value.encode("utf-8") for name, value in options.items()}
            program = command.encode("utf-8")
        except UnicodeEncodeError:
            return Refusal(self.name, max(0, text.find(b"\\u")), "an escape makes half a character")
        except ValueError as error:
            return Rejection(self.name, str(error))
        for name in _NOT_MODELLED:
            if name in options:
                return Refusal(self.name, max(0, text.find(name.encode())), f"the option {name} is not modelled")
        folder = values.get("chdir", b"")
        if folder[:1] == b"~" or b"$" in folder:
            return Refusal(self.name, max(0, text.find(b"chdir")), "a folder with variables in it is not modelled")
        if "warn" in options or not program:
            return Rejection(self.name, "Unsupported parameters: warn" if "warn" in options else "no command given")
        if b"\0" in program or any(b"\0" in value for value in values.values()):
            return Rejection(self.name, "embedded null byte")
        shell = values.get("executable") or b"/bin/sh"
        given = values["stdin"] + b"\n" if values.get("stdin") else None
        if folder:
            argv = (b"env", b"-C", folder, shell, b"-c", program)
            return Launch(b"/usr/bin/env", argv, program, stdin=given, shell=self.shell)
        if shell != b"/bin/sh":
            return Launch(b"/usr/bin/env", (b"env", shell, b"-c", program), program, stdin=given)
        return Launch(b"/bin/sh", (b"sh", b"-c", program), program, stdin=given, shell=self.shell)

    def armor(self, program: bytes) -> bytes:
        return any_shell(program)

    def disclosure(self) -> str:
        return (
            "R is the free-form argument of Ansible's shell module: it is split, options are taken out, and sh "
            "runs the rest."
        )


def _split(text: str) -> list[str] | None:
    """The words, each with the blanks and newlines that follow it but for one; None where a quote or block is left
    open."""
    words: list[str] = []
    opened = _Open()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        continued = False
        for place, piece in enumerate(line.split(" ")):
            if place and not piece:
                _lengthen(words, " ")
            elif piece == "\\" and not opened.quote:
                continued = True
            elif opened:
                _lengthen(words, f" {piece}" if place else piece)
            elif piece:
                words.append(piece)
            if piece != "\\" or opened.quote:
                opened.read(piece)
        if number < len(lines) - 1 and not continued:
            _lengthen(words, "\n")
    return None if opened else words


def _lengthen(words: list[str], by: str) -> None:
    if not words:
        words.append("")
    words[-1] += by


def _read(words: list[str]) -> tuple[str, dict[str, str]]:
    """The command and the options; raises ValueError for an escape that means nothing."""
    command = ""
    options = {}
    for word in words:
        decoded = _ESCAPE.sub(lambda match: codecs.decode(match.group(), "unicode-escape"), word)
        equals = _EQUALS.search(decoded, 1)
        kept = word
        if equals and decoded[: equals.start()] in _OPTIONS:
            options[decoded[: equals.start()]] = _unquoted(decoded[equals.end() :].strip())
            continue
        if "=" in decoded and not equals:
            kept = decoded.replace("\\=", "=")
        command += kept if not command or command.endswith("\n") else f" {kept}"
    return command, options


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" and value[-2] != "\\"
    return value[1:-1] if quoted else value


BOUNDARIES: tuple[Boundary, ...] = (AnsibleShellModel(),)
