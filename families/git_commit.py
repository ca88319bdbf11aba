"""git-commit: commit what is staged, with an exact message."""

from __future__ import annotations

from qfuzz.bash.contexts import breaks_double
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectGitHead, Fixture, FixtureCommit, FixtureFile, FixtureGit


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    message = payloads["message"]
    names = choices.words(5)
    first, staged, loose = (name.encode() for name in (f"{names[0]}.txt", f"{names[1]}-{stem}.txt", f"{names[2]}.txt"))
    # Git's default clean-up would trim blanks at line ends and empty lines; verbatim takes the message as it is.
    references = spell(
        lambda words: b"git commit -q --cleanup=verbatim -m %s\n" % words["message"], {"message": message}
    )
    references["from-stdin"] = spell(
        lambda words: b"printf '%%s\\n' %s | git commit -q --cleanup=verbatim -F -\n" % words["message"],
        {"message": message},
    )["single"]
    references["python3"] = python3(
        "import subprocess\n"
        f"subprocess.run(['git', 'commit', '-q', '--cleanup=verbatim', '-m', {message!r}], check=True)"
    )
    return Parts(
        instruction=instruction(
            f"The current directory is a git repository. The file {staged.decode()} is staged; {loose.decode()} is not "
            "tracked and stays so. Author and committer are configured in the environment.",
            f"Make exactly one commit, on the current branch, that contains the staged file and nothing else. Its "
            f"message is exactly {literal(message)}",
            "A single newline after the message, as git adds it, does no harm.",
        ),
        fixture=Fixture(
            (
                FixtureFile(first, f"{names[3]}\n".encode()),
                FixtureFile(staged, f"{names[4]} {choices.integer(100, 999)}\n".encode()),
                FixtureFile(loose, b"not ready yet\n"),
            ),
            git=FixtureGit((FixtureCommit(b"Begin", (first,)),), (staged,)),
        ),
        expect=(ExpectGitHead(message, (staged,), 2),),
        may_create=(),
        references=references,
        naive=b'git commit -q -m "%s"\n' % message,
    )


def accepts(payloads: Payloads) -> bool:
    """Only messages that git's own clean-up would leave alone, so that the shell is all that a reply must get right."""
    message = payloads["message"]
    lines = message.split(b"\n")
    return (
        b"\0" not in message
        and bool(message.strip())
        and bool(lines[0] and lines[-1])
        and all(line == line.rstrip() for line in lines)
        and b"\n\n\n" not in message
    )


def defeats(payloads: Payloads) -> bool:
    return breaks_double(payloads["message"])


FAMILY = Family(
    name="git-commit",
    roles=("message",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "message": Shape(
            decisive=("double-quote", "dollar", "command-substitution", "backtick"),
            mixed=(
                "apostrophe",
                "backslash",
                "tilde",
                "exclamation",
                "hash",
                "percent",
                "newline",
                "ampersand",
                "pipe",
                "redirection",
                "leading-dash",
            ),
            trimmed=True,
        )
    },
    public=(
        PublicCase(0, "topsail", {"message": b"Trim the topsail budget"}),
        PublicCase(1, "spinnaker", {"message": b"Use $PATH, not `which spinnaker`, in the docs"}),
        PublicCase(
            2, "mizzen", {"message": b'"mizzen" isn\'t 100% done!\n\n- drop \\$x, keep ~/y\n# line, not a comment: #17'}
        ),
        PublicCase(3, "halyard", {"message": "-m: $(date) > halyard & a|b <é>".encode()}),
    ),
)
