"""Ansible's free-form `shell: R`: the text is split and searched for options before a shell gets the rest. A model."""

from __future__ import annotations

from dataclasses import dataclass, field

from qfuzz.bash.quote import any_shell
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_bytes, refuse_long

_OPTIONS = ("chdir", "creates", "executable", "removes", "stdin", "stdin_add_newline", "strip_empty_ends")
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
    split at blanks outside quotes and joined again, quotes being counted in comments as well, so that one
    apostrophe there stops the play; words such as `chdir=/tmp` are taken out as options. `sh` runs the rest. It
    owns quotes that do not pair, option words, blanks in a row, a backslash that stands alone, and Bash
    extensions; it can't carry a NUL, bytes that are not UTF-8, nor the options that look at files. Source:
    Ansible's documentation of ansible.builtin.shell, Notes and free_form; the reading of arguments in
    ansible.parsing.splitter."""

    name = "ansible-shell-model"
    summary = "shell: R of Ansible, free-form, run by sh (model)"
    owns = "unpaired quotes, chdir= and its like, blanks in a row; Bash extensions"
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
        options = {name: value for name, _, value in (word.partition("=") for word in words) if name in _OPTIONS}
        for name in ("creates", "removes", "stdin_add_newline", "strip_empty_ends"):
            if name in options:
                return Refusal(self.name, text.index(name.encode()), f"the option {name} is not modelled")
        command = " ".join(word for word in words if word.partition("=")[0] not in _OPTIONS or "=" not in word).encode()
        if not command.strip():
            return Rejection(self.name, "no command given")
        values = {name: value.strip().strip("\"'").encode() for name, value in options.items()}
        shell = values.get("executable", b"/bin/sh")
        given = values["stdin"] + b"\n" if "stdin" in values else None
        if "chdir" in values:
            words_ = (b"env", b"-C", values["chdir"], shell, b"-c", command)
            return Launch(b"/usr/bin/env", words_, command, stdin=given, shell=self.shell)
        if shell != b"/bin/sh":
            return Launch(b"/usr/bin/env", (b"env", shell, b"-c", command), command, stdin=given)
        return Launch(b"/bin/sh", (b"sh", b"-c", command), command, stdin=given, shell=self.shell)

    def armor(self, program: bytes) -> bytes:
        return any_shell(program)

    def disclosure(self) -> str:
        return (
            "R is the free-form argument of Ansible's shell module: it is split, options are taken out, and sh "
            "runs the rest."
        )


def _split(text: str) -> list[str] | None:
    """The words, each with the newline that followed it; None where a quote or block is left open."""
    words: list[str] = []
    opened = _Open()
    lines = text.strip().split("\n")
    for number, line in enumerate(lines):
        continued = False
        for place, piece in enumerate(line.split(" ")):
            if piece == "\\" and not opened.quote:
                continued = True
                continue
            inside = bool(opened)
            opened.read(piece)
            if inside and words:
                words[-1] += piece if place == 0 else f" {piece}"
            elif piece:
                words.append(piece)
        if number < len(lines) - 1 and not continued and words:
            words[-1] += "\n"
    return None if opened else words


BOUNDARIES: tuple[Boundary, ...] = (AnsibleShellModel(),)
