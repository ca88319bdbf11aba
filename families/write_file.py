"""write-file: put a text into a new file, exactly."""

from __future__ import annotations

from qfuzz.bash.contexts import breaks_double, breaks_format
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectFile, Fixture


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    content = payloads["content"]
    path = f"{choices.word()}-{stem}.txt"
    target = path.encode()
    references = spell(lambda words: b"printf %%s %s > %s\n" % (words["content"], target), {"content": content})
    references["python3"] = python3(f"open({path!r}, 'wb').write({content!r})")
    ending = "Its last byte is a newline." if content.endswith(b"\n") else "There is no newline after it."
    return Parts(
        instruction=instruction(
            f"In the current directory, create the file {path}. Its content is exactly this text, nothing before it "
            f"and nothing after it: {literal(content)}",
            f"{ending} The file has mode 0644.",
        ),
        fixture=Fixture(),
        expect=(ExpectFile(target, content),),
        may_create=(target,),
        references=references,
        # The text is both inside double quotes and the format of printf.
        naive=b'printf "%s" > %s\n' % (content, target),
    )


def accepts(payloads: Payloads) -> bool:
    return b"\0" not in payloads["content"]


def defeats(payloads: Payloads) -> bool:
    content = payloads["content"]
    return breaks_double(content) or breaks_format(content)


FAMILY = Family(
    name="write-file",
    roles=("content",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "content": Shape(
            decisive=(
                "double-quote",
                "dollar",
                "command-substitution",
                "backtick",
                "backslash",
                "percent",
                "leading-dash",
            ),
            mixed=("outer-blank", "ampersand", "tilde", "exclamation", "double-blank", "tab", "newline"),
        )
    },
    public=(
        PublicCase(0, "meltwater", {"content": b"Meltwater gauge at 42 centimetres, rising"}),
        PublicCase(1, "marzipan", {"content": b"-50% off marzipan until Friday, 100%"}),
        PublicCase(
            2, "lighthouse", {"content": b'She said "run `uname -s` first", then paid $5 & left the lighthouse.'}
        ),
        PublicCase(3, "sandpiper", {"content": b"  sandpiper:  two\tover C:\\new\\table~1!  \n"}),
    ),
)
