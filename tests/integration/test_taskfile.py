"""Task, the program: what its Taskfile carries, how a command ends, and how a text gets through whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.transports.available import missing_of
from qfuzz.transports.loader import resolve

TASKFILE = resolve("taskfile")
LACKING = missing_of(TASKFILE)

pytestmark = pytest.mark.skipif(LACKING is not None, reason=str(LACKING))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def run(pool: Pool, program: bytes, stack: str = "taskfile") -> Observation:
    delivery = resolve(stack).deliver(program)
    assert isinstance(delivery, Launch), delivery
    return machinery(pool, 60.0).run(delivery, Fixture())


def test_a_taskfile_loses_no_character(pool: Pool) -> None:
    points = [
        *range(1, 0x100),
        0x2028,
        0x2029,
        0xD7FF,
        0xE000,
        0xFEFF,
        0xFFFD,
        0xFFFE,
        0xFFFF,
        0x1F600,
        0x1FFFE,
        0x10FFFF,
    ]
    text = "".join(map(chr, points)).replace("'", "").replace("\r", "\r.").encode()
    assert run(pool, b"printf %s '" + text + b"'").stdout.data == text


@pytest.mark.parametrize(
    ("program", "status", "said"),
    [
        (b"exit 7", 7, b"exit status 7"),
        (b"bash -c 'kill -9 $$'", 137, b"exit status 137"),
        (b"nosuch", 127, b"not found"),
        (b"if", 201, b"`if` must be followed by"),
        (b"{{.X", 1, b"unclosed action"),
        (b"{{ .X | nosuch }}", 1, b'function "nosuch" not defined'),
        (b"false; touch out", 1, b"exit status 1"),
        (b"set +e; false; true", 0, b"task: [run] set +e; false; true"),
    ],
)
def test_how_a_command_ends(pool: Pool, program: bytes, status: int, said: bytes) -> None:
    observation = run(pool, program)
    assert observation.status.code == status
    assert said in observation.stderr.data
    assert observation.tree.entries == {}


@pytest.mark.parametrize(
    "program",
    [
        b"printf '%s\\n' '{{.X}} {{ {{{ }}' \"${x:-{{}\"",
        b"false; printf %q 'a b'; echo $?; umask; echo \"$0\"",
        b"printf 'a\r\nb\rc' | od -c; kill -TERM $$",
        b"cat <<'E'\n{{/* a */}} \xc3\xa9 <no value> \x7f'\nE\nexit 5",
    ],
)
def test_armor_gets_a_program_through_whole(pool: Pool, program: bytes) -> None:
    armored = TASKFILE.armor(program)
    assert armored is not None
    over, direct = run(pool, armored), run(pool, program, "direct")
    assert (over.status.code, over.stdout, over.tree) == (direct.status.code, direct.stdout, direct.tree)
    assert run(pool, program).stdout != direct.stdout


def test_a_hostile_template_costs_its_own_result_at_most(pool: Pool) -> None:
    expected = run(pool, b"echo {{ add 1 2 }}")
    assert expected.stdout.data == b"3\n"
    for hostile in (
        b"{{ range $i := until 1000000000 }}{{ end }}",
        b'{{ repeat 2000000000 "a" }}',
        b'{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}',
    ):
        delivery = TASKFILE.deliver(hostile)
        assert isinstance(delivery, Launch)
        machinery(pool, 0.7).run(delivery, Fixture())
        assert run(pool, b"echo {{ add 1 2 }}").stdout.data == b"3\n", hostile
