"""Other shells in place of bash: `SHELL -c R`, with the reply as one argument that arrives whole.

What differs is the language. Each shell takes its own name for the check of syntax (`-n`), reads no start-up file of
this machine, and finds an empty home. Armor hands the program on: `exec bash -c '...'`.
"""

from __future__ import annotations

from qfuzz.bash.quote import fish_word, single
from qfuzz.model.delivery import SHELLS, Launch, Refusal
from qfuzz.transports.afresh import LEVEL, OLDPWD, afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import refuse_for_argument


class _Shell(Boundary):
    """`SHELL -c R` for a shell of the Bourne family."""

    cannot_carry = "NUL; more than 131,071 bytes"
    faithful = False
    starts_shell = True
    arrival_note = "another shell reads the text, by other rules"
    undone: tuple[bytes, ...] = ()
    """What the shell itself leaves in the environment, as commands that undo it."""

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_for_argument(self.name, text)
        words = SHELLS[self.shell][:-1]
        return refusal or Launch(b"/bin/" + words[0], (*words, b"-c", text), text, shell=self.shell)

    def armor(self, program: bytes) -> bytes:
        return b"exec bash -c " + single(afresh(program, *self.undone))


class Dash(_Shell):
    """The Debian Almquist shell, which is `sh` on Debian and Ubuntu and so what `system(3)`, `subprocess` with
    `shell=True` and Dockerfile `RUN` start there. It owns the Bash extensions, and the backslash in arguments of its
    `echo`. It can't carry a NUL, nor more than one argument of execve holds. Source: dash(1), POSIX.1-2024 XCU 2."""

    name = "dash"
    shell = "dash"
    summary = "dash -c R: sh on Debian and Ubuntu"
    owns = "every Bash extension; backslashes in arguments of echo"
    witness = rb"echo 'C:\new'"
    programs = ("dash",)

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `dash -c`: a POSIX shell without Bash extensions."


class BusyboxSh(_Shell):
    """The ash of BusyBox, which is `sh` in Alpine images and on routers. It knows some Bash extensions (`[[ ]]`,
    `$'...'`, `<( )` when built so) and not others (arrays, brace expansion, `<<<` in older builds), and its
    `sed`, `grep` and `find` may be BusyBox's own. It can't carry a NUL, nor more than one argument of execve
    holds. Source: busybox(1)."""

    name = "busybox-sh"
    shell = "busybox"
    summary = "busybox sh -c R: sh in Alpine images"
    owns = "Bash extensions that ash lacks: arrays, {a,b}, and more"
    witness = b"echo {a,b}"
    programs = ("busybox",)
    undone = (LEVEL,)
    sees_arrival = False

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `busybox sh -c`, an Almquist shell."


class Zsh(_Shell):
    """The login shell of macOS, and of many who choose one; tools that run "the user's shell" meet it. It does not
    split unquoted variables into words, counts arrays from 1, fails where a glob matches nothing, and owns the
    names `status` and `path`. It can't carry a NUL, nor more than one argument of execve holds. Source:
    zshmisc(1), zshexpn(1), zshparam(1)."""

    name = "zsh"
    shell = "zsh"
    summary = "zsh -c R: the login shell of macOS"
    owns = "unquoted $x, globs without a match, status=, path=, =cmd, !"
    witness = b'list="a b"; for w in $list; do echo "<$w>"; done'
    programs = ("zsh",)
    undone = (OLDPWD,)

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `zsh -c`, so it is a Zsh program and no Bash one."


class Ksh(_Shell):
    """KornShell 93, the shell of AIX, Solaris and many an old server. It shares arrays and `[[ ]]` with Bash and
    differs in `local`, `<( )` details, `printf %q`, `echo` and the scope of functions; the last command of a
    pipeline runs in the shell itself. It can't carry a NUL, nor more than one argument of execve holds. Source:
    ksh(1)."""

    name = "ksh"
    shell = "ksh"
    summary = "ksh -c R: KornShell 93, on AIX, Solaris and old servers"
    owns = "Bash builtins and variables; the last command of a pipeline"
    witness = b'echo x | read -r a; echo "<$a>"'
    programs = ("ksh",)
    undone = (b"unset A__z",)

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `ksh -c`, so it is a KornShell program."


class Mksh(_Shell):
    """The MirBSD Korn shell, which is `sh` on Android (`adb shell`). It interprets backslashes in arguments of
    `echo`, has no `printf` builtin, and lacks associative arrays. It can't carry a NUL, nor more than one
    argument of execve holds. Source: mksh(1)."""

    name = "mksh"
    shell = "mksh"
    summary = "mksh -c R: sh on Android"
    owns = "Bash builtins and variables; backslashes in arguments of echo"
    witness = rb"echo 'C:\new'"
    programs = ("mksh",)

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `mksh -c`, so it is a MirBSD Korn shell program."


class Yash(_Shell):
    """Yet another shell, the strictest reader of POSIX in wide packaging; it stands for shells that do what the
    standard says and nothing that Bash adds. It can't carry a NUL, a text that is not valid in its locale, nor
    more than one argument of execve holds. Source: yash(1), POSIX.1-2024 XCU 2."""

    name = "yash"
    shell = "yash"
    summary = "yash -c R: a strict POSIX shell"
    owns = "every Bash extension; bytes that are not UTF-8"
    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes"
    witness = b"echo {a,b}"
    programs = ("yash",)

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_for_argument(self.name, text)
        if refusal is None:
            try:
                text.decode("utf-8")
            except UnicodeDecodeError as error:
                refusal = Refusal(self.name, error.start, "yash reads text, and this is no UTF-8")
        return refusal or super().embed(text)

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `yash -c`, a shell without Bash extensions."


class Fish(_Shell):
    """The friendly interactive shell, a login shell of many; terminals and editors that run "the user's shell" meet
    it. It is no POSIX shell: no heredocs, `$?`, `export x=y` semantics, `for ... do`, or `\\\\` rules of Bash;
    between single quotes a backslash escapes itself and the apostrophe. Its exit status after a syntax error of
    its own may be 0 in old versions. It can't carry a NUL, nor more than one argument of execve holds. Source:
    fish's language manual."""

    name = "fish"
    shell = "fish"
    summary = "fish -c R: a login shell that is no POSIX shell"
    owns = "nearly all syntax: <<, $?, for ... do, x=y, backslashes"
    witness = b"cat <<'EOF'\nhi\nEOF"
    programs = ("fish",)

    def armor(self, program: bytes) -> bytes:
        return b"exec bash -c " + fish_word(afresh(program))

    def disclosure(self) -> str:
        return "R is passed unchanged as the script argument of `fish -c`, so it is a fish program and no Bash one."


BOUNDARIES: tuple[Boundary, ...] = (Dash(), BusyboxSh(), Zsh(), Ksh(), Mksh(), Yash(), Fish())
