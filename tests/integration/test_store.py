"""The store: what goes in comes out, whoever else has the file open, and wherever it was cut off."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from sqlite_utils import Database

from qfuzz.model.errors import InputError, StoreError
from qfuzz.model.observation import Capture, Entry, Kind, Observation, Tree
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply, encode_reply
from qfuzz.store.keys import context_key, sample_key, task_key
from qfuzz.store.schema import APPLICATION_ID, known_migrations, migrations
from qfuzz.store.store import Store, VerdictRow
from tests import wild
from tests.examples import observed, task_for
from tests.fakes import CONTEXT

few = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
OBSERVED = observed(2, b"out", b"err", Tree({b"a": Entry(Kind.FILE, 0o644, b"x")}))
REPLY = Reply(b"echo", "family/t1-x", "raw", "m", 1)
CONTEXT_KEY = context_key(CONTEXT)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "q.db") as opened:
        opened.write_context(CONTEXT_KEY, CONTEXT)
        yield opened


def verdict(key: str = "v", **changes: object) -> VerdictRow:
    row = VerdictRow(
        key, sample_key(REPLY), None, CONTEXT_KEY, "nested", None, "refused", "no", None, "same", "", False
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def table(path: Path, query: str) -> list[tuple[object, ...]]:
    """The rows of a query, as any other program reads them."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


@few
@given(observation=wild.observations)
def test_an_observation_comes_back_as_it_was(store: Store, observation: Observation) -> None:
    key = str(hash(observation.stdout)) + repr(observation)
    store.write_observation(key, observation)
    assert store.observations([key]) == {key: observation}


@few
@given(reply=wild.replies)
def test_a_reply_is_kept_to_the_byte(store: Store, reply: Reply) -> None:
    key = sample_key(reply)
    store.write_judged(key, reply, None, [])
    query = f"select program, task_id, model, contract, effort, trial from replies where key = '{key}'"
    ((program, *rest),) = table(store.path, query)
    kept = program.encode() if isinstance(program, str) else program
    assert (kept, *rest) == (reply.program, reply.task_id, reply.model, reply.contract, reply.effort, reply.trial)


@pytest.mark.parametrize(
    "line",
    [
        b'{"reply":"x","note":"\\ud800"}',
        b'{"reply":"x","\\udfff":1}',
        b'{"reply":"x","n":1e999}',
        b'{"reply":"x","trial":99999999999999999999}',
        b'{"reply":"x","deep":' + b"[" * 900 + b"]" * 900 + b"}",
    ],
)
def test_what_the_format_lets_in_the_store_can_keep(store: Store, line: bytes) -> None:
    """Or else the format refuses it: a run that fails at its first write has read its input in vain."""
    try:
        reply = decode_reply(line)
    except InputError:
        return
    store.write_judged(sample_key(reply), reply, None, [])
    assert encode_reply(reply)


def test_what_arrived_is_added_to_an_observation_and_never_taken_away(store: Store) -> None:
    asked = replace(OBSERVED, arrived=b"echo", tapped=True)
    parsed = replace(asked, parses=True)
    for written, expected in ((OBSERVED, OBSERVED), (asked, asked), (OBSERVED, asked), (parsed, parsed)):
        store.write_observation("k", written)
        assert store.observations(["k"]) == {"k": expected}
    lost = replace(OBSERVED, tapped=True)
    store.write_observation("l", OBSERVED)
    store.write_observation("l", lost)
    assert store.observations(["l"]) == {"l": lost}


def test_many_keys_are_asked_for_at_once(store: Store) -> None:
    keys = [str(number) for number in range(1203)]
    for key in keys:
        store.write_observation(key, OBSERVED)
    assert store.observations([*keys, "unknown"]).keys() == set(keys)
    assert store.observations([]) == {}


def test_writing_twice_changes_nothing(store: Store) -> None:
    task = task_for("file")
    for _ in range(2):
        store.write_observation("k", OBSERVED)
        store.write_context(CONTEXT_KEY, CONTEXT)
        store.write_judged(sample_key(REPLY), REPLY, (task_key(task), task), [verdict(observation="k")])
        state = [
            table(store.path, f"select * from {name}") for name in ("observations", "replies", "tasks", "verdicts")
        ]
        assert [len(rows) for rows in state] == [1, 1, 1, 1]


def test_syntax_is_added_to_an_observation_and_never_taken_away(store: Store) -> None:
    asked = replace(OBSERVED, parses=False, arrived=b"echo '")
    for written, expected in ((OBSERVED, OBSERVED), (asked, asked), (OBSERVED, asked)):
        store.write_observation("k", written)
        assert store.observations(["k"]) == {"k": expected}


def test_a_verdict_follows_what_was_judged_last(store: Store) -> None:
    store.write_observation("old", OBSERVED)
    store.write_observation("new", OBSERVED)
    store.write_judged(sample_key(REPLY), REPLY, None, [verdict(observation="old", breaker=True)])
    store.write_judged(sample_key(REPLY), REPLY, None, [verdict(observation="new", outcome="pass", detail="")])
    query = "select observation, outcome, detail, breaker from verdicts"
    assert table(store.path, query) == [("new", "pass", "", 0)]


@pytest.mark.parametrize("missing", ["reply", "task", "context", "observation"])
def test_a_verdict_points_at_rows_that_exist(store: Store, missing: str) -> None:
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        store.write_judged(sample_key(REPLY), REPLY, None, [verdict(**{missing: "nowhere"})])
    assert table(store.path, "select count(*) from replies") == [(0,)], "half a sample was kept"
    store.write_judged(sample_key(REPLY), REPLY, None, [verdict()])


def test_views_are_readable_whatever_bytes_they_show(store: Store) -> None:
    binary = replace(OBSERVED, stdout=Capture(b"\xff\xfe"), stderr=Capture("é\0".encode()))
    reply = replace(REPLY, program=b"printf '\xff'")
    store.write_observation("k", binary)
    row = verdict(reply=sample_key(reply), observation="k", breaker=True)
    store.write_judged(sample_key(reply), reply, None, [row])
    ((shown,),) = table(store.path, "select reply from breakers")
    assert shown == b"printf '\xff'"
    assert table(store.path, "select stdout, stderr from executions") == [(b"\xff\xfe", "é\0".encode())]
    plain = replace(REPLY, program="echo 'é'\n".encode())
    store.write_judged(sample_key(plain), plain, None, [verdict("v2", reply=sample_key(plain), breaker=True)])
    assert ("echo 'é'\n",) in table(store.path, "select reply from breakers")


def test_a_breaker_without_a_task_has_its_last_place_and_an_outcome(store: Store) -> None:
    row = verdict(outcome=None, breaker=True)
    for place in ("a.jsonl:1", "b\udcff.jsonl:2", ""):
        store.write_judged(sample_key(REPLY), REPLY, None, [row], place)
    assert table(store.path, "select outcome, place from breakers") == [("diverged", "b\\udcff.jsonl:2")]


def test_others_read_while_a_run_writes(store: Store) -> None:
    store.write_observation("k", OBSERVED)
    with store._transaction():
        store._execute("delete from observations", ())
        assert table(store.path, "select count(*) from observations") == [(1,)]
    assert table(store.path, "select count(*) from observations") == [(0,)]
    assert table(store.path, "pragma journal_mode") == [("wal",)]


def test_a_run_is_kept_with_its_times(store: Store) -> None:
    first = store.start_run("t1", CONTEXT_KEY, "a.jsonl", "nested")
    second = store.start_run("t2", CONTEXT_KEY, "b.jsonl", "nested, json")
    store.finish_run(second, "t3")
    runs = table(store.path, "select id, started, finished, input, transports from runs order by id")
    assert runs == [(first, "t1", None, "a.jsonl", "nested"), (second, "t2", "t3", "b.jsonl", "nested, json")]


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("create table mine (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store(path)
    assert path.read_bytes() == before


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "q.db"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute(
        "insert into _sqlite_migrations (migration_set, name, applied_at) values ('qfuzz', 'm999_x', '')"
    )
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        Store(path)


@pytest.mark.parametrize("content", [b"not a database\n" * 100, b"\0" * 4096, b"SQLite format 3\0" + b"\xff" * 500])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "q.db"
    path.write_bytes(content)
    with pytest.raises(StoreError):
        Store(path)
    assert path.read_bytes() == content


def test_a_place_that_cannot_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "q.db", tmp_path, Path("/proc/q.db"), Path("/dev/null/q.db")):
        with pytest.raises(StoreError) as caught:
            Store(path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """Whatever has been released: each prefix of the migrations is a file that somebody may have."""
    names = sorted(known_migrations())
    for count in range(len(names)):
        path = tmp_path / f"{count}.db"
        connection = sqlite3.connect(path, isolation_level=None)
        if count:
            connection.execute(f"pragma application_id = {APPLICATION_ID}")
            migrations.apply(Database(connection), stop_before=names[count])
        connection.close()
        with Store(path) as opened:
            opened.write_observation("k", OBSERVED)
        assert table(path, "select name from _sqlite_migrations") == [(name,) for name in names]


def test_a_text_that_an_older_version_saw_arrive_is_known_to_have_been_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "q.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    migrations.apply(Database(connection), stop_before="m005_what_arrived")
    columns = "key, ending, value, stdout, stderr, tree, limit_hit, seconds, arrived"
    for key, arrived in (("seen", "'echo'"), ("not", "null")):
        connection.execute(
            f"insert into observations ({columns}) values ('{key}', 'exit', 0, '', '', '[]', '', 0, {arrived})"
        )
    connection.close()
    with Store(path) as opened:
        found = opened.observations(["seen", "not"])
    assert {key: (each.arrived, each.tapped) for key, each in found.items()} == {
        "seen": (b"echo", True),
        "not": (None, False),
    }


CUT_OFF = """
import os, sqlite3, sys
from pathlib import Path
from qfuzz.store.store import Store

connect = sqlite3.connect
for moment in range(1000):
    path = Path(sys.argv[1]) / f"{moment}.db"
    child = os.fork()
    if not child:
        left = moment
        def count(statement):
            global left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), 9)
        def traced(*arguments, **options):
            connection = connect(*arguments, **options)
            connection.set_trace_callback(count)
            return connection
        sqlite3.connect = traced
        Store(path)
        os._exit(0)
    killed = os.waitpid(child, 0)[1] == 9
    with Store(path) as store:
        store.start_run("now", store.write_context("c", {}) or "c", "x", "nested")
    if not killed:
        print(moment)
        break
"""


@pytest.mark.long
def test_a_new_file_that_was_cut_off_at_any_statement_is_usable(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CUT_OFF, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert int(done.stdout) > 10, "too few statements were seen to cut anything off"


WRITER = """
import sys
from pathlib import Path
from qfuzz.store.store import Store
from tests.integration.test_store import OBSERVED

print("ready", flush=True)
sys.stdin.readline()
with Store(Path(sys.argv[1])) as store:
    for number in range(60):
        store.write_observation(f"{sys.argv[2]} {number}", OBSERVED)
        store.write_observation(f"both {number}", OBSERVED)
"""


def test_several_processes_make_and_fill_one_file(tmp_path: Path, checkout: Path) -> None:
    path = tmp_path / "q.db"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=checkout,
            text=True,
        )
        for number in range(3)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert (errors, writer.returncode) == ("", 0)
    assert table(path, "select count(*) from observations") == [(240,)]
    assert table(path, "pragma integrity_check") == [("ok",)]
