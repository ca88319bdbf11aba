"""argv-passing: give a command exact arguments."""

from __future__ import annotations

from qfuzz.bash.contexts import breaks_double
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.scripts import record_arguments
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectArgv, Fixture, FixtureFile


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    argument = payloads["argument"]
    names = choices.words(4)
    first, last = f"--{names[0]}".encode(), names[1].encode()
    path = f"{names[2]}-{stem}.args"
    target = path.encode()
    arguments = (first, argument, last)
    references = spell(
        lambda words: b"./record-args %s %s %s\n" % (first, words["argument"], last), {"argument": argument}
    )
    references["array"] = spell(
        lambda words: b'args=(%s %s %s)\n./record-args "${args[@]}"\n' % (first, words["argument"], last),
        {"argument": argument},
    )["single"]
    references["python3"] = python3(
        f"import subprocess\nsubprocess.run([b'./record-args', *{arguments!r}], check=True)"
    )
    return Parts(
        instruction=instruction(
            f"The script ./record-args appends each of its arguments and a NUL byte to the file {path}, which does not "
            "exist yet.",
            f"Run ./record-args exactly once with exactly three arguments. The first is {literal(first)}, the third is "
            f"{literal(last)}, and the second is exactly this text: {literal(argument)}",
            "Let the script write the file.",
        ),
        fixture=Fixture((record_arguments(path), FixtureFile(f"{names[3]}.txt".encode(), b"not involved\n"))),
        expect=(ExpectArgv(target, arguments),),
        may_create=(target,),
        references=references,
        # Arguments kept in one string, for the shell to split and expand again.
        naive=b'args="%s %s %s"\n./record-args $args\n' % (first, argument, last),
    )


def accepts(payloads: Payloads) -> bool:
    return bool(payloads["argument"]) and b"\0" not in payloads["argument"]


def defeats(payloads: Payloads) -> bool:
    argument = payloads["argument"]
    return breaks_double(argument) or any(blank in argument for blank in b" \t\n")


FAMILY = Family(
    name="argv-passing",
    roles=("argument",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "argument": Shape(
            decisive=("double-quote", "dollar", "command-substitution", "backtick", "double-blank", "tab", "newline"),
            mixed=("apostrophe", "backslash", "glob", "brace", "exclamation", "percent", "leading-dash", "non-ascii"),
            joiner="-",
        )
    },
    public=(
        PublicCase(0, "mooring", {"argument": b"mooring-3"}),
        PublicCase(1, "fathom", {"argument": b"two  knots * one fathom?"}),
        PublicCase(2, "tiller", {"argument": b"'\"$@\"' `id -g` \\\\tiller\\"}),
        PublicCase(3, "jibsheet", {"argument": "--jibsheet=\n\t{a,b} !! %s ¿".encode()}),
    ),
)
