"""ssh: the reply goes to an account on another machine, whose login shell reads it.

A real ssh talks to a real sshd, started for the one connection (`sshd -i` behind ProxyCommand), so that nothing listens
and no connection outlives a reply. Over a port of the jail's loopback the same arrives, and takes over four times as
long: most of that is waiting for two delayed acknowledgements of TCP. The account is the reply's own user in the same
work directory, with the same environment: a start-up file that bash reads because sshd started it puts that right,
and notes what arrived. Source: ssh(1), "If a command is specified, it will be executed on the remote host instead of
a login shell"; sshd(8), LOGIN PROCESS; bash(1), INVOCATION, on what a shell does that a remote shell daemon starts.
"""

from __future__ import annotations

import functools
import struct
from base64 import b64encode

from qfuzz.bash.quote import as_word, double, fish_word
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.model.recorder import BEGIN, NOTE_ARRIVAL, PLACE_FILES, TAP
from qfuzz.transports.afresh import LEVEL, afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_long, refuse_nul
from qfuzz.transports.nested import Nested

_FILES = "/run/qfuzz/in/ssh"
_CONFIG = f"{_FILES}/ssh_config"
_PASSED = "GIT_* LC_* TZ TERM _QFUZZ_*"
_MOST = 120_000
"""Below what one string of an ssh command may be: an argument of execve, less what the login shell's own takes."""

_SECRET = bytes.fromhex("9795e51158d91218213255b33b17c9789a517f24e83fa520ab8cbcef56ccf639")
_PUBLIC = bytes.fromhex("3c27f6d2d50eb18e016ef37d22952b6893660a6b52ef47548602859f1d7c96e2")
"""An Ed25519 key that opens nothing: it is the host key of connections from a jail to itself. The account has no
password, and needs none."""

_SSH_CONFIG = f"""\
Host *
    ProxyCommand /usr/sbin/sshd -i -f {_FILES}/sshd_config
    KexAlgorithms curve25519-sha256
    PreferredAuthentications none
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    GlobalKnownHostsFile /dev/null
    LogLevel ERROR
    BatchMode yes
    SendEnv {_PASSED}
"""

# sshd waits after each attempt to log in, for a time that depends on the user, on its key and on this file (auth2.c,
# user_specific_delay): up to 4.3 ms more than the least, where a connection takes 25. With this number it is the least.
_SSHD_CONFIG = f"""\
# 264
HostKey {_FILES}/key
UsePAM no
PidFile none
UseDNS no
PasswordAuthentication yes
PermitEmptyPasswords yes
KbdInteractiveAuthentication no
PrintMotd no
LogLevel QUIET
AcceptEnv {_PASSED}
SetEnv HOME={_FILES}/home XDG_CONFIG_HOME={_FILES}/home XDG_DATA_HOME={TAP} PATH=/usr/bin:/bin
"""

_BASH_START = (
    "HOME=/home/user\n"
    + BEGIN
    + "unset OLDPWD SSH_CLIENT SSH_CONNECTION MAIL XDG_CONFIG_HOME XDG_DATA_HOME\n"
    + "export OLDPWD\nexport -n SHELL\n"
    + NOTE_ARRIVAL
    + ": /usr/bin/bash\n"
)

_FISH_START = f"""
set -gx HOME /home/user
set -gx USER user
set -gx LOGNAME user
cd (cat {PLACE_FILES[0]})
set -gx PATH (string split : (cat {PLACE_FILES[1]}))
set -e SSH_CLIENT SSH_CONNECTION MAIL SHELL XDG_CONFIG_HOME XDG_DATA_HOME
"""


@functools.cache
def _side_files() -> tuple[SideFile, ...]:
    texts = {
        "ssh_config": _SSH_CONFIG,
        "sshd_config": _SSHD_CONFIG,
        "home/.bashrc": _BASH_START,
        # An empty command is none, and starts a login shell.
        "home/.bash_profile": _BASH_START,
        "home/fish/config.fish": _FISH_START,
    }
    files = [SideFile(f"{_FILES}/{name}".encode(), text.encode()) for name, text in texts.items()]
    return (*files, SideFile(f"{_FILES}/key".encode(), _private_key(), 0o600))


def _strings(*values: bytes) -> bytes:
    """Values as `string` of RFC 4251, section 5."""
    return b"".join(struct.pack(">I", len(value)) + value for value in values)


def _public_key() -> bytes:
    return _strings(b"ssh-ed25519", _PUBLIC)


def _private_key() -> bytes:
    """The key in the format of OpenSSH's PROTOCOL.key, without a passphrase."""
    secret = bytes(8) + _strings(b"ssh-ed25519", _PUBLIC, _SECRET + _PUBLIC, b"")
    secret += bytes(range(1, 1 + -len(secret) % 8))
    whole = b"openssh-key-v1\0" + _strings(b"none", b"none", b"") + struct.pack(">I", 1)
    text = b64encode(whole + _strings(_public_key(), secret)).decode()
    lines = "\n".join(text[start : start + 70] for start in range(0, len(text), 70))
    kind = "OPENSSH PRIVATE KEY"
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n".encode()


def _launch(*words: bytes, text: bytes, stdin: bytes | None = None, shell: str = "bash") -> Launch:
    argv = (b"ssh", b"-F", _CONFIG.encode(), *words)
    return Launch(b"/usr/bin/ssh", argv, text, stdin, _side_files(), shell)


def _refuse(boundary: str, text: bytes) -> Refusal | None:
    return refuse_nul(boundary, text) or refuse_long(boundary, text, _MOST, "a command of ssh")


def _keeping_status(program: bytes) -> bytes:
    """ssh says 255 of a shell that a signal ended; a shell says 128 and the signal's number of its child."""
    return b"bash -c " + as_word(afresh(program, LEVEL)) + b"\nexit $?"


class _Ssh(Boundary):
    """What all ways through ssh share."""

    faithful = False
    starts_shell = True
    tool = True
    programs: tuple[str, ...] = ("ssh", "sshd")
    needs_jail = True


class SshArgv(_Ssh):
    """`ssh host R`, the reply as one argument: `subprocess.run(["ssh", host, command])`, fabric, parallel-ssh. ssh
    sends the string as it is, and the account's login shell, bash here, runs it with -c. It owns a dash at the
    beginning, which ssh takes for an option, the exit status of a shell that a signal ends, which becomes 255,
    standard input, which is a pipe there, and jobs in the background: ssh waits for all that hold the output open. It
    can't carry a NUL, nor quite as much as one argument of execve holds. Source: ssh(1); sshd's session ends when the
    pipes of the command do."""

    name = "ssh-argv"
    summary = "ssh host R, the reply as one argument"
    owns = (
        "a dash at the beginning; death by a signal, which becomes 255; standard input, a pipe; jobs in the background "
        "that hold the output open, which are waited for"
    )
    cannot_carry = "NUL; more than 120,000 bytes"
    witness = b"test -c /dev/stdin"

    def embed(self, text: bytes) -> Launch | Refusal:
        return _refuse(self.name, text) or _launch(b"host", text, text=text)

    def armor(self, program: bytes) -> bytes:
        return _keeping_status(program)

    def disclosure(self) -> str:
        return "R is the one command argument of `ssh host R`; the login shell there, bash, runs it."


class SshPasted(_Ssh):
    """`ssh host "R"` in a local script: what people write by hand, in Makefiles, in deployment scripts. The local bash
    expands the text between the double quotes before ssh sends it, so it owns what `nested` does, and what `ssh-argv`
    does besides. It can't carry a NUL. Source: ssh(1), POSIX.1-2024 XCU 2.2.3."""

    name = "ssh-pasted"
    summary = 'ssh host "R" in a local script'
    owns = (
        "between double quotes: backslash, dollar, backtick, double quote; a dash at the beginning; death by a signal; "
        "jobs in the background that hold the output open"
    )
    cannot_carry = "NUL; more than 120,000 bytes"
    witness = Nested.witness
    rules = Nested.rules
    expands = True
    tool = False

    def files(self) -> tuple[SideFile, ...]:
        return _side_files()

    def inert(self, text: bytes, offset: int) -> bool:
        return Nested().inert(text, offset)

    def embed(self, text: bytes) -> bytes | Refusal:
        return _refuse(self.name, text) or b"ssh -F " + _CONFIG.encode() + b' host "' + text + b'"'

    def shield(self, one: bytes) -> bytes:
        return double(one)[1:-1]

    def armor(self, program: bytes) -> bytes:
        return double(_keeping_status(program))[1:-1]

    def disclosure(self) -> str:
        return (
            'R is pasted, as it is, between the double quotes of `ssh host "R"` in a script that a local bash runs. So '
            "R is first the inside of a double-quoted string, and what comes out is a program for bash on host."
        )


class SshStdin(_Ssh):
    """`ssh host bash -s < R`: scripts sent to a machine without a copy of them there. Bash reads the reply as its own
    input, which commands of the reply share, so it owns standard input; besides, what `stdin` owns, and jobs in the
    background, as `ssh-argv` does. It can't carry a NUL. Source: bash(1), -s."""

    name = "ssh-stdin"
    summary = "ssh host bash -s, the reply on standard input"
    owns = (
        "standard input: a command that reads it takes the rest of the program; a backslash that ends the text; the "
        "status of an error that ends the shell; jobs in the background that hold the output open"
    )
    cannot_carry = "NUL"
    witness = b"cat\necho done"
    exceptions = (Declared.ENDED,)
    sees_arrival = False
    arrival_note = "commands of the reply can read the text before bash does"

    def embed(self, text: bytes) -> Launch | Refusal:
        return refuse_nul(self.name, text) or _launch(b"host", b"bash", b"-s", text=text, stdin=text)

    def armor(self, program: bytes) -> bytes:
        return b"{\n" + _keeping_status(program) + b"\n} < /dev/null"

    def disclosure(self) -> str:
        return (
            "R is written to the standard input of `ssh host bash -s`. Commands in R share that input with the shell."
        )


class SshWords(_Ssh):
    """`ssh host bash -c R`, as an argument list: it looks like `execve`, but ssh joins its arguments with blanks and
    the login shell reads the result anew. Only the first word of the reply is bash's program, the rest become `$0`,
    `$1`, and every operator is the login shell's. It owns all that a shell owns, and what `ssh-argv` does. It can't
    carry a NUL, nor quite as much as one argument of execve holds. Source: ssh(1): arguments are "separated by
    spaces"."""

    name = "ssh-words"
    summary = "ssh host bash -c R, joined and read anew by the login shell"
    owns = (
        "blanks and everything else that a shell reads: only the first word is the program; jobs in the background "
        "that hold the output open"
    )
    cannot_carry = "NUL; more than 120,000 bytes"
    witness = b"echo hi"
    plain = b"true"
    shells = 2

    def embed(self, text: bytes) -> Launch | Refusal:
        return _refuse(self.name, text) or _launch(b"host", b"bash", b"-c", text, text=text)

    def armor(self, program: bytes) -> bytes:
        return as_word(afresh(program, LEVEL)) + b"\nexit $?"

    def disclosure(self) -> str:
        return (
            "R is the last of the arguments of `ssh host bash -c R`. ssh joins them with blanks, and the login shell "
            "there, bash, reads that line: quote R so that the line `bash -c R` is what you mean."
        )


class SshFish(_Ssh):
    """`ssh host R` where the account's login shell is fish: what an agent meets on somebody's own machine. The text
    arrives whole, and another language reads it: no heredocs, no `[[ ]]`, no `VAR=1`, other quoting rules. It can't
    carry a NUL, nor quite as much as one argument of execve holds. Source: fish(1), "Fish for bash users"."""

    name = "ssh-fish"
    summary = "ssh host R, where fish is the login shell"
    owns = "every rule in which fish is not bash; death by a signal; jobs in the background that hold the output open"
    cannot_carry = "NUL; more than 120,000 bytes"
    witness = b"x=1; echo $x"
    shell = "fish"
    sees_arrival = False
    arrival_note = "another shell reads the text, by other rules"
    programs = (*_Ssh.programs, "fish")

    def embed(self, text: bytes) -> Launch | Refusal:
        return _refuse(self.name, text) or _launch(b"fish@host", text, text=text, shell="fish")

    def armor(self, program: bytes) -> bytes:
        return b"bash -c " + fish_word(afresh(program)) + b"; exit $status"

    def disclosure(self) -> str:
        return "R is the one command argument of `ssh host R`, and the login shell there is fish, not bash."


BOUNDARIES: tuple[Boundary, ...] = (SshArgv(), SshPasted(), SshStdin(), SshWords(), SshFish())
