"""su and sudo: the reply is run by a program that changes to another user first.

Both are the real programs, started by root of a jail of several users, and change to the reply's own user, so that only
the path differs and not what the reply may do. Sources: su(1), PAM; sudo(8), sudoers(5).
"""

from __future__ import annotations

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.transports.afresh import SHELL, afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.limits import refuse_long, refuse_nul

_UNSET = b"unset MAIL ${!SUDO_*}"
_ENVIRONMENT_WITNESS = b"! env | grep -q ^SHELL="


class _Privilege(Boundary):
    """What all changes of user share."""

    cannot_carry = "NUL; more than 131,071 bytes"
    most = MAX_ARGUMENT_BYTES
    faithful = False
    starts_shell = True
    tool = True
    id_mapped = True
    needs_jail = True
    words: tuple[bytes, ...]

    def embed(self, text: bytes) -> Launch | Refusal:
        words = tuple(text if word == b"R" else word for word in self.words)
        refusal = refuse_nul(self.name, text) or refuse_long(self.name, text, self.most, "a command here")
        return refusal or Launch(b"/usr/bin/" + words[0], words, text, id_mapped=True)


class SuCommand(_Privilege):
    """`su -c R user`: init scripts, cron jobs, container entry points that drop root. The user's shell gets the reply
    whole. su owns a part of the environment: it sets HOME, SHELL, USER and LOGNAME. It can't carry a NUL, nor more
    than one argument of execve holds. Source: su(1) of util-linux."""

    name = "su-command"
    summary = "su -c R user"
    owns = "HOME, SHELL, USER and LOGNAME in the environment"
    witness = _ENVIRONMENT_WITNESS
    words = (b"su", b"-c", b"R", b"user")
    programs = ("su",)
    sees_arrival = False

    def armor(self, program: bytes) -> bytes:
        return afresh(program, SHELL)

    def disclosure(self) -> str:
        return "R is the argument of `su -c R user`, whose shell, bash, runs it."


class SudoBash(_Privilege):
    """`sudo -u user bash -c R`: how a command gets other rights. Bash gets the reply whole. sudo owns the environment,
    of which its rules keep a part (here all that a reply is promised), and adds names of its own. It can't carry a
    NUL, nor more than one argument of execve holds. Source: sudo(8), sudoers(5), env_reset."""

    name = "sudo-bash"
    summary = "sudo bash -c R"
    owns = "the environment: MAIL, SHELL, SUDO_*"
    witness = _ENVIRONMENT_WITNESS
    words = (b"sudo", b"-u", b"user", b"bash", b"-c", b"R")
    programs = ("sudo",)

    def armor(self, program: bytes) -> bytes:
        return afresh(program, _UNSET, SHELL)

    def disclosure(self) -> str:
        return "R is the script argument in `sudo -u user bash -c R`."


class SudoLogin(_Privilege):
    """`sudo -i -u user bash -c R`: the same with the environment of a login. sudo joins the command's words for the
    login shell, with a backslash before every character but letters, digits, `_`, `-` and `$`. So a dollar is expanded
    once more, and a newline, which a backslash does not keep, is gone; an empty reply is no word at all. It can't carry
    a NUL, nor more than half of what one argument of execve holds. Source: sudo(8), -i; sudoers(5)."""

    name = "sudo-login"
    summary = "sudo -i bash -c R, read once more by the login shell"
    owns = "dollar, newline; the environment: MAIL, SHELL, SUDO_*"
    witness = b"echo '$HOME'"
    words = (b"sudo", b"-i", b"-u", b"user", b"bash", b"-c", b"R")
    programs = ("sudo",)
    shells = 2
    cannot_carry = "NUL; more than 65,000 bytes"
    most = 65_000
    """Twice as long with a backslash before each, it has to be one argument with the words before it."""

    def armor(self, program: bytes) -> bytes:
        # A dollar before a quote that got a backslash is an ordinary character for the login shell.
        return one_line(afresh(program, _UNSET, SHELL), b"$")

    def disclosure(self) -> str:
        return (
            "R is the script argument in `sudo -i -u user bash -c R`. sudo puts a backslash before every character of "
            "R but letters, digits, _, - and $, and a login shell, bash, reads the line again."
        )


BOUNDARIES: tuple[Boundary, ...] = (SuCommand(), SudoBash(), SudoLogin())
