"""What the outline calls broken, Bash calls a syntax error. `bash -n` reads a program and executes nothing of it."""

from __future__ import annotations

import subprocess

from hypothesis import given, settings

from qfuzz.bash.parse_reader import outline
from tests.property.programs import SHIPPED_STYLE, cut_programs


def accepts(program: bytes) -> bool:
    done = subprocess.run(["bash", "-n"], input=program, capture_output=True, check=False, env={"LC_ALL": "C.UTF-8"})
    return done.returncode == 0


def test_whole_programs_are_not_broken() -> None:
    assert all(accepts(program) and not outline(program).broken for program in SHIPPED_STYLE)


@settings(max_examples=300)
@given(cut_programs())
def test_broken_is_a_syntax_error(program: bytes) -> None:
    if outline(program).broken:
        assert not accepts(program)


def test_most_syntax_errors_are_seen() -> None:
    """Each one that is not seen costs a run."""
    cut = [program[:at] + program[at + 1 :] for program in SHIPPED_STYLE for at in range(0, len(program), 3)]
    rejected = [program for program in cut if not accepts(program)]
    assert len(rejected) > 20
    assert sum(outline(program).broken for program in rejected) >= 0.75 * len(rejected)
