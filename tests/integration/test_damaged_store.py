"""A store whose rows somebody changed is said to be damaged, in one line that names table and row."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.model.content import canonical_json
from qfuzz.model.errors import StoreError
from qfuzz.model.forms import Forms, MinimalReply
from qfuzz.model.forms_codec import forms_to_json
from qfuzz.store.rows import OBSERVATION_COLUMNS, observation_to_row
from qfuzz.store.store import Store
from tests import wild
from tests.property.test_readers import damaged, swapped

FORMS = canonical_json(forms_to_json(Forms(b"x", None, None, MinimalReply(b"y", True, ()), 3)))
ANYTHING = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=9) | st.binary(max_size=9)


def read_or_refused(path: Path, row: Callable[[sqlite3.Connection], object], read: Callable[[Store], object]) -> None:
    Store(path).close()
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute("pragma foreign_keys = off")
            connection.execute("delete from forms")
            connection.execute("delete from observations")
            row(connection)
    except sqlite3.IntegrityError:
        return
    finally:
        connection.close()
    said = ""
    with Store(path) as store:
        try:
            read(store)
        except StoreError as error:
            said = str(error)
    assert not said or "is damaged" in said
    assert said.isprintable()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "d.db"


@settings(max_examples=60)
@given(st.one_of(damaged(st.just(FORMS)), swapped(st.just(FORMS))).map(lambda text: text.decode("utf-8", "replace")))
def test_damaged_forms(path: Path, text: str) -> None:
    def row(connection: sqlite3.Connection) -> None:
        connection.execute("insert into forms values ('k', 'v', 1, ?)", (text,))

    read_or_refused(path, row, lambda store: store.forms("k"))


@settings(max_examples=80)
@given(wild.observations.map(lambda seen: observation_to_row("k", seen)), st.data())
def test_damaged_observations(path: Path, good: tuple[object, ...], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(OBSERVATION_COLUMNS) - 1))
    value = data.draw(ANYTHING)
    if isinstance(good[at], str) and data.draw(st.booleans()):
        value = data.draw(damaged(st.just(good[at].encode()))).decode("utf-8", "replace")

    def row(connection: sqlite3.Connection) -> None:
        marks = ", ".join("?" * len(OBSERVATION_COLUMNS))
        columns = ", ".join(OBSERVATION_COLUMNS)
        values = (*good[:at], value, *good[at + 1 :])
        connection.execute(f"insert into observations ({columns}) values ({marks})", values)

    read_or_refused(path, row, lambda store: store.observations(["k"]))


def test_the_row_and_the_table_are_named(path: Path) -> None:
    Store(path).close()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("delete from forms")
        connection.execute("pragma foreign_keys = off")
        connection.execute("insert into forms values ('0123456789abcdef01', 'v', 1, '[]')")
    connection.close()
    with (
        Store(path) as store,
        pytest.raises(StoreError, match="row 0123456789abcdef of the table forms is damaged"),
    ):
        store.forms("0123456789abcdef01")
