"""Scripts of a package.json: arguments behind `--` that a package manager quotes for a shell."""

from __future__ import annotations

import json

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.afresh import OLDPWD, afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES, refuse_for_argument
from qfuzz.transports.limits import refuse_bytes, refuse_long
from qfuzz.transports.script_file import SCRIPT_DIRECTORY

_FOLDER = SCRIPT_DIRECTORY + b"package"
_PACKAGE = json.dumps(
    {"name": "reply", "version": "1.0.0", "private": True, "scripts": {"reply": 'cd "$INIT_CWD" && bash -c'}}
).encode()

_UNSET = b"unset ${!npm_*} COLOR EDITOR NODE INIT_CWD"
_PATH = b"PATH=${PATH##*/node-gyp-bin:}"
"""npm puts folders of its own first, this one as the last of them."""


class NpmRun(Boundary):
    """`npm run reply -- R` with the script `bash -c`: how people hand arguments to scripts of a package. npm
    quotes them for `sh`, which npm 8.12 and later do well; it sets `npm_...` variables, COLOR, EDITOR, NODE,
    INIT_CWD and OLDPWD, changes PATH, and says how the script ended in its own words. It owns the environment,
    and can't carry a NUL, nor more than an argument with all its quotes. Source: npm-run-script(1); npm runs,
    without any network."""

    name = "npm-run"
    summary = "npm run reply -- R, the script being bash -c"
    owns = "the environment: PATH, npm_... variables, COLOR, EDITOR, NODE, INIT_CWD, OLDPWD"
    cannot_carry = "NUL; more than 120,000 bytes"
    witness = b'echo "$npm_lifecycle_event"'
    faithful = False
    starts_shell = True
    shells = 2
    tool = True
    arrival_note = "npm changes the environment"
    programs = ("npm", "node")
    _WORDS = (b"npm", b"run", b"--silent", b"--offline", b"--no-update-notifier", b"--no-fund", b"--prefix", _FOLDER)

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = (
            refuse_for_argument(self.name, text)
            or refuse_bytes(self.name, text, "an argument of npm")
            or refuse_long(self.name, text, 120_000, "an argument of npm")
        )
        words = (*self._WORDS, b"reply", b"--", text)
        return refusal or Launch(b"/usr/bin/npm", words, text, files=(SideFile(_FOLDER + b"/package.json", _PACKAGE),))

    def armor(self, program: bytes) -> bytes | None:
        return None if refuse_bytes(self.name, program, "") else afresh(program, _UNSET, OLDPWD, _PATH)

    def disclosure(self) -> str:
        return "R is an argument behind -- of `npm run`, for a script that is `bash -c`; npm quotes it for sh."


class PackageScriptModel(Boundary):
    """A model of a package manager that quotes the arguments of a script as JSON strings, as pnpm did up to 9.15.4
    and npm before it: to a shell these are double quotes, in which dollar and backtick are active and `\\n` is two
    characters. It owns these, and can't carry a NUL or bytes that are not UTF-8. Source: pnpm's issues 6143 and
    9381; POSIX.1-2024 XCU 2.2.3; compared with pnpm 9.15.4. The shell is `sh`, and runs."""

    name = "package-script-model"
    summary = 'sh -c "bash -c <R as a JSON string>", as pnpm quoted (model)'
    owns = "dollar, backtick, newline, control characters"
    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes"
    witness = b"printf '%s\\n' 'john$doe'"
    faithful = False
    expands = True
    starts_shell = True
    shells = 2
    tool = True

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_bytes(self.name, text, "JSON")
        command = b"bash -c " + json.dumps(text.decode("utf-8", "replace"), ensure_ascii=False).encode()
        refusal = refusal or refuse_long(self.name, command, MAX_ARGUMENT_BYTES, "an argument")
        return refusal or Launch(b"/bin/sh", (b"sh", b"-c", command), command)

    def armor(self, program: bytes) -> bytes:
        return one_line(program, b'$`"!')

    def disclosure(self) -> str:
        return "R is written as a JSON string behind `bash -c`, and `sh -c` runs that line."


BOUNDARIES: tuple[Boundary, ...] = (NpmRun(), PackageScriptModel())
