"""A SQLite file with our tables: opened, brought up to date, and asked."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypedDict

from qfuzz.model.errors import InputError, StoreError
from qfuzz.store.schema import APPLICATION_ID, known_migrations, migrations
from qfuzz.store.sqlite import Database

BUSY_SECONDS = 30
_OF_RIGHTS = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


class _How(TypedDict):
    timeout: float
    isolation_level: None
    check_same_thread: bool


class Connection:
    """One connection, used by one thread. Raises StoreError if the file is not a database, belongs to another program,
    or can't be written."""

    def __init__(self, path: Path, *, any_thread: bool = False, reading: bool = False) -> None:
        """With `any_thread` any thread may use it, one at a time: the caller sees to that.

        With `reading` a file that can't be written is opened all the same, and `read_only` is set.
        """
        self.path = path
        self.read_only = False
        try:
            self._open(sqlite3.connect(path, **_how(any_thread)))
        except sqlite3.Error as error:
            if not reading or error.sqlite_errorcode & 0xFF not in _OF_RIGHTS:
                raise _store_error(path, error) from None
            self.read_only = True
            self._open_to_read(any_thread)

    def _open(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        try:
            _check_ours(connection, self.path)
            if not self.read_only:
                _keep_a_log_beside(connection)
                connection.execute("pragma synchronous = normal")
                connection.execute("pragma foreign_keys = on")
            self._bring_up_to_date()
        except BaseException:
            connection.close()
            raise

    def _open_to_read(self, any_thread: bool) -> None:
        """A store has a log beside it, which SQLite makes even to read, unless it is told that nobody writes."""
        log = Path(f"{self.path}-wal")
        written = log.exists() and log.stat().st_size > 0
        for how in ("mode=ro",) if written else ("mode=ro", "mode=ro&immutable=1"):
            try:
                return self._open(
                    sqlite3.connect(f"{self.path.absolute().as_uri()}?{how}", uri=True, **_how(any_thread))
                )
            except sqlite3.Error as error:
                failed = error
        if written:
            what = f"can't be read without writing, for the log {log.name} is beside it"
            raise StoreError(what, where=str(self.path), hint="copy both to where you may write")
        raise _store_error(self.path, failed)

    def _bring_up_to_date(self) -> None:
        database = Database(self._connection)
        if {each.name for each in migrations.applied(database)} - known_migrations():
            raise StoreError("was made by a newer qfuzz", where=str(self.path), hint="name another file with --db")
        if migrations.pending(database):
            if self.read_only:
                what = "was made by an older qfuzz, and must be written to be read"
                raise StoreError(what, where=str(self.path), hint="copy it to where you may write")
            # Whole or not at all, and by one process alone, however many open a new file at once.
            with self._transaction():
                self._execute(f"pragma application_id = {APPLICATION_ID}", ())
                migrations.apply(database)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def _reading(self, table: str, key: str) -> Iterator[None]:
        """Says which row it was where what was stored can't be read."""
        try:
            yield
        # A row that somebody else wrote can hold anything, and the model's own assertions are met by it too.
        except (InputError, LookupError, TypeError, ValueError, AttributeError, AssertionError, RecursionError):
            what = f"the row {str(key)[:16]} of the table {table} is damaged"
            raise StoreError(what, where=str(self.path), hint="name another file with --db") from None

    def _execute(self, statement: str, parameters: Iterable[Any]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, tuple(parameters))
        except sqlite3.Error as error:
            raise _store_error(self.path, error) from None

    def _transaction(self) -> _Transaction:
        return _Transaction(self)


class _Transaction:
    def __init__(self, store: Connection) -> None:
        self.store = store

    def __enter__(self) -> None:
        self.store._execute("begin immediate", ())

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is None:
            self.store._execute("commit", ())
        elif self.store._connection.in_transaction:
            self.store._connection.execute("rollback")


def _how(any_thread: bool) -> _How:
    return {"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": not any_thread}


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    # In this order: another process that makes our tables meanwhile writes both at once.
    (tables,) = connection.execute("select count(*) from sqlite_master").fetchone()
    (application_id,) = connection.execute("pragma application_id").fetchone()
    if tables and application_id != APPLICATION_ID:
        raise StoreError("is a database of another program", where=str(path), hint="name another file with --db")


def _keep_a_log_beside(connection: sqlite3.Connection) -> None:
    """Switch to WAL, so that readers and a writer do not wait for each other.

    SQLite does not wait for the lock that this takes, so who opens a new file together with others has to ask again.
    """
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    return StoreError(f"can't be used as the store ({error})", where=str(path), hint="name another file with --db")
