"""Small programs that lie in fixtures: they record what reached them. Written to be read by whoever solves the task."""

from __future__ import annotations

from qfuzz.model.task import FixtureFile

SCRIPT_MODE = 0o755
CALL_LOG = b"calls.log"

_WORDS = rb"""#!/bin/bash
# Usage: ./onhost HOST WORD...
# Stands in for ssh -n: joins the words with single blanks and has a shell on HOST evaluate the result.
host=$1
shift
printf '%s\n' "$host" >> calls.log
cd "hosts/$host" || exit 255
exec bash -c "$*" < /dev/null
"""

_SCRIPT = rb"""#!/bin/bash
# Usage: ./onhost HOST < SCRIPT
# Stands in for ssh with no command: a shell on HOST reads its script from standard input.
host=$1
printf '%s\n' "$host" >> calls.log
cd "hosts/$host" || exit 255
exec bash -s
"""


def onhost_words() -> FixtureFile:
    """`./onhost HOST WORD...`: the words, joined, are evaluated by a second shell in hosts/HOST."""
    return FixtureFile(b"onhost", _WORDS, SCRIPT_MODE)


def onhost_script() -> FixtureFile:
    """`./onhost HOST`: a second shell in hosts/HOST reads a script from standard input."""
    return FixtureFile(b"onhost", _SCRIPT, SCRIPT_MODE)


def record_variable(name: str, output: str) -> FixtureFile:
    """`./record-env`: appends the value of variable `name` and a NUL to `output`."""
    text = (
        f"#!/bin/bash\n# Appends the value of {name} and a NUL byte to {output}.\n"
        f"printf '%s\\0' \"${name}\" >> {output}\n"
    )
    return FixtureFile(b"record-env", text.encode(), SCRIPT_MODE)


def record_arguments(output: str) -> FixtureFile:
    """`./record-args ARG...`: appends each argument and a NUL to `output`."""
    text = f"#!/bin/bash\n# Appends each argument and a NUL byte to {output}.\nprintf '%s\\0' \"$@\" >> {output}\n"
    return FixtureFile(b"record-args", text.encode(), SCRIPT_MODE)
