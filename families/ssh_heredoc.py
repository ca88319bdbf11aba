"""ssh-heredoc: write lines on another host, through a wrapper whose far shell reads a script from standard input."""

from __future__ import annotations

from qfuzz.bash import quote
from qfuzz.bash.contexts import breaks_heredoc
from qfuzz.bash.styles import python3, spell_nested
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.scripts import CALL_LOG, onhost_script
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectFile, Fixture, FixtureFile

_NAIVE_OUTER, _NAIVE_INNER = b"EOF", b"TXT"


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    body = payloads["body"]
    names = choices.words(3)
    host, path = f"{names[0]}{choices.integer(1, 99)}", f"{names[1]}-{stem}.txt"
    name, target = host.encode(), path.encode()
    remote = b"hosts/%s/%s" % (name, target)
    script = quote.heredoc(b"cat > " + target, body, _NAIVE_INNER)
    references = {"heredoc-command": quote.heredoc(b"./onhost " + name, script, b"SCRIPT")}
    references |= spell_nested(
        lambda words: b"printf '%%s\\n' %s | ./onhost %s\n" % (words["command"], name),
        lambda words: b"printf %%s %s > %s" % (words["body"], target),
        {"body": body},
    )
    references["python3"] = python3(
        f"import subprocess\nsubprocess.run(['./onhost', {host!r}], input={script!r}, check=True)"
    )
    return Parts(
        instruction=instruction(
            f"The script ./onhost stands in for ssh. Called as ./onhost HOST it appends HOST and a newline to "
            f"{CALL_LOG.decode()}, and a second bash (bash -s) in the directory of HOST reads a script from standard "
            "input and runs it.",
            f"Call ./onhost exactly once, with the host {host}, so that in that directory a new file {path} comes to "
            "hold exactly the lines below. Every line ends in one newline, the last one too. Nothing is expanded or "
            "indented, and all blanks and tabs are kept.",
            literal(body),
            "Do not write to the host's directory in any other way.",
        ),
        fixture=Fixture((onhost_script(), FixtureFile(b"hosts/%s/motd" % name, f"{names[2]}\n".encode()))),
        expect=(ExpectFile(remote, body), ExpectFile(CALL_LOG, name + b"\n")),
        may_create=(remote, CALL_LOG),
        references=references,
        # The inner delimiter is quoted, the outer one is not: the near shell expands what the far one was to keep.
        naive=b"./onhost %s <<%s\ncat > %s <<'%s'\n%s%s\n%s\n"
        % (name, _NAIVE_OUTER, target, _NAIVE_INNER, body, _NAIVE_INNER, _NAIVE_OUTER),
    )


def accepts(payloads: Payloads) -> bool:
    return payloads["body"].endswith(b"\n") and b"\0" not in payloads["body"]


def defeats(payloads: Payloads) -> bool:
    return breaks_heredoc(payloads["body"], _NAIVE_OUTER) or _NAIVE_INNER in payloads["body"].split(b"\n")


FAMILY = Family(
    name="ssh-heredoc",
    roles=("body",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "body": Shape(
            decisive=("dollar", "command-substitution", "backtick", "heredoc-delimiter"),
            mixed=(
                "apostrophe",
                "double-quote",
                "backslash",
                "brace",
                "exclamation",
                "semicolon",
                "pipe",
                "percent",
                "non-ascii",
            ),
            lines=True,
        )
    },
    public=(
        PublicCase(0, "foghorn", {"body": b"foghorn every minute\nbell at night\n"}),
        PublicCase(1, "stowaway", {"body": b"user=$USER\nstowaway=${1:-none}\n[ -d ~ ] && echo `pwd`\n"}),
        PublicCase(2, "ballast", {"body": b"cat <<'TXT' | sort > out\n ballast\n\tsand; \"gravel\"\nTXT\nEOF\nrest\n"}),
        PublicCase(
            3, "purser", {"body": "purser's list:\\\n\\\\srv\\$share\\n\nEOF\n!! 100 % {né,to}  \n$(id)\n".encode()}
        ),
    ),
)
