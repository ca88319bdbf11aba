"""find-glob: list the files whose names hold a literal, beside names that a pattern would take."""

from __future__ import annotations

import re

from qfuzz.bash.contexts import breaks_single
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.decoys import Dialect, decoy
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectLines, Fixture, FixtureFile

MAX_PART_BYTES = 150


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    part = payloads["part"]
    names = choices.words(8)
    root, path = names[0], f"{names[1]}-{stem}.list"
    target = path.encode()
    folders = [f"{root}/{names[2]}".encode(), f"{root}/{names[2]}/{names[3]}".encode(), f"{root}/{names[4]}".encode()]
    frames = [(name.encode(), str(choices.integer(10, 99)).encode()) for name in names[5:]]
    hits = [
        b"%s/%s-%s-%s.dat" % (folder, front, part, back) for folder, (front, back) in zip(folders, frames, strict=True)
    ]
    others = [b"%s/%s-%s.dat" % (folders[at % 3], frames[at % 3][0], text) for at, text in enumerate(_likenesses(part))]
    others += [b"%s/%s.dat" % (folders[1], frames[0][0])]
    # A short part may be in a name that was chosen without it.
    found = tuple(name for name in (*hits, *others) if part in name.rpartition(b"/")[2])
    pattern = b"*" + re.sub(rb"[][*?\\]", rb"\\\g<0>", part) + b"*"
    where = root.encode()
    references = spell(
        lambda words: b"find %s -type f -name %s > %s\n" % (where, words["pattern"], target), {"pattern": pattern}
    )
    references["case"] = spell(
        lambda words: (
            b"shopt -s globstar dotglob nullglob\npart=%s\nfor file in %s/**; do\n"
            b'  if [[ -f $file && ${file##*/} == *"$part"* ]]; then printf "%%s\\n" "$file"; fi\ndone > %s\n'
            % (words["text"], where, target)
        ),
        {"text": part},
    )["single"]
    references["python3"] = python3(
        f"import os\nfound = [os.path.join(where, name) for where, _, names in os.walk({where!r}) for name in names "
        f"if {part!r} in name]\nopen({path!r}, 'wb').write(b''.join(name + b'\\n' for name in found))"
    )
    return Parts(
        instruction=instruction(
            f"Find every regular file below the directory {root}, at any depth, whose own name (the part after the "
            f"last slash) contains {literal(part)}. The text is plain: no character of it has a special meaning, and "
            "upper and lower case differ.",
            f"Write the paths of these files into the new file {path}, in any order, one a line, each followed by one "
            f"newline. A path is written from the current directory on, beginning with {root}/ (or ./{root}/).",
        ),
        fixture=Fixture(tuple(FixtureFile(name, b"%s\n" % name.rsplit(b"/", 1)[0]) for name in (*hits, *others))),
        expect=(ExpectLines(target, found, b"./"),),
        may_create=(target,),
        references=references,
        naive=b"find %s -type f -name '*%s*' > %s\n" % (where, part, target),
    )


def _likenesses(part: bytes) -> list[bytes]:
    bare = part.replace(b"'", b"")
    # Cut by characters: half of one would make a name that is no text.
    cut = part.decode("utf-8", "surrogateescape")[:-1].encode("utf-8", "surrogateescape")
    texts = (decoy(part, Dialect.GLOB), bare, decoy(bare, Dialect.GLOB), part.swapcase(), cut + b"_")
    return [text for text in dict.fromkeys(texts) if text and part not in text and b"/" not in text]


def accepts(payloads: Payloads) -> bool:
    part = payloads["part"]
    return 0 < len(part) <= MAX_PART_BYTES and not any(byte in part for byte in b"\0\n/")


def defeats(payloads: Payloads) -> bool:
    part = payloads["part"]
    return breaks_single(part) or decoy(part, Dialect.GLOB) is not None


FAMILY = Family(
    name="find-glob",
    roles=("part",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "part": Shape(
            decisive=("glob", "bracket", "apostrophe"),
            certain=("apostrophe",),
            mixed=("dollar", "backtick", "exclamation"),
            joiner="_",
            without="\n/",
        )
    },
    public=(
        PublicCase(0, "isobar", {"part": b"isobar-north"}),
        PublicCase(1, "quire", {"part": b"quire[ab]"}),
        PublicCase(2, "zephyr", {"part": b"what? zephyr*v2"}),
        PublicCase(3, "tare", {"part": rb"tare\[`0`]$net!"}),
    ),
)
