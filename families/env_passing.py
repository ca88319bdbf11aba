"""env-passing: give one command an environment variable with an exact value."""

from __future__ import annotations

from qfuzz.bash.contexts import breaks_assignment
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.scripts import record_variable
from qfuzz.gen.shape import UNQUOTED_HAZARDS, Shape
from qfuzz.model.task import ExpectArgv, Fixture


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    value = payloads["value"]
    names = choices.words(2)
    variable = f"{names[0].upper()}_NOTE"
    path = f"{names[1]}-{stem}.env"
    name, target = variable.encode(), path.encode()
    references = spell(lambda words: b"%s=%s ./record-env\n" % (name, words["value"]), {"value": value})
    references["env"] = spell(lambda words: b"env -- %s=%s ./record-env\n" % (name, words["value"]), {"value": value})[
        "single"
    ]
    references["python3"] = python3(
        "import os, subprocess\n"
        f"subprocess.run(['./record-env'], env={{**os.environb, {name!r}: {value!r}}}, check=True)"
    )
    return Parts(
        instruction=instruction(
            f"The script ./record-env appends the value of the environment variable {variable} and a NUL byte to the "
            f"file {path}, which does not exist yet.",
            f"Run ./record-env exactly once, with {variable} set to exactly this value: {literal(value)}",
            "The value has no newline at its end other than what is shown. Let the script write the file.",
        ),
        fixture=Fixture((record_variable(variable, path),)),
        expect=(ExpectArgv(target, (value,)),),
        may_create=(target,),
        references=references,
        naive=b"%s=%s ./record-env\n" % (name, value),
    )


def accepts(payloads: Payloads) -> bool:
    return bool(payloads["value"]) and b"\0" not in payloads["value"]


def defeats(payloads: Payloads) -> bool:
    return breaks_assignment(payloads["value"])


FAMILY = Family(
    name="env-passing",
    roles=("value",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "value": Shape(
            decisive=UNQUOTED_HAZARDS,
            mixed=("outer-blank", "bracket", "tilde", "percent", "tab", "newline"),
            joiner="-",
        )
    },
    public=(
        PublicCase(0, "windlass", {"value": b"windlass-17"}),
        PublicCase(1, "capstan", {"value": b"capstan & hawser; both [new]"}),
        PublicCase(2, "bilge", {"value": b'  "bilge"  pump: $9 or `less`  '}),
        PublicCase(3, "bollard", {"value": b"~/bollard\n<it's>\t(50%) | \\tail\n"}),
    ),
)
