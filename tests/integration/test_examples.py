"""The example database in the store keeps the contract of Hypothesis's `ExampleDatabase` and the store's promises.

Hypothesis ships no such suite; the laws are those of its documentation, held against its own in-memory database.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase, ReadOnlyDatabase

from qfuzz.model.errors import StoreError
from qfuzz.store.examples import StoredExamples
from qfuzz.store.store import Store


@pytest.fixture
def examples(tmp_path: Path) -> Iterator[StoredExamples]:
    with StoredExamples(tmp_path / "e.db") as opened:
        yield opened


def test_what_is_saved_is_fetched_once_however_often_it_is_saved(examples: StoredExamples) -> None:
    for value in (b"b", b"a", b"b", b""):
        examples.save(b"k", value)
    assert list(examples.fetch(b"k")) == [b"", b"a", b"b"]
    assert list(examples.fetch(b"other")) == []


def test_deleting_what_is_not_there_changes_nothing(examples: StoredExamples) -> None:
    examples.delete(b"k", b"v")
    examples.save(b"k", b"v")
    examples.delete(b"k", b"w")
    examples.delete(b"l", b"v")
    assert list(examples.fetch(b"k")) == [b"v"]
    examples.delete(b"k", b"v")
    assert list(examples.fetch(b"k")) == []


def test_moving_takes_a_value_to_another_key_wherever_it_was(examples: StoredExamples) -> None:
    examples.save(b"k", b"v")
    examples.move(b"k", b"l", b"v")
    assert (list(examples.fetch(b"k")), list(examples.fetch(b"l"))) == ([], [b"v"])
    examples.move(b"k", b"l", b"new")
    examples.move(b"l", b"l", b"v")
    assert set(examples.fetch(b"l")) == {b"v", b"new"}


keys, values = st.sampled_from([b"", b"k", b"\0\xff"]), st.sampled_from([b"", b"v", b"\0", b"\xff" * 300])
steps = st.one_of(
    st.tuples(st.just("save"), keys, values),
    st.tuples(st.just("delete"), keys, values),
    st.tuples(st.just("move"), keys, keys, values),
)


@settings(max_examples=60)
@given(st.lists(steps, max_size=12))
def test_any_steps_leave_what_they_leave_in_memory(
    tmp_path_factory: pytest.TempPathFactory, taken: list[tuple[str, ...]]
) -> None:
    path = tmp_path_factory.mktemp("steps") / "e.db"
    model = InMemoryExampleDatabase()
    heard: dict[int, list[object]] = {0: [], 1: []}
    model.add_listener(heard[0].append)
    with StoredExamples(path) as ours:
        ours.add_listener(heard[1].append)
        for name, *arguments in taken:
            for database in (model, ours):
                getattr(database, name)(*arguments)
        assert heard[0] == heard[1]
    with StoredExamples(path) as again:
        for key in (b"", b"k", b"\0\xff"):
            assert set(again.fetch(key)) == set(model.fetch(key))


def test_many_keys_and_long_values(examples: StoredExamples) -> None:
    for number in range(500):
        examples.save(b"key%d" % number, b"v" * number)
    assert all(list(examples.fetch(b"key%d" % number)) == [b"v" * number] for number in range(500))
    long = bytes(range(256)) * 4096
    examples.save(b"k", long)
    assert list(examples.fetch(b"k")) == [long]


def test_threads_share_one(examples: StoredExamples) -> None:
    def work(number: int) -> None:
        for step in range(20):
            examples.save(b"k", b"%d-%d" % (number, step))
            assert list(examples.fetch(b"k"))
            if step % 2:
                examples.delete(b"k", b"%d-%d" % (number, step))

    with ThreadPoolExecutor(8) as workers:
        list(workers.map(work, range(8)))
    assert set(examples.fetch(b"k")) == {b"%d-%d" % (number, step) for number in range(8) for step in range(0, 20, 2)}


def test_processes_share_one(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    script = (
        "import sys; from pathlib import Path; from qfuzz.store.examples import StoredExamples\n"
        "with StoredExamples(Path(sys.argv[1])) as e:\n"
        "    for n in range(30): e.save(b'k', f'{sys.argv[2]}-{n}'.encode())"
    )
    started = [subprocess.Popen([sys.executable, "-c", script, str(path), str(number)]) for number in range(3)]
    assert [each.wait(60) for each in started] == [0, 0, 0]
    with StoredExamples(path) as examples:
        assert len(list(examples.fetch(b"k"))) == 90


def test_rows_that_are_no_blobs_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "e.db"
    with StoredExamples(path) as examples:
        examples.save(b"k", b"good")
    odd = [(b"k", "text"), (b"k", None), ("k", b"v"), (b"k", 7)]
    with sqlite3.connect(path) as connection:
        connection.executemany("insert into examples values (?, ?)", odd)
    connection.close()
    with StoredExamples(path) as examples:
        assert list(examples.fetch(b"k")) == [b"good"]


def test_hypothesis_replays_from_it_and_clears_what_is_no_example(examples: StoredExamples) -> None:
    failing: list[int] = []

    @settings(database=examples, derandomize=False, phases=[Phase.reuse, Phase.generate, Phase.shrink])
    @given(st.integers(0, 1000))
    def test(number: int) -> None:
        failing.append(number)
        assert number < 100

    with pytest.raises(AssertionError):
        test()
    failing.clear()
    with pytest.raises(AssertionError):
        test()
    assert failing[0] == 100
    stored = examples._store._execute("select distinct key from examples", ()).fetchall()
    assert stored
    (primary,) = min(stored, key=lambda row: len(row[0]))
    examples.save(primary, b"\xff no example")
    with pytest.raises(AssertionError):
        test()
    assert b"\xff no example" not in list(examples.fetch(primary))


def test_a_read_only_view_of_it_replays_and_writes_nothing(examples: StoredExamples) -> None:
    examples.save(b"k", b"v")
    view = ReadOnlyDatabase(examples)
    view.save(b"k", b"w")
    view.delete(b"k", b"v")
    assert list(view.fetch(b"k")) == [b"v"]


def test_a_store_of_before_gets_the_table(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute("drop table examples")
    connection.execute("delete from _sqlite_migrations where name = 'm003_examples'")
    connection.commit()
    connection.close()
    with StoredExamples(path) as examples:
        examples.save(b"k", b"v")
        assert list(examples.fetch(b"k")) == [b"v"]


def test_a_file_that_only_may_be_read_is_said_in_one_line(tmp_path: Path) -> None:
    with StoredExamples(tmp_path / "e.db") as examples:
        examples._store._connection.execute("pragma query_only = on")
        with pytest.raises(StoreError, match=r"e\.db: can't be used .*\(attempt to write a readonly database\)"):
            examples.save(b"k", b"v")
        assert list(examples.fetch(b"k")) == []


def test_a_full_disk_is_said_in_one_line_and_loses_nothing(tmp_path: Path) -> None:
    with StoredExamples(tmp_path / "e.db") as examples:
        examples.save(b"k", b"v")
        (pages,) = examples._store._connection.execute("pragma page_count").fetchone()
        examples._store._connection.execute(f"pragma max_page_count = {pages}")
        with pytest.raises(StoreError, match="database or disk is full"):
            examples.save(b"k", b"x" * 100_000)
        assert list(examples.fetch(b"k")) == [b"v"]


def test_a_foreign_file_and_a_closed_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(StoreError, match="can't be used as the store"):
        StoredExamples(tmp_path / "text")
    closed = StoredExamples(tmp_path / "e.db")
    closed.close()
    with pytest.raises(StoreError, match="closed"):
        closed.save(b"k", b"v")
