"""The task runner Task: the reply as a command of a Taskfile, which Task renders and interprets by itself."""

from __future__ import annotations

from qfuzz.bash.quote import one_line, printable_word
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.model.tools import FOLDER
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes
from qfuzz.transports.script_file import script_path
from qfuzz.transports.yaml_text import double_quoted


class Taskfile(Boundary):
    """`cmds: [R]` in a Taskfile, run by `task`. The file is written by a serializer, so YAML loses nothing. Task
    renders each command as a Go template with functions of its own, in which unset variables are empty. Then no shell
    is started: its own interpreter (mvdan/sh) reads the result. That is not bash. It stops at the first command that
    fails, unless `set +e` is there; `kill`, `jobs`, `umask`, `ulimit`, `history`, `coproc`, descriptors above 2,
    `printf -v`, `%q`, `%.2f` and traps of signals are missing, `$$` is Task itself, a pattern stays one in
    `${x#"$y"}`, and a carriage return before a newline is dropped, in quotes too. It owns `{{` and these, and can't
    carry a NUL or bytes that are not UTF-8. With `--exit-code` the status is the command's, death by signal n being
    128+n; without it, it is 201 for any failure, as it is here where the interpreter can't parse. What Task rendered
    is on stderr. Source: Task's guide, its Templating Reference, and the readme of mvdan/sh; Task runs."""

    name = "taskfile"
    summary = "the reply as a command of a Taskfile, run by task"
    owns = "{{; the first command that fails ends it; what Task's interpreter lacks of bash"
    cannot_carry = "NUL; bytes that are not UTF-8"
    witness = b"printf '%s\\n' '{{.ID}}'"
    faithful = False
    starts_shell = True
    tool = True
    sees_arrival = False
    arrival_note = "Task renders the text as a template, and its own interpreter reads it"
    needs_jail = True
    tools = ("task",)
    _PROGRAM = f"{FOLDER}/task".encode()

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_bytes(self.name, text, "YAML")
        if refusal is not None:
            return refusal
        content = self._taskfile(text)
        path = script_path(content, b".yml")
        words = (self._PROGRAM, b"--exit-code", b"--taskfile", path, b"--dir", b".", b"run")
        return Launch(self._PROGRAM, words, text, files=(SideFile(path, content),))

    @staticmethod
    def _taskfile(text: bytes) -> bytes:
        command = double_quoted(text.decode("utf-8"))
        return f'version: "3"\ntasks:\n  run:\n    cmds: [{command}]\n'.encode()

    def reproduction(self, text: bytes) -> bytes | None:
        return b"printf %s " + printable_word(self._taskfile(text)) + b" > Taskfile.yml; task --exit-code run"

    def armor(self, program: bytes) -> bytes:
        return one_line(program, b"{")

    def disclosure(self) -> str:
        return (
            "R is a command of a Taskfile: a Go template first, in which unset variables are empty, and then a program "
            "for Task's own shell interpreter, which is not bash and stops at the first command that fails."
        )


BOUNDARIES: tuple[Boundary, ...] = (Taskfile(),)
