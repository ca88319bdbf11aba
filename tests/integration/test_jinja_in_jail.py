"""Templates that have to be evaluated: the engine renders them in the jail, and a hostile one costs itself at most."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.engine.syntax import with_syntax
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Ending, Observation
from qfuzz.model.task import Fixture, FixtureFile
from qfuzz.transports.loader import resolve

FIXTURE = Fixture((FixtureFile(b"kept.txt", b"kept\n"),))
PLAIN = b"cat kept.txt > out.txt; ls -A . ~ /tmp; env | sort; trap; echo {{ 6 * 7 }}"
OS = b"cycler.__init__.__globals__.os"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def launch(program: bytes, stack: str = "jinja2") -> Launch:
    delivery = resolve(stack).deliver(program)
    assert isinstance(delivery, Launch), delivery
    return delivery


def run(pool: Pool, program: bytes, stack: str = "jinja2", timeout: float = 20.0) -> Observation:
    return machinery(pool, timeout).run(launch(program, stack), FIXTURE)


def test_what_comes_out_is_run_as_it_would_be_directly(pool: Pool) -> None:
    program = b"trap; yes | head -n 1; cat kept.txt > out.txt; ls -A . /tmp; env | sort; echo $0 $#; exit %s"
    over = run(pool, program % b"{{ 1 + 2 }}")
    direct = run(pool, program % b"3", "direct")
    assert (over.status, over.stdout, over.tree) == (direct.status, direct.stdout, direct.tree)
    assert over.status.code == 3


@pytest.mark.parametrize(
    ("stack", "template", "program"),
    [
        ("jinja2", b"echo {{ 1 + 1 }}", b"echo 2"),
        ("jinja2", b"a\r\n{% for x in range(3) %}{{ x }}$y{% endfor %}\n", b"a\n0$y1$y2$y"),
        ("nested > jinja2", b"echo {{ 1 + 1 }} $HOME", b"echo 2 /home/user"),
        ("json > jinja2", b"echo {{ 1 + 1 }} $HOME", b"echo 2 $HOME"),
    ],
)
def test_what_arrives_is_what_bash_got(pool: Pool, stack: str, template: bytes, program: bytes) -> None:
    machines = machinery(pool, 20.0)
    for look in (machines.stopped_text, machines.arrived_text):
        assert look(launch(template, stack), FIXTURE) == program


@pytest.mark.parametrize(
    ("template", "status", "said"),
    [
        (b"{{ 1 / 0 }}", 1, b"jinja2: ZeroDivisionError: division by zero\n"),
        (b"{{ x() }}", 1, b"jinja2: UndefinedError: 'x' is undefined\n"),
        (b"{{ x | nosuch }}", 1, b"jinja2: TemplateAssertionError: No filter named 'nosuch'.\n"),
        (b"{% include '/etc/passwd' %}", 1, b"jinja2: TypeError: no loader for this environment specified\n"),
        (b"{{ '\\ud800' ~ x }}", 1, b"surrogates not allowed\n"),
        (b"{{ '\\0' ~ x }}", 126, b"embedded null byte\n"),
        (b"{{ 'a' * 200000 }}", 126, b"Argument list too long\n"),
    ],
)
def test_an_error_of_the_engine_is_a_failure_with_its_message(
    pool: Pool, template: bytes, status: int, said: bytes
) -> None:
    observation = run(pool, b"echo ran > out.txt " + template)
    assert observation.status.code == status
    assert observation.stderr.data.endswith(said)
    assert b"out.txt" not in observation.tree.entries
    machines = machinery(pool, 20.0)
    known = with_syntax(
        launch(template), observation, lambda each: machines.stopped_text(each, FIXTURE), machines.parses
    )
    assert (known.arrived, known.parses) == (None, None)


HOSTILE = {
    "a loop": b"{% for i in range(10**9) %}{% endfor %}",
    "a long loop that prints": b"{% for i in range(10**9) %}x{% endfor %}",
    "memory": b"{{ 'a' * 10**10 }}",
    "memory bit by bit": b"{% set x = [] %}{% for i in range(10**9) %}{{ x.append('a' * 10**6 ~ i) }}{% endfor %}",
    "classes": b"{{ ''.__class__.__mro__ }}",
    "the end of the process": b"{{ " + OS + b"._exit(0) }}",
    "a signal to all": b"{{ " + OS + b".kill(-1, 9) }}",
    "a stopped parent": b"{{ " + OS + b".kill(" + OS + b".getppid(), 19) }}",
    "files": b"{{ " + OS + b".system('echo left > ~/left; echo left > /tmp/left; cp kept.txt /run/qfuzz/in/x') }}",
    "the engine's own files": b"{{ " + OS + b".system('echo hurt > /run/qfuzz/in/python/jinja2/__init__.py') }}",
    "a process that stays": b"{{ " + OS + b".system('setsid sleep 60 > /dev/null 2>&1 &') }}",
    "deep": b"{% macro m() %}{{ caller() }}{% call m() %}{% endcall %}{% endmacro %}{% call m() %}x{% endcall %}",
}


@pytest.fixture(scope="module")
def expected(pool: Pool) -> Observation:
    observation = run(pool, PLAIN)
    assert observation.status.code == 0
    assert observation.stdout.data.endswith(b"\n42\n")
    return observation


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_template_costs_its_own_result_at_most(pool: Pool, expected: Observation, kind: str) -> None:
    hurt = run(pool, HOSTILE[kind], timeout=0.7)
    if "loop" in kind:
        assert hurt.status.ending is Ending.TIMEOUT or hurt.limit == "memory"
    after = run(pool, PLAIN)
    assert (after.status, after.stdout, after.tree) == (expected.status, expected.stdout, expected.tree)


def test_without_a_jail_the_engine_is_there_as_well() -> None:
    with Pool(1, isolation="none") as bare:
        assert run(bare, b"echo {{ 6 * 7 }}").stdout.data == b"42\n"
