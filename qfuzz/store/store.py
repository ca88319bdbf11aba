"""Write and read the store. Readers in other threads open their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from qfuzz.model.content import JsonValue, canonical_json
from qfuzz.model.errors import StoreError
from qfuzz.model.forms import Forms
from qfuzz.model.forms_codec import forms_from_json, forms_to_json
from qfuzz.model.observation import Observation
from qfuzz.model.reply import Reply
from qfuzz.model.task import Task
from qfuzz.model.task_codec import decode_task, encode_task
from qfuzz.store.connection import Connection
from qfuzz.store.rows import OBSERVATION_COLUMNS, observation_from_row, observation_to_row, readable

_READ_BATCH = 500
_INSERT_OBSERVATION = (
    f"insert into observations ({', '.join(OBSERVATION_COLUMNS)}) "
    f"values ({', '.join('?' * len(OBSERVATION_COLUMNS))}) "
    "on conflict (key) do update set parses = coalesce(parses, excluded.parses), "
    "arrived = coalesce(arrived, excluded.arrived), tapped = max(tapped, excluded.tapped) "
    "where (parses is null and excluded.parses is not null) or tapped < excluded.tapped"
)
"""What a row does not say yet is added to it; what it says is never changed."""


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


@dataclass(frozen=True, slots=True)
class StoredBreaker:
    """A judged execution as it was stored. `transported` None: nothing was started.

    `context` is the key of what all executions of that run shared; `breaker`, `stability` and `detail` are as in
    VerdictRow.
    """

    key: str
    context: str
    transport: str
    program: bytes
    task: Task | None
    transported: Observation | None
    breaker: bool
    stability: str
    detail: str


_ID = re.compile(r"[0-9a-f]{4,64}")
_SELECT_JUDGED = (
    "select verdicts.key, verdicts.transport, verdicts.task, verdicts.context, verdicts.observation, "
    "replies.program, verdicts.breaker, verdicts.stability, verdicts.detail "
    "from verdicts join replies on replies.key = verdicts.reply"
)


class Store(Connection):
    """What runs leave and read. Every `write_*`
    is committed when it returns; rows are keyed by what determines them, so writing one twice changes nothing. Only a
    verdict may change under its key, when the code that made it has: it is always the one that was given last.
    """

    def observations(self, keys: Iterable[str]) -> dict[str, Observation]:
        """The stored observations among `keys`."""
        wanted = list(keys)
        found: dict[str, Observation] = {}
        columns = ", ".join(OBSERVATION_COLUMNS)
        for start in range(0, len(wanted), _READ_BATCH):
            batch = wanted[start : start + _READ_BATCH]
            marks = ", ".join("?" * len(batch))
            rows = self._execute(f"select {columns} from observations where key in ({marks})", batch)
            for row in rows:
                with self._reading("observations", row[0]):
                    found[row[0]] = observation_from_row(row)
        return found

    def write_observation(self, key: str, observation: Observation) -> None:
        self._execute(_INSERT_OBSERVATION, observation_to_row(key, observation))

    def write_context(self, key: str, context: Mapping[str, JsonValue]) -> None:
        text = canonical_json(dict(sorted(context.items()))).decode()
        self._execute("insert or ignore into contexts (key, context) values (?, ?)", (key, text))

    def write_judged(
        self, key: str, reply: Reply, task: tuple[str, Task] | None, verdicts: Iterable[VerdictRow], place: str = ""
    ) -> None:
        """One sample with its task and all its verdicts, in one transaction; `place` is where it was last read."""
        with self._transaction():
            if task is not None:
                self._write_task(*task)
            self._write_reply(key, reply)
            if place:
                shown = place.encode("utf-8", "backslashreplace").decode()
                self._execute("update replies set place = ? where key = ? and place != ?", (shown, key, shown))
            for verdict in verdicts:
                self._execute(_INSERT_VERDICT, [getattr(verdict, column) for column in _VERDICT_COLUMNS])

    def _write_task(self, key: str, task: Task) -> None:
        hazards, line = ",".join(task.hazards), encode_task(task).decode()
        self._execute(
            "insert or ignore into tasks (key, task_id, family, tier, hazards, task) values (?, ?, ?, ?, ?, ?)",
            (key, task.task_id, task.family, task.tier, hazards, line),
        )

    def _write_reply(self, key: str, reply: Reply) -> None:
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

    def write_forms(self, key: str, verdict: str, forms: Forms) -> None:
        """`key` is that of what determines the forms, `verdict` that of the judged execution they belong to."""
        text = canonical_json(forms_to_json(forms)).decode()
        self._execute(
            "insert or replace into forms (key, verdict, executions, forms) values (?, ?, ?, ?)",
            (key, verdict, forms.executions, text),
        )

    def forms(self, key: str) -> Forms | None:
        row = self._execute("select forms from forms where key = ?", (key,)).fetchone()
        return None if row is None else self._forms(key, row[0])

    def last_forms(self, verdict: str) -> Forms | None:
        """The forms that were last found for a judged execution, with whatever code and settings."""
        found = self._execute("select forms from forms where verdict = ? order by rowid desc limit 1", (verdict,))
        row = found.fetchone()
        return None if row is None else self._forms(verdict, row[0])

    def _forms(self, key: str, text: str) -> Forms:
        with self._reading("forms", key):
            return forms_from_json(json.loads(text))

    def judged(self, id_: str) -> StoredBreaker:
        """The judged execution whose key begins with `id_`.

        Raises StoreError where there is none or more than one.
        """
        if not _ID.fullmatch(id_):
            raise StoreError(f"{id_!r} is no id", where=str(self.path), hint="ids are 4 to 64 hexadecimal digits")
        rows = self._execute(f"{_SELECT_JUDGED} where verdicts.key glob ? limit 2", (f"{id_}*",)).fetchall()
        if len(rows) != 1:
            what = f"no execution has the id {id_}" if not rows else f"more than one id begins with {id_}"
            raise StoreError(what, where=str(self.path), hint="the view `breakers` lists ids")
        return self._stored(rows[0])

    def breakers(self) -> Iterator[StoredBreaker]:
        """Every breaker, in the order of transports and then of keys; one is held at a time."""
        where = "where breaker = 1 order by transport, key"
        for (key,) in self._execute(f"select key from verdicts {where}", ()).fetchall():
            for row in self._execute(f"{_SELECT_JUDGED} where verdicts.key = ?", (key,)).fetchall():
                yield self._stored(row)

    def _stored(self, row: tuple[Any, ...]) -> StoredBreaker:
        key, transport, task, context, observation, program, breaker, stability, detail = row
        task_row = self._execute("select task from tasks where key = ?", (task,)).fetchone()
        with self._reading("tasks", task):
            known = None if task_row is None else decode_task(task_row[0].rstrip("\n").encode())
        return StoredBreaker(
            key,
            context,
            transport,
            program if isinstance(program, bytes) else program.encode(),
            known,
            None if observation is None else self.observations([observation])[observation],
            bool(breaker),
            stability,
            detail,
        )

    def write_case(self, key: str, reply: tuple[str, Reply], task: tuple[str, Task] | None, line: bytes) -> bool:
        """A case of a breaker file, with its reply and task; whether there was none under this key.

        `line` is the case as its file has it; the one that was given last stands.
        """
        with self._transaction():
            known = self._execute("select 1 from cases where key = ?", (key,)).fetchone()
            if task is not None:
                self._write_task(*task)
            self._write_reply(*reply)
            self._execute(
                "insert or replace into cases (key, reply, task, line) values (?, ?, ?, ?)",
                (key, reply[0], None if task is None else task[0], line.decode()),
            )
        return known is None

    def cases(self) -> list[bytes]:
        """The lines of all cases, by key."""
        return [line.encode() for (line,) in self._execute("select line from cases order by key", ())]

    def examples(self, key: bytes) -> list[bytes]:
        """The values under a key of Hypothesis's, the shortest first. A row that is no pair of blobs is passed over."""
        rows = self._execute("select value from examples where key = ? order by length(value), value", (key,))
        return [value for (value,) in rows.fetchall() if isinstance(value, bytes)]

    def add_example(self, key: bytes, value: bytes) -> bool:
        """Whether it was not there."""
        inserted = self._execute("insert or ignore into examples (key, value) values (?, ?)", (key, value))
        return inserted.rowcount > 0

    def remove_example(self, key: bytes, value: bytes) -> bool:
        """Whether it was there."""
        return self._execute("delete from examples where key = ? and value = ?", (key, value)).rowcount > 0

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

    def select(self, statement: str, parameters: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query, for readers that want columns and not objects."""
        return self._execute(statement, parameters).fetchall()
