"""Open, write and read the store. One connection, used by one thread; readers elsewhere open their own."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from qfuzz.model.content import JsonValue, canonical_json
from qfuzz.model.errors import StoreError
from qfuzz.model.observation import Observation
from qfuzz.model.reply import Reply
from qfuzz.model.task import Task
from qfuzz.model.task_codec import encode_task
from qfuzz.store.rows import OBSERVATION_COLUMNS, observation_from_row, observation_to_row, readable
from qfuzz.store.schema import APPLICATION_ID, known_migrations, migrations

BUSY_SECONDS = 30
_READ_BATCH = 500
_INSERT_OBSERVATION = (
    f"insert into observations ({', '.join(OBSERVATION_COLUMNS)}) "
    f"values ({', '.join('?' * len(OBSERVATION_COLUMNS))}) "
    "on conflict (key) do update set parses = excluded.parses, arrived = excluded.arrived "
    "where observations.parses is null and excluded.parses is not null"
)


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One judged execution. `observation` None: nothing was started. `outcome` None: no task, so no verdict.

    `stability` is "direct" for the direct run itself; `channels` are those of a confirmed divergence, with commas.
    """

    key: str
    reply: str
    task: str | None
    context: str
    transport: str
    observation: str | None
    outcome: str | None
    detail: str
    exit: int | None
    stability: str
    channels: str
    breaker: bool


_VERDICT_COLUMNS = tuple(VerdictRow.__dataclass_fields__)
_DERIVED = tuple(
    column for column in _VERDICT_COLUMNS if column not in ("key", "reply", "task", "context", "transport")
)
_INSERT_VERDICT = (
    f"insert into verdicts ({', '.join(_VERDICT_COLUMNS)}) values ({', '.join('?' * len(_VERDICT_COLUMNS))}) "
    f"on conflict (key) do update set ({', '.join(_DERIVED)}) = ({', '.join(f'excluded.{name}' for name in _DERIVED)})"
)
"""The last judgement stands: what a transport hands over and how it is judged may have been mended since the first."""


class Store:
    """A SQLite file with our tables, brought up to date when it is opened.

    Raises StoreError if the file is not a database, belongs to another program, or can't be written. Every `write_*`
    is committed when it returns; rows are keyed by what determines them, so writing one twice changes nothing. Only a
    verdict may change under its key, when the code that made it has: it is always the one that was given last.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise _store_error(path, error) from None
        try:
            _check_ours(self._connection, path)
            _keep_a_log_beside(self._connection)
            self._connection.execute("pragma synchronous = normal")
            self._connection.execute("pragma foreign_keys = on")
            self._bring_up_to_date()
        except BaseException as error:
            self._connection.close()
            if isinstance(error, sqlite3.Error):
                raise _store_error(path, error) from None
            raise

    def _bring_up_to_date(self) -> None:
        database = Database(self._connection)
        if {each.name for each in migrations.applied(database)} - known_migrations():
            raise StoreError("was made by a newer qfuzz", where=str(self.path), hint="name another file with --db")
        if migrations.pending(database):
            # Whole or not at all, and by one process alone, however many open a new file at once.
            with self._transaction():
                self._execute(f"pragma application_id = {APPLICATION_ID}", ())
                migrations.apply(database)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def observations(self, keys: Iterable[str]) -> dict[str, Observation]:
        """The stored observations among `keys`."""
        wanted = list(keys)
        found: dict[str, Observation] = {}
        columns = ", ".join(OBSERVATION_COLUMNS)
        for start in range(0, len(wanted), _READ_BATCH):
            batch = wanted[start : start + _READ_BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self._execute(f"select {columns} from observations where key in ({marks})", batch)
            found.update((row[0], observation_from_row(row)) for row in rows)
        return found

    def write_observation(self, key: str, observation: Observation) -> None:
        self._execute(_INSERT_OBSERVATION, observation_to_row(key, observation))

    def write_context(self, key: str, context: Mapping[str, JsonValue]) -> None:
        text = canonical_json(dict(sorted(context.items()))).decode()
        self._execute("insert or ignore into contexts (key, context) values (?, ?)", (key, text))

    def write_judged(
        self, key: str, reply: Reply, task: tuple[str, Task] | None, verdicts: Iterable[VerdictRow]
    ) -> None:
        """One sample with its task and all its verdicts, in one transaction."""
        with self._transaction():
            if task is not None:
                task_key, known = task
                row = (
                    task_key,
                    known.task_id,
                    known.family,
                    known.tier,
                    ",".join(known.hazards),
                    encode_task(known).decode(),
                )
                self._execute(
                    "insert or ignore into tasks (key, task_id, family, tier, hazards, task) values (?, ?, ?, ?, ?, ?)",
                    row,
                )
            self._execute(
                "insert or ignore into replies (key, task_id, model, contract, effort, trial, program, metadata) "
                "values (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key,
                    reply.task_id,
                    reply.model,
                    reply.contract,
                    reply.effort,
                    reply.trial,
                    readable(reply.program),
                    canonical_json(dict(reply.metadata)).decode(),
                ),
            )
            for verdict in verdicts:
                self._execute(_INSERT_VERDICT, [getattr(verdict, column) for column in _VERDICT_COLUMNS])

    def start_run(self, started: str, context: str, source: str, transports: str) -> int:
        """A new row in `runs`; returns its id."""
        cursor = self._execute(
            "insert into runs (started, context, input, transports) values (?, ?, ?, ?)",
            (started, context, source, transports),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def finish_run(self, run: int, finished: str) -> None:
        self._execute("update runs set finished = ? where id = ?", (finished, run))

    def _execute(self, statement: str, parameters: Iterable[Any]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, tuple(parameters))
        except sqlite3.Error as error:
            raise _store_error(self.path, error) from None

    def _transaction(self) -> _Transaction:
        return _Transaction(self)


class _Transaction:
    def __init__(self, store: Store) -> None:
        self.store = store

    def __enter__(self) -> None:
        self.store._execute("begin immediate", ())

    def __exit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        if kind is None:
            self.store._execute("commit", ())
        elif self.store._connection.in_transaction:
            self.store._connection.execute("rollback")


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
