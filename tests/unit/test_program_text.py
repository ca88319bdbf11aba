"""The program that a shell is given by its arguments."""

from __future__ import annotations

import pytest

from qfuzz.jail.agent.shells import program_text


@pytest.mark.parametrize(
    ("arguments", "script", "text"),
    [
        ([b"-c", b"echo hi"], b"", b"echo hi"),
        ([b"-lc", b"echo hi", b"name", b"-c"], b"", b"echo hi"),
        ([b"-euo", b"pipefail", b"-c", b"x"], b"", b"x"),
        ([b"-c", b"-e", b"x"], b"", b"x"),
        ([b"--norc", b"--rcfile", b"/dev/null", b"-c", b"x"], b"", b"x"),
        ([b"-O", b"extglob", b"+e", b"-c", b"x"], b"", b"x"),
        ([b"-c", b"--", b"-x"], b"", b"-x"),
        ([b"-c", b""], b"", b""),
        ([b"-c"], b"", None),
        ([b"-e", b"FILE"], b"content\0", b"content\0"),
        ([b"FILE", b"-c", b"no program"], b"content", b"content"),
        ([b"-s"], b"", None),
        ([], b"", None),
        ([b"-i"], b"", None),
    ],
)
def test_the_program_is_found_as_bash_finds_it(arguments: list[bytes], script: bytes, text: bytes | None) -> None:
    assert program_text(arguments, script) == text
