"""Faithful transports as fixes: ends and bytes of texts that encodings lose, and what each survives when put first."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Refusal
from qfuzz.model.observation import Observation
from qfuzz.model.task import Task
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import load, resolve
from tests.available import available
from tests.conformance.programs import programs
from tests.conformance.test_boundaries import Directly, is_slow, right_programs, run, same

PAGE = Path(__file__).resolve().parents[2] / "docs" / "transports.md"
FIXES = ("quoted", "single-escaped", "ansi-c", "base64", "base64-piped")
BOUNDARIES = [name for name in load().boundaries if name != "direct"]
THIRTY = 30
"""Programs that a row of the table is about, spread over the families."""
DAMAGE_WHATEVER = {
    "env-split": "no shell",
    "exec-string": "no shell",
    "shlex-argv": "no shell",
    "shlex-join": "quotes the pipe",
    "shell-quote-quoted": "escapes the pipe",
    "ssh-words": "only the first word is the program",
    "stdin-null": "takes the pipe's place",
}
"""Where even a line of letters, digits and a pipe is broken, and why."""

ENDS = (
    b"",
    b"\n",
    b"echo a\\",
    b"echo a\\\\",
    b"echo a\\\n",
    b"echo a\\\n\n",
    b"cat <<E\na\n\n\n",
    b"cat <<E\na\\",
    b"cat <<'E'\na\\\n",
    b"cat <<E\na\nE",
    b"echo a.",
    b"echo a # .\n.",
    b"echo $'a\\x00' \xe2\x82",
    b"printf %s '\xff",
    b"echo 'a\r\n'\r\n",
    b'echo $SHLVL "$#" "$@"; env | sort; set +o; trap',
    b"history; echo a!a \"!!\" !a; shopt | grep -v '^$'",
    b"kill -TERM $$",
    b"cat; read -r a; echo $?; test -c /dev/stdin; echo $?",
)


@pytest.fixture(scope="module")
def directly(pool: Pool) -> Directly:
    return Directly(pool)


@pytest.mark.parametrize("name", available([name for name in BOUNDARIES if load().boundaries[name].faithful]))
def test_ends_of_texts_are_kept_or_refused(pool: Pool, directly: Directly, name: str) -> None:
    refused = []
    for program in ENDS:
        outcome = run(pool, name, program)
        if isinstance(outcome, Refusal):
            refused.append(program)
            assert 0 <= outcome.offset < len(program)
        else:
            assert same(outcome, directly(program)), program
    at_the_end = [program for program in ENDS if program.endswith(b"\\") and not program.endswith(b"\\\\")]
    assert name != "script-file" or refused == at_the_end
    assert len(refused) <= 2


@pytest.mark.parametrize("name", FIXES)
def test_every_byte_is_kept_beside_every_kind_of_neighbour(pool: Pool, directly: Directly, name: str) -> None:
    every = bytes(byte for byte in range(1, 256) if byte not in b"'")
    pairs = b"".join(bytes([byte]) + b"0aF{\\u\n" + bytes([byte]) for byte in every)
    for program in (b"printf %s '" + every + b"'", b"printf %s '" + pairs + b"'", b"cat <<'E'\n" + pairs + b"\nE\n"):
        outcome = run(pool, name, program)
        assert isinstance(outcome, Observation)
        assert same(outcome, directly(program))
        assert every in outcome.stdout.data or pairs in outcome.stdout.data


@pytest.mark.parametrize("name", available(BOUNDARIES))
def test_the_plainest_fix_survives_every_path_that_has_a_shell_at_its_end(
    pool: Pool, directly: Directly, name: str
) -> None:
    survived = survives(pool, directly, "base64-piped", name, 1 if is_slow(load().boundaries[name]) else 3)
    assert survived == (name not in DAMAGE_WHATEVER)


@pytest.mark.parametrize("fix", [name for name in FIXES if load().boundaries[name].encodes])
def test_what_is_left_alone_arrives(pool: Pool, directly: Directly, fix: str) -> None:
    """Over each boundary whose own characters are not in what the fix makes, the stack needs no armor, and is right."""
    tried = 0
    for name in BOUNDARIES:
        boundary = load().boundaries[name]
        if boundary.faithful or missing_of(resolve(name)) is not None or is_slow(boundary):
            continue
        stack = resolve(f"{fix} > {name}")
        for task, program in right_programs()[:3]:
            if stack.armor(program) == program:
                tried += 1
                assert same(run(pool, stack.name, program, task.fixture), directly(program, task.fixture)), name
    assert tried >= {"base64-piped": 60, "base64": 20}[fix]


@pytest.mark.nightly
@pytest.mark.parametrize("name", available(BOUNDARIES))
def test_the_table_of_fixes_is_what_they_do(pool: Pool, directly: Directly, name: str) -> None:
    """A path that the table does not name carries each fix whole."""
    said = table_of_fixes().get(name, ("+",) * len(FIXES))
    count = 3 if is_slow(load().boundaries[name]) else THIRTY
    assert tuple("+" if survives(pool, directly, fix, name, count) else "-" for fix in FIXES) == said


def test_the_table_of_fixes_names_what_breaks_the_plainest() -> None:
    table = table_of_fixes()
    assert {name for name, marks in table.items() if marks[-1] == "-"} == set(DAMAGE_WHATEVER)
    assert set(table) <= set(BOUNDARIES)
    assert all("-" in marks for marks in table.values())


def table_of_fixes() -> dict[str, tuple[str, ...]]:
    """The rows of the table in docs/transports.md: a mark for each of FIXES, by path."""
    header, _, rows = PAGE.read_text().partition("\n| path |")[2].partition("\n|---")
    assert re.findall(r"[\w-]+", header) == list(FIXES)
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.partition("\n\n")[0].splitlines()[1:]]
    return {name: tuple(marks) for name, *marks in cells}


@functools.cache
def spread_programs() -> tuple[tuple[Task, bytes], ...]:
    return tuple((task, program) for task, style, program in programs() if style != "naive")[: 14 * THIRTY : 14]


def survives(pool: Pool, directly: Directly, fix: str, name: str, count: int) -> bool:
    """Whether `count` right programs do the same directly and over `fix > name`."""
    return all(
        same(run(pool, f"{fix} > {name}", program, task.fixture), directly(program, task.fixture))
        for task, program in spread_programs()[:: THIRTY // count]
    )
