"""ssh-nested: write a text on another host, through a wrapper that joins its arguments for a second shell."""

from __future__ import annotations

from qfuzz.bash import quote
from qfuzz.bash.contexts import breaks_word
from qfuzz.bash.styles import python3, spell, spell_nested
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.scripts import CALL_LOG, onhost_words
from qfuzz.gen.shape import UNQUOTED_HAZARDS, Shape
from qfuzz.model.task import ExpectFile, Fixture, FixtureFile


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    text = payloads["text"]
    names = choices.words(3)
    host, path = f"{names[0]}{choices.integer(1, 99)}", f"{names[1]}-{stem}.txt"
    name, target = host.encode(), path.encode()
    remote = b"hosts/%s/%s" % (name, target)
    references = spell_nested(
        lambda words: b"./onhost %s %s\n" % (name, words["command"]),
        lambda words: b"printf %%s %s > %s" % (words["text"], target),
        {"text": text},
    )
    references["transform"] = spell(
        lambda words: b'text=%s\n./onhost %s "printf %%s ${text@Q} > %s"\n' % (words["value"], name, target),
        {"value": text},
    )["single"]
    references["python3"] = python3(
        "import os, shlex, subprocess\n"
        f"command = 'printf %s ' + shlex.quote(os.fsdecode({text!r})) + ' > {path}'\n"
        f"subprocess.run(['./onhost', {host!r}, command], check=True)"
    )
    ending = "The text's last byte is its newline." if text.endswith(b"\n") else "There is no newline after it."
    return Parts(
        instruction=instruction(
            f"The script ./onhost stands in for ssh. Called as ./onhost HOST WORD... it appends HOST and a newline to "
            f"{CALL_LOG.decode()}, joins the words with single blanks, and has a second bash (bash -c, standard input "
            "from /dev/null) evaluate the result in the directory of HOST.",
            f"Call ./onhost exactly once, with the host {host}, so that in that directory a new file {path} comes to "
            f"hold exactly this text: {literal(text)}",
            f"{ending} Do not write to the host's directory in any other way.",
        ),
        fixture=Fixture((onhost_words(), FixtureFile(b"hosts/%s/motd" % name, f"{names[2]}\n".encode()))),
        expect=(ExpectFile(remote, text), ExpectFile(CALL_LOG, name + b"\n")),
        may_create=(remote, CALL_LOG),
        references=references,
        # Quoted well for the first shell, and not at all for the second.
        naive=b"./onhost %s printf %%s %s '> %s'\n" % (name, quote.single(text), target),
    )


def accepts(payloads: Payloads) -> bool:
    return bool(payloads["text"]) and b"\0" not in payloads["text"]


def defeats(payloads: Payloads) -> bool:
    return breaks_word(payloads["text"])


FAMILY = Family(
    name="ssh-nested",
    roles=("text",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "text": Shape(
            decisive=UNQUOTED_HAZARDS,
            mixed=("glob", "brace", "tilde", "hash"),
            joiner="-",
        )
    },
    public=(
        PublicCase(0, "semaphore", {"text": b"semaphore-ready"}),
        PublicCase(1, "ferryman", {"text": b"don't  rush the ferryman"}),
        PublicCase(2, "bosun", {"text": b'$USER & "bosun" > deck; | wc'}),
        PublicCase(3, "trawler", {"text": rb"~/trawler/{a,b} #1 \$5 `id -u` *"}),
    ),
)
