"""Text that tools put around a command before a shell reads both: markers, parentheses, redirections, prefixes, checks.

None of it escapes anything, and the reply's bytes all arrive; what they mean depends on what stands beside them. So
what breaks is where a reply ends (a comment, a heredoc, a backslash, a background job) and what it is a part of.
"""

from __future__ import annotations

from qfuzz.bash.quote import one_line, single
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.afresh import LEVEL, afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul
from qfuzz.transports.script_file import refuse_script, script_path

_NOTE = "the text stands inside of more, which decides what it means"
_HEREDOC = b"cat <<'EOF' > note.txt\nbody\nEOF"


class _Glue(Boundary):
    """A text before the reply and one after it."""

    cannot_carry = "NUL"
    faithful = False
    starts_shell = False
    adds_text = True
    arrival_note = _NOTE
    before = b""
    after = b""

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_nul(self.name, text, "a command line can't hold a NUL") or self.before + text + self.after

    def armor(self, program: bytes) -> bytes:
        return b"bash -c " + single(afresh(program, LEVEL))


class Marker(_Glue):
    """`R; echo MARKER`: how an agent's terminal tool finds out that a command is done and what its status was. The
    marker joins the last line of the reply, so a comment there, a heredoc's end, a backslash or an `&` takes it
    in, and the exit status is kept by hand. It owns how the reply ends, and can't carry a NUL. Here the marker
    goes to stderr and the status is handed on, so that only damage shows. Source: POSIX.1-2024 XCU 2.7.4, 2.9.3;
    Bash's manual, Lists."""

    name = "marker"
    summary = "R; rc=$?; echo MARKER >&2; exit $rc on the same line"
    owns = "how the reply ends: comment, heredoc, backslash, &, ;"
    witness = _HEREDOC
    after = b"; rc=$?; echo __DONE__ >&2; exit $rc"

    def disclosure(self) -> str:
        return "R is followed, on its last line, by `; rc=$?; echo __DONE__ >&2; exit $rc` in one Bash program."


class Subshell(_Glue):
    """`( R )`: wrappers that pipe, time or redirect "the whole command". The parenthesis joins the last line of the
    reply, so a comment or a heredoc's end there takes it in; what the reply sets is lost with the subshell. It
    owns how the reply ends, an unbalanced parenthesis, and the status of an error such as `${x:?}`, which ends the
    subshell alone, with 1; it can't carry a NUL. Source: POSIX.1-2024 XCU 2.9.4.1."""

    name = "subshell"
    summary = "( R ) on one line"
    owns = "how the reply ends: comment, heredoc, backslash; the status of an error that ends the shell"
    witness = b"echo hi # done"
    before = b"( "
    after = b" )"

    def disclosure(self) -> str:
        return "R is pasted, as it is, between the parentheses of `( R )`, on its own lines, in a Bash program."


class ArithmeticSubshell(_Glue):
    """`((R) | cat)`: the same without a blank, where Bash first tries to read an arithmetic command and, falling
    back, no longer finds the bodies of heredocs. It owns heredocs besides how the reply ends, and can't carry a
    NUL. Source: POSIX.1-2024 XCU 2.9.4.1, which asks for a blank between two opening parentheses."""

    name = "double-paren"
    summary = "((R) | cat) without a blank between the parentheses"
    owns = "heredocs, and how the reply ends; the exit status"
    witness = b"cat > x.txt <<'EOF'\nhello\nEOF\nwc -c < x.txt"
    keeps_status = False
    before = b"(("
    after = b") | cat)"

    def armor(self, program: bytes) -> bytes:
        """No byte but letters, digits and blanks stands in it as itself.

        Reading the text a second time, Bash 5.2 loses the bytes 1 and 127 even between quotes. The comment at the end
        keeps the newline before it, which a substitution would take away.
        """
        whole = program + b"#" if program.endswith(b"\n") else program
        written = b"".join(
            bytes([byte]) if bytes([byte]).isalnum() or byte == 0x20 else b"\\0%03o" % byte for byte in whole
        )
        return b"bash -c \"$(printf %b '" + written + b"')\""

    def disclosure(self) -> str:
        return "R is pasted, as it is, into `((R) | cat)` in a Bash program."


class Group(_Glue):
    """`{ R; }`: the same for wrappers that want no subshell. A semicolon joins the last line of the reply: after `&` or
    another semicolon it is a syntax error, and a comment or a heredoc's end takes it in. It owns how the reply ends,
    and can't carry a NUL. Source: POSIX.1-2024 XCU 2.9.4.1."""

    name = "group"
    summary = "{ R; } on one line"
    owns = "how the reply ends: comment, heredoc, backslash, &, ;"
    witness = b"echo hi;"
    before = b"{ "
    after = b"; }"

    def disclosure(self) -> str:
        return "R is pasted, as it is, between the braces of `{ R; }` in a Bash program."


class StdinNull(_Glue):
    """`R < /dev/null`: agents append it so that nothing waits for input. The redirection belongs to the last
    command alone, overrides a pipe or heredoc that feeds it, and is taken in by a comment or a heredoc's end. It
    owns the input of the last command and how the reply ends, and can't carry a NUL. Source: POSIX.1-2024 XCU
    2.7."""

    name = "stdin-null"
    summary = "R < /dev/null on the same line"
    owns = "the input of the last command; how the reply ends"
    witness = b"echo hi | cat"
    after = b" < /dev/null"

    def disclosure(self) -> str:
        return "R is followed, on its last line, by ` < /dev/null` in a Bash program."


class Timed(_Glue):
    """`timeout 60 R`: a limit of time, or any other program (`time`, `nice`, `strace`), put before a command. It
    takes the first simple command only, which has to be a program: builtins, assignments, functions and compound
    commands are not. It owns how the reply begins, and can't carry a NUL. Source: timeout(1) of GNU coreutils."""

    name = "timed"
    summary = "timeout 60 R: a program put before the command"
    owns = "the first word: builtins, assignments, for, if, [[, (, {"
    witness = b"for w in a b; do echo $w; done"
    before = b"timeout 60 "

    def disclosure(self) -> str:
        return "R is preceded, on its first line, by `timeout 60 ` in a Bash program."


class SyntaxCheck(Boundary):
    """`bash -n` on the reply first, and no run where it complains: agents check commands before they run them. The
    check knows no option that the reply itself sets (`shopt -s extglob`), no alias, and reads all lines where a
    shell might stop before. It owns grammar that is switched on at run time, and what `script-file` does not keep, a
    last backslash too; it can't carry a NUL, nor a text that begins as an ELF program does. Source: Bash's manual,
    The Set Builtin, -n; Pattern Matching, extglob."""

    name = "syntax-check"
    summary = "bash -n first, and a run only if it says nothing"
    owns = (
        "grammar that the reply switches on: extglob, aliases; text after exit; what script-file does not keep: the "
        "script's name, the status of an error that ends the shell; a backslash that ends the text"
    )
    cannot_carry = "NUL; at the beginning, the mark of an ELF program"
    exceptions = (Declared.NAME, Declared.ENDED)
    witness = b"shopt -s extglob\ntouch a.log b.txt\nls !(*.log)"
    faithful = False
    starts_shell = True
    sees_arrival = False
    arrival_note = "a check may keep the text from being run"
    _SCRIPT = b'bash -n "$1" && exec bash "$1"'

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_script(self.name, text)
        path = script_path(text)
        words = (b"bash", b"-c", self._SCRIPT, b"bash", path)
        return refusal or Launch(b"/bin/bash", words, text, files=(SideFile(path, text),))

    def armor(self, program: bytes) -> bytes:
        return one_line(afresh(program))

    def disclosure(self) -> str:
        return "R is written to a file; `bash -n FILE` must accept it, and then `bash FILE` runs it."


BOUNDARIES: tuple[Boundary, ...] = (
    Marker(),
    Subshell(),
    ArithmeticSubshell(),
    Group(),
    StdinNull(),
    Timed(),
    SyntaxCheck(),
)
