"""The tap: the text that reached the last shell, and nothing else that a program on the way starts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.jail.execution import Execution, Tap
from qfuzz.jail.pool import Isolation, Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.task import Fixture


@pytest.fixture(scope="module", params=["bwrap", "none"])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    isolation: Isolation = request.param
    if isolation == "bwrap":
        request.getfixturevalue("user_namespaces")
    with Pool(1, isolation=isolation) as made:
        yield made


def arrived(pool: Pool, program: bytes, inner_shells: int = 1) -> bytes | None:
    launch = Launch(b"/bin/bash", (b"bash", b"-c", program), program, inner_shells=inner_shells)
    return pool.run(Execution(launch, Fixture(), 10.0, tap=Tap.HAND_ON)).arrived


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (b'bash -c "echo hi"', b"echo hi"),
        (b"sh -c 'echo hi'", b"echo hi"),
        (b"dash -c 'echo hi'", b"echo hi"),
        (b"bash -c 'echo $0 | cat; (bash -c inner)' name", b"echo $0 | cat; (bash -c inner)"),
        (b'bash -c ""', b""),
        (b"bash -c $'a\\nb\\xff'", b"a\nb\xff"),
        # The outer shell expands first what it should have left alone.
        (b"bash -c \"echo $(bash -c 'echo sub')\"", b"echo sub"),
        (b"bash -c \"echo $(bash -c 'echo sub')\"; :", b"echo sub"),
        (b"bash -c \"echo `sh -c 'echo tick'` $(echo $(bash -c 'echo deep'))\"; true", b"echo tick deep"),
        (b"bash -c \"cat $(bash -c 'exec echo /dev/null')\" | cat", b"cat /dev/null"),
        (b"bash -c 'echo first' | cat; bash -c 'echo second'", b"echo first"),
        (b"bash -c 'echo first'; bash -c 'echo second'", b"echo first"),
        (b"bash -c 'echo first' > out; :", b"echo first"),
        (b"cat <(bash -c 'echo process') > /dev/null; bash -c 'echo real'", b"echo real"),
        (b"bash -c 'exec bash -c second'", b"exec bash -c second"),
        (b"FOO=1 bash -c 'echo x' &\nwait", b"echo x"),
        # Nobody waits for it, and it is an orphan by the time it starts.
        (b"bash -c 'echo x' & no-such-command", b"echo x"),
        (b"(sleep 0.1; (sleep 0.1; exec bash -c 'echo x') & ) & exit 3", b"echo x"),
    ],
)
def test_the_text_of_one_inner_shell(pool: Pool, program: bytes, text: bytes) -> None:
    assert arrived(pool, program) == text


@pytest.mark.parametrize("tail", [b"", b"; :"])
def test_the_text_of_two_inner_shells(pool: Pool, tail: bytes) -> None:
    program = b"bash -c \"bash -c 'echo \\$(bash -c x) deep'" + tail + b'"' + tail
    assert arrived(pool, program, 2) == b"echo $(bash -c x) deep"
    assert arrived(pool, b"bash -c 'echo only one'" + tail, 2) is None


@pytest.mark.parametrize(
    "program",
    [b"echo no shell", b"bash script", b"/bin/bash -c untapped", b"bash -c 'unterminated", b"echo $(bash -c sub)"],
)
def test_what_can_not_be_seen_is_unknown(pool: Pool, program: bytes) -> None:
    assert arrived(pool, program) is None


def test_a_forged_record_does_no_harm(pool: Pool) -> None:
    program = rb"""
    for log in ${PATH%%/bin:*}/log; do
        cd $log && printf 'x\0y' > 1; printf '1\0' > 2; printf '1\0 2\0 999999\0' > 3
        mkdir 4; ln -s /dev/zero 5; mkfifo 6
        printf '1.0\0%s\0-5\0' $$ > 7; head -c 100000 /dev/urandom > 8
    done
    bash -c true
    """
    assert arrived(pool, program) == b"true"


def test_an_untapped_run_finds_the_systems_shells(pool: Pool) -> None:
    launch = Launch(b"/bin/bash", (b"bash", b"-c", b"type -p bash sh"), b"")
    observation = pool.run(Execution(launch, Fixture(), 10.0))
    assert observation.stdout.data == b"/usr/bin/bash\n/usr/bin/sh\n"
    assert observation.arrived is None


@pytest.mark.parametrize(
    ("program", "inner_shells", "text"),
    [
        (b'bash -c "touch ran; echo hi"', 1, b"touch ran; echo hi"),
        (b'bash -c "touch ran; echo hi"; :', 1, b"touch ran; echo hi"),
        (b"bash -c \"bash -c 'touch ran'\"", 2, b"touch ran"),
        (b"bash -c \"bash -c 'touch ran'; :\"; :", 2, b"touch ran"),
        (b"sh -c \"x$(bash -c 'touch ran; echo y')z\"", 1, b"xz"),
    ],
)
def test_a_tap_that_stops_runs_nothing_of_the_last_shell(
    pool: Pool, program: bytes, inner_shells: int, text: bytes
) -> None:
    launch = Launch(b"/bin/bash", (b"bash", b"-c", program), program, inner_shells=inner_shells)
    observation = pool.run(Execution(launch, Fixture(), 10.0, tap=Tap.STOP))
    assert observation.arrived == text
    assert observation.tree.entries == {}
    assert observation.stdout.data == b""
