"""heredoc-write: write a text of several lines into a new file."""

from __future__ import annotations

from qfuzz.bash import quote
from qfuzz.bash.contexts import breaks_heredoc
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectFile, Fixture

_NAIVE_DELIMITER = b"EOF"


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    body = payloads["body"]
    path = f"{choices.word()}-{stem}.txt"
    target = path.encode()
    references = {"heredoc-command": quote.heredoc(b"cat > " + target, body)}
    references |= spell(lambda words: b"printf %%s %s > %s\n" % (words["body"], target), {"body": body})
    references["python3"] = python3(f"open({path!r}, 'wb').write({body!r})")
    return Parts(
        instruction=instruction(
            f"In the current directory, create the file {path} with exactly the lines below. Every line ends in one "
            "newline, the last one too. Nothing is expanded or indented, and all blanks and tabs are kept.",
            literal(body),
            "The file has mode 0644.",
        ),
        fixture=Fixture(),
        expect=(ExpectFile(target, body),),
        may_create=(target,),
        references=references,
        naive=b"cat > %s <<%s\n%s%s\n" % (target, _NAIVE_DELIMITER, body, _NAIVE_DELIMITER),
    )


def accepts(payloads: Payloads) -> bool:
    return payloads["body"].endswith(b"\n") and b"\0" not in payloads["body"]


def defeats(payloads: Payloads) -> bool:
    return breaks_heredoc(payloads["body"], _NAIVE_DELIMITER)


FAMILY = Family(
    name="heredoc-write",
    roles=("body",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "body": Shape(
            decisive=("dollar", "command-substitution", "backtick", "heredoc-delimiter"),
            mixed=(
                "outer-blank",
                "apostrophe",
                "double-quote",
                "backslash",
                "tilde",
                "hash",
                "tab",
                "double-blank",
                "redirection",
                "non-ascii",
            ),
            lines=True,
        )
    },
    public=(
        PublicCase(0, "harbourmaster", {"body": b"harbourmaster on duty\ntide at noon\n"}),
        PublicCase(1, "pilotage", {"body": b"pilotage=$FEE\nowner=`id -un`\n\ttotal: $((3 * 4))\n"}),
        PublicCase(2, "breakwater", {"body": b'cat <<EOF\n  breakwater  report\nEOF\necho "it\'s done"  \n'}),
        PublicCase(3, "customs", {"body": "customs: \\$4 \\\nEOF\nEND\n\n\tC:\\tmp\\\\ ~ £7 $(id -g) #\n".encode()}),
    ),
)
