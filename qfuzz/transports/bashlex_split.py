"""The Python parser bashlex: the reply is taken apart into its commands, which are run in turn.

bashlex loops for ever on some texts, and is under the GPL, so it is a user's to install (see NOTICE). Its files go
with the launch, and it parses in the jail, with a limit of processor time."""

from __future__ import annotations

from qfuzz.bash.quote import any_shell
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.available import require_boundary
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes, refuse_long
from qfuzz.transports.packages import python_package
from qfuzz.transports.script_file import SCRIPT_DIRECTORY, script_path

_RUN = b"""import resource, signal, subprocess, sys
sys.path.insert(0, "/run/qfuzz/in")
limits = resource.getrlimit(resource.RLIMIT_CPU)
resource.setrlimit(resource.RLIMIT_CPU, (4, limits[1]))
import bashlex
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
try:
    found = bashlex.parse(text)
except Exception as error:
    sys.exit(f"bashlex: {type(error).__name__}: {error}")
resource.setrlimit(resource.RLIMIT_CPU, limits)
parts = []
for node in found:
    inner = node.parts if node.kind == "list" else [node]
    begin = None
    for part in inner:
        if part.kind == "operator" and part.op in (";", "\\n"):
            begin = None
            continue
        if begin is None:
            begin = part.pos[0]
            parts.append([begin, part.pos[1]])
        parts[-1][1] = max(parts[-1][1], part.pos[1])
status = 0
for begin, end in parts:
    status = subprocess.run(["bash", "-c", text[begin:end]]).returncode
sys.exit(status if status >= 0 else 128 - status)
"""


class BashlexSplit(Boundary):
    """`bashlex.parse(R)`, and `bash -c` for each command of it in turn: agents that check or stream commands one by
    one. What the parser does not know is refused (quoted heredocs, `[[ ]]`, `(( ))`, `case`, arrays, a text of
    comments), what a command sets is lost for the next, and bodies of heredocs are cut off. It owns all of this,
    and can't carry a NUL or bytes that are not UTF-8. Source: the readme of bashlex and its issues; it runs."""

    name = "bashlex-split"
    summary = "bashlex.parse(R), then bash -c for each command in turn"
    owns = "variables and directories that last, heredocs, [[ ]], case, arrays"
    cannot_carry = "NUL; bytes that are not UTF-8; more than 8,192 bytes"
    witness = b"x=1; echo $x"
    faithful = False
    starts_shell = True
    tool = True
    arrival_note = "each command is a program of its own"
    modules = ("bashlex",)
    programs = ("python3",)

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_bytes(self.name, text, "a string of Python") or refuse_long(
            self.name, text, 8_192, "what bashlex reads in any time"
        )
        if refusal is not None:
            return refusal
        require_boundary(self)
        reply = script_path(text, b".txt")
        script = script_path(_RUN, b".py")
        files = (SideFile(script, _RUN), SideFile(reply, text), *python_package("bashlex", SCRIPT_DIRECTORY))
        return Launch(b"/usr/bin/python3", (b"python3", b"-ISB", script, reply), text, files=files)

    def armor(self, program: bytes) -> bytes:
        return any_shell(program)

    def disclosure(self) -> str:
        return (
            "R is parsed by the Python library bashlex, and each of its commands is run by a `bash -c` of its "
            "own, in turn."
        )


BOUNDARIES: tuple[Boundary, ...] = (BashlexSplit(),)
