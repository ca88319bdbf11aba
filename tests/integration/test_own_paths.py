"""Paths of the user's own in the engine: the test before their use, what each of their faults is, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from qfuzz.engine.arrived import Arrival, arrivals
from qfuzz.engine.attempt import Machinery
from qfuzz.engine.events import Judged, Sample
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.run import RunPlan, replay
from qfuzz.escape.faults import TargetError
from qfuzz.jail.pool import Pool
from qfuzz.model.errors import PathError, UsageError
from qfuzz.model.observation import Observation
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture
from qfuzz.model.verdict import Outcome
from qfuzz.own.load import own_transports
from qfuzz.store.keys import fixture_key
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve

HARNESS = """
import subprocess, sys
reply = open(sys.argv[1], "rb").read()
if b"#refuse" in reply:
    sys.exit("no such reply")
if b"#reject" in reply:
    sys.exit(3)
if b"#early" in reply:
    subprocess.Popen(["bash", "-c", reply], stdout=subprocess.DEVNULL)
    sys.exit(0)
sys.exit(subprocess.run(["bash", "-c", reply]).returncode)
"""

ESCAPES = """
import shlex, time
def quote(text): return shlex.quote(text)
def forgets(text): return '"' + text.replace('"', '\\\\"') + '"'
def raises(text):
    if "$" in text: raise ValueError("no dollars")
    return shlex.quote(text)
def gives_bytes(text): return text.encode()
def gives_none(text):
    if "$" not in text: return shlex.quote(text)
def prints(text):
    if "$" in text: print("hm")
    return shlex.quote(text)
def hangs(text):
    while "$" in text: time.sleep(1)
    return shlex.quote(text)
def ends(text):
    if "$" in text: raise SystemExit(4)
    return shlex.quote(text)
"""

CONFIG = """
[transports.box]
exec = ["python3", "{here}/harness.py", "{reply_file}"]
show = ["."]
[transports.kept]
exec = ["python3", "{here}/harness.py", "{reply_file}"]
show = ["."]
depends = ["harness.py"]
[transports.rejecting]
exec = ["python3", "{here}/harness.py", "{reply_file}"]
show = ["."]
rejects = [3]
[transports.forks]
exec = ["bash", "-c", "setsid bash {reply_file} &"]
[transports.early]
exec = ["python3", "-c", "import subprocess as s; s.Popen(['bash', '{reply_file}'])"]
[transports.leaves]
exec = ["bash", "-c", "bash {reply_file}; sleep 100 > /dev/null &"]
[transports.never]
exec = ["cat", "{reply_file}"]
[transports.elsewhere]
exec = ["bash", "-c", "cd /tmp && bash {reply_file}"]
[transports.checks]
exec = ["bash", "-n", "{reply_file}"]
[transports.missing]
exec = ["./no-such-program", "{reply_file}"]
[transports.waits]
exec = ["python3", "-c", "import time; time.sleep(100)", "{reply_file}"]
timeout = 0.4
[transports.words]
exec = ["env", "-S", "{reply}"]
[transports.typed]
exec = ["bash", "-s"]
stdin = true
[transports.rechecked]
exec = ["bash", "-c", 'bash -n "$0" && bash -s < "$0"', "{reply_file}"]
[transports.unserved]
exec = ["bash", "{reply_file}"]
service = ["false"]
ready = ["true"]
[transports.line]
template = "bash -c {}"
[transports.inside]
template = "cd . && bash -c 'true; {}'"
[transports.container]
template = "no-docker exec -i box bash -c {}"
[transports.broken]
template = "bash -c '{}"
""" + "".join(
    f'[transports.{name.replace("_", "-")}]\ntemplate = "bash -c {{}}"\nescape = "escapes:{name}"\n'
    for name in ("quote", "forgets", "raises", "gives_bytes", "gives_none", "prints", "hangs", "ends", "absent")
)

COSTS = b"echo 'costs $5'"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    folder.chmod(0o755)
    (folder / "harness.py").write_text(HARNESS)
    (folder / "escapes.py").write_text(ESCAPES)
    (folder / "qfuzz.toml").write_text(CONFIG)
    return folder


@pytest.fixture(scope="module")
def pool(folder: Path) -> Iterator[Pool]:
    with Pool(2, shown=(folder,)) as made:
        yield made


@pytest.fixture(autouse=True)
def _known(folder: Path) -> Iterator[None]:
    with own_transports(folder / "qfuzz.toml"):
        yield


def machines(pool: Pool, *names: str) -> Machinery:
    return machinery(pool, 10.0, [resolve(name) for name in names])


def judged(pool: Pool, name: str, *programs: bytes, known: dict[str, Observation] | None = None) -> list[Judged]:
    """The replies over one path; what is executed is put into `known`, where it is looked up first."""
    empty = Fixture()
    samples = [
        Sample(index, Reply(program), None, "", empty, fixture_key(empty)) for index, program in enumerate(programs)
    ]
    stacks = (resolve(name),)
    kept = {} if known is None else known
    plan = RunPlan(samples, len(samples), resolve("direct"), stacks, context_of(pool, 10.0), 2)
    found = []

    def recall(keys: Sequence[str]) -> dict[str, Observation]:
        return {key: kept[key] for key in keys if key in kept}

    for event in replay(plan, machinery(pool, 10.0, stacks), recall):
        if isinstance(event, Judged):
            found.append(event)
        elif hasattr(event, "observation"):
            kept[event.key] = event.observation
    return found


def test_a_path_that_carries_is_no_different_from_the_direct_one(pool: Pool) -> None:
    for name in ("box", "quote", "typed", "json > box"):
        for event in judged(pool, name, COSTS, b"printf 'x\\n' > f; exit 4"):
            (result,) = event.results
            assert (result.breaker, result.verdict) == (False, None), (name, result)
            assert result.comparison is not None
            assert not result.comparison.diverged


def test_a_path_that_damages_breaks_the_reply_and_not_its_neighbour(pool: Pool) -> None:
    broken, whole = judged(pool, "forgets", COSTS, b"echo 'costs 5'")
    assert (broken.results[0].breaker, whole.results[0].breaker) == (True, False)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("forks", "ended and left something running"),
        ("early", "ended and left something running"),
        ("leaves", "ended and left something running"),
        ("never", "never runs the reply: `touch qfuzz-canary` did nothing; it started 0 shells (status 0)"),
        ("elsewhere", "runs the reply in /tmp, not where `exec` is started; have it run in the working directory"),
        ("checks", "never runs the reply: `touch qfuzz-canary` did nothing; it started 1 shell (status 0)"),
        ("missing", "it started 0 shells (status 127, saying: env: "),
        ("waits", "did not end within its time with `sleep 0.3; touch qfuzz-canary`; give it more: timeout = SECONDS"),
        ("unserved", "the service ended "),
        ("container", "no-docker: command not found); the whole line runs in the jail, where no other machine is: "),
        ("broken", "does not even run `uname` (status 2, saying: bash: "),
        (
            "gives-bytes",
            "the escaping function escapes:gives_bytes returns bytes instead of str for 'sleep 0.3; ",
        ),
    ],
)
def test_a_path_that_fails_its_test_is_not_used(pool: Pool, name: str, what: str) -> None:
    with pytest.raises(PathError) as caught:
        machines(pool, name)
    assert str(caught.value).startswith(f"{name}: ")
    assert what in str(caught.value)
    assert caught.value.exit_status == 2


def test_a_function_that_is_not_there_ends_the_run(pool: Pool) -> None:
    with pytest.raises(TargetError, match="can't be imported"):
        machines(pool, "absent")


@pytest.mark.parametrize(
    ("name", "program", "what"),
    [
        ("box", b"echo hi #refuse", "started no shell for this reply (status 1, saying: no such reply)"),
        ("box", b"sleep 0.5; touch f #early", "ended before the shell that runs the reply"),
        ("raises", COSTS, "the escaping function escapes:raises raises ValueError: no dollars for \"echo 'costs $5'\""),
        ("gives-none", COSTS, "returns NoneType instead of str for"),
        ("prints", COSTS, "prints 'hm' for"),
        ("ends", COSTS, "raises SystemExit: 4 for"),
        ("hangs", COSTS, "does not answer in 5 s for"),
    ],
)
def test_a_path_that_fails_at_a_reply_says_nothing_about_it(pool: Pool, name: str, program: bytes, what: str) -> None:
    failed, fine = judged(pool, name, program, b"echo fine")
    (result,) = failed.results
    assert result.verdict is not None
    assert result.verdict.outcome is Outcome.HARNESS_ERROR
    assert what in result.verdict.detail
    assert not result.breaker
    assert fine.results[0].verdict is None
    assert fine.results[0].comparison is not None
    assert not fine.results[0].comparison.diverged


def test_a_status_that_says_no_is_damage_where_it_is_declared(pool: Pool) -> None:
    program = b"echo hi #reject"
    (undeclared,), (declared,) = judged(pool, "box", program), judged(pool, "rejecting", program)
    assert undeclared.results[0].verdict is not None
    assert not undeclared.results[0].breaker
    assert declared.results[0].breaker


def test_a_path_for_plain_commands_may_be_measured(pool: Pool) -> None:
    (plain, listed) = judged(pool, "words", b"touch f", b"touch f; touch g")
    assert (plain.results[0].breaker, listed.results[0].breaker) == (False, True)


def arrived(pool: Pool, name: str, program: bytes) -> tuple[Arrival, bytes | None]:
    empty = Fixture()
    sample = Sample(0, Reply(program), None, "", empty, fixture_key(empty))
    (at,) = arrivals([sample], (resolve(name),), machines(pool, name).stopped_text, 1)
    return at.arrivals[0].arrival, at.arrivals[0].text


def test_what_reaches_the_last_shell_is_seen_and_not_run(pool: Pool) -> None:
    assert arrived(pool, "box", COSTS) == (Arrival.SAME, COSTS)
    assert arrived(pool, "quote", COSTS) == (Arrival.SAME, COSTS)
    assert arrived(pool, "forgets", COSTS) == (Arrival.CHANGED, b"echo 'costs '")
    assert arrived(pool, "line", COSTS) == (Arrival.CHANGED, b"echo")
    assert arrived(pool, "line", b"echo )") == (Arrival.LOST, None)
    assert arrived(pool, "raises", COSTS)[0] is Arrival.FAILED


def test_where_no_shell_is_seen_to_run_the_reply_nothing_is_said_of_what_arrives(pool: Pool) -> None:
    assert machines(pool, "typed", "words", "rechecked", "box").unseen == ("typed", "words", "rechecked")


def test_no_layer_follows_a_path_that_runs_the_reply() -> None:
    with pytest.raises(UsageError, match="box runs the reply itself, so no layer can follow it in 'box > nested'"):
        resolve("box > nested")
    assert resolve("json > box").boundaries[-1].name == "box"


def test_a_box_is_run_again_by_each_run_unless_it_names_what_it_depends_on(folder: Path, pool: Pool) -> None:
    def over(name: str, known: dict[str, Observation]) -> int:
        with ExitStack() as again:
            again.enter_context(_afresh(folder))
            (event,) = judged(pool, name, COSTS, known=known)
            return event.executed

    known: dict[str, Observation] = {}
    assert over("kept", known) == 3
    assert over("kept", known) == 0
    harness = folder / "harness.py"
    harness.write_text(HARNESS + "\n# changed\n")
    try:
        assert over("kept", known) == 1
    finally:
        harness.write_text(HARNESS)
    assert (over("box", {}), over("quote", known), over("quote", known)) == (3, 1, 0)
    assert (over("box", known), over("box", known)) == (1, 1)


def _afresh(folder: Path) -> ExitStack:
    """The same file read once more, as another run does."""
    from qfuzz.transports.loader import load

    registry = load()
    own = {name: boundary for name, boundary in registry.boundaries.items() if boundary.own is not None}
    for name in own:
        registry.remove(name)
    stack = ExitStack()
    stack.callback(lambda: [registry.add(boundary) for boundary in own.values()])
    stack.enter_context(own_transports(folder / "qfuzz.toml"))
    return stack


def test_transports_are_forgotten_when_their_file_is(folder: Path) -> None:
    stack: Transport = resolve("box")
    assert stack.is_own
    with _afresh(folder):
        assert resolve("box").boundaries[0] is not stack.boundaries[0]
    assert resolve("box").boundaries[0] is stack.boundaries[0]
