"""json-write: write a JSON file with a text as one value."""

from __future__ import annotations

import json
import re

from qfuzz.bash.contexts import breaks_single
from qfuzz.bash.styles import python3, spell
from qfuzz.gen.choices import Choices
from qfuzz.gen.family import Family, Parts, Payloads, PublicCase
from qfuzz.gen.prose import instruction, literal
from qfuzz.gen.shape import Shape
from qfuzz.model.task import ExpectJson, Fixture

# Between the quotes of a JSON string (RFC 8259, section 7): ends it, escapes, or is not allowed.
_JSON_BREAKING = re.compile(rb'["\\\x00-\x1f]')


def make(payloads: Payloads, stem: str, choices: Choices) -> Parts:
    message = payloads["message"]
    names = choices.words(2)
    level = choices.integer(10, 99)
    path = f"{names[0]}-{stem}.json"
    target = path.encode()
    value = {"service": names[1], "level": level, "message": message.decode("utf-8")}
    document = json.dumps(value, ensure_ascii=False).encode("utf-8")
    references = spell(lambda words: b"printf '%%s\\n' %s > %s\n" % (words["document"], target), {"document": document})
    references["ascii"] = spell(
        lambda words: b"printf '%%s\\n' %s > %s\n" % (words["document"], target),
        {"document": json.dumps(value).encode("ascii")},
    )["single"]
    references["python3"] = python3(
        f"import json\nvalue = {{'service': {names[1]!r}, 'level': {level}, 'message': {message!r}.decode()}}\n"
        f"json.dump(value, open({path!r}, 'w'))"
    )
    front = b'{"service": "%s", "level": %d, "message": "' % (names[1].encode(), level)
    return Parts(
        instruction=instruction(
            f"Create the file {path}. It holds one JSON object (UTF-8) with exactly these three keys: service, the "
            f"string {literal(names[1].encode())}; level, the number {level}; and message, the string "
            f"{literal(message)}.",
            "A JSON parser that reads the file must give back exactly these values. Layout and order of keys are free.",
        ),
        fixture=Fixture(),
        expect=(ExpectJson(target, value),),
        may_create=(target,),
        references=references,
        naive=b"echo '%s%s\"}' > %s\n" % (front, message, target),
    )


def accepts(payloads: Payloads) -> bool:
    message = payloads["message"]
    try:
        message.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in message


def defeats(payloads: Payloads) -> bool:
    message = payloads["message"]
    return breaks_single(message) or _JSON_BREAKING.search(message) is not None


FAMILY = Family(
    name="json-write",
    roles=("message",),
    make=make,
    accepts=accepts,
    defeats=defeats,
    shapes={
        "message": Shape(
            decisive=("apostrophe", "double-quote", "backslash", "tab", "newline"),
            mixed=(
                "dollar",
                "command-substitution",
                "backtick",
                "bracket",
                "brace",
                "ampersand",
                "percent",
                "non-ascii",
            ),
        )
    },
    public=(
        PublicCase(0, "pontoon", {"message": b"All pontoons are secured"}),
        PublicCase(1, "dredger", {"message": b'The "dredger" isn\'t here; ask again at 6'}),
        PublicCase(2, "tarpaulin", {"message": b"C:\\users\\new\\tarpaulin\t100%\nsecond line & last"}),
        PublicCase(3, "umbrella", {"message": 'naïve ☂ umbrella {"a": [1, "b\\n"]} \\u0041 $(id) `x`'.encode()}),
    ),
)
