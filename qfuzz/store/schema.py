"""The tables, as migrations in order. A migration that has been released is never changed; a new one follows it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from qfuzz.store.sqlite import Database, Migrations

APPLICATION_ID = 0x71667A31
"""SQLite's application_id of our files ("qfz1"), by which a foreign database is recognized."""

migrations = Migrations("qfuzz")


def known_migrations() -> frozenset[str]:
    """The names of all migrations of this version."""
    with closing(sqlite3.connect(":memory:")) as empty:
        return frozenset(each.name for each in migrations.pending(Database(empty)))


@migrations()
def m001_first_tables(db: Database) -> None:
    db.create_table(
        "contexts",
        {"key": str, "context": str},
        pk="key",
        not_null={"context"},
    )
    db.create_table(
        "tasks",
        {"key": str, "task_id": str, "family": str, "tier": int, "hazards": str, "task": str},
        pk="key",
        not_null={"task_id", "task"},
    )
    db.create_table(
        "replies",
        {
            "key": str,
            "task_id": str,
            "model": str,
            "contract": str,
            "effort": str,
            "trial": int,
            "program": bytes,
            "metadata": str,
        },
        pk="key",
        not_null={"model", "contract", "trial", "program", "metadata"},
    )
    db.create_table(
        "observations",
        {
            "key": str,
            "ending": str,
            "value": int,
            "stdout": bytes,
            "stdout_truncated": int,
            "stderr": bytes,
            "stderr_truncated": int,
            "tree": str,
            "tree_truncated": int,
            "git": str,
            "parses": int,
            "arrived": bytes,
            "limit_hit": str,
            "seconds": float,
        },
        pk="key",
        not_null={"ending", "value", "stdout", "stderr", "tree", "limit_hit", "seconds"},
    )
    db.create_table(
        "verdicts",
        {
            "key": str,
            "reply": str,
            "task": str,
            "context": str,
            "transport": str,
            "observation": str,
            "outcome": str,
            "detail": str,
            "exit": int,
            "stability": str,
            "channels": str,
            "breaker": int,
        },
        pk="key",
        not_null={"reply", "context", "transport", "detail", "stability", "channels", "breaker"},
        foreign_keys=[
            ("reply", "replies", "key"),
            ("task", "tasks", "key"),
            ("context", "contexts", "key"),
            ("observation", "observations", "key"),
        ],
    )
    db.table("verdicts").create_index(["reply"])
    db.table("verdicts").create_index(["transport", "breaker"])
    db.create_table(
        "runs",
        {"id": int, "started": str, "finished": str, "context": str, "input": str, "transports": str},
        pk="id",
        not_null={"started", "context", "input", "transports"},
        foreign_keys=[("context", "contexts", "key")],
    )
    db.create_view(
        "breakers",
        """
        select substr(verdicts.key, 1, 16) as id, verdicts.transport, replies.task_id, replies.model,
               replies.contract, replies.trial, verdicts.outcome, verdicts.channels, verdicts.detail,
               replies.program as reply
        from verdicts join replies on replies.key = verdicts.reply
        where verdicts.breaker = 1
        order by verdicts.transport, replies.task_id, replies.model, replies.contract, replies.trial
        """,
    )
    db.create_view(
        "executions",
        """
        select substr(verdicts.key, 1, 16) as id, verdicts.transport, replies.task_id, replies.model,
               replies.contract, replies.trial, verdicts.outcome, verdicts.exit, verdicts.stability,
               observations.stdout, observations.stderr,
               observations.tree, observations.seconds
        from verdicts
        join replies on replies.key = verdicts.reply
        left join observations on observations.key = verdicts.observation
        """,
    )


@migrations()
def m002_minimal_forms(db: Database) -> None:
    db.create_table(
        "forms",
        {"key": str, "verdict": str, "executions": int, "forms": str},
        pk="key",
        not_null={"verdict", "executions", "forms"},
        foreign_keys=[("verdict", "verdicts", "key")],
    )


@migrations()
def m003_examples(db: Database) -> None:
    db.create_table("examples", {"key": bytes, "value": bytes}, pk=("key", "value"))


@migrations()
def m004_cases(db: Database) -> None:
    db.create_table(
        "cases",
        {"key": str, "reply": str, "task": str, "line": str},
        pk="key",
        not_null={"reply", "line"},
        foreign_keys=[("reply", "replies", "key"), ("task", "tasks", "key")],
    )
    db.table("forms").create_index(["verdict"])


@migrations()
def m005_what_arrived(db: Database) -> None:
    db.table("observations").add_column("tapped", int, not_null_default=0)
    # Until now the text was kept only where it was known to have arrived.
    db.execute("update observations set tapped = 1 where arrived is not null")
    db.create_view(
        "executions",
        """
        select substr(verdicts.key, 1, 16) as id, verdicts.transport, replies.task_id, replies.model,
               replies.contract, replies.trial, verdicts.outcome, verdicts.exit, verdicts.stability,
               observations.stdout, observations.stderr, observations.arrived,
               observations.tree, observations.seconds
        from verdicts
        join replies on replies.key = verdicts.reply
        left join observations on observations.key = verdicts.observation
        """,
        replace=True,
    )


@migrations()
def m006_places(db: Database) -> None:
    db.table("replies").add_column("place", str, not_null_default="")
    db.create_view(
        "breakers",
        """
        select substr(verdicts.key, 1, 16) as id, verdicts.transport, replies.task_id, replies.place, replies.model,
               replies.contract, replies.trial, coalesce(verdicts.outcome, 'diverged') as outcome, verdicts.channels,
               verdicts.detail, replies.program as reply
        from verdicts join replies on replies.key = verdicts.reply
        where verdicts.breaker = 1
        order by verdicts.transport, replies.task_id, replies.place, replies.model, replies.contract, replies.trial
        """,
        replace=True,
    )
