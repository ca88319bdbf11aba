"""A store that may only be read, as one that a CI service kept: what reads it goes on, what writes says why not."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.cli.command import qfuzz, write_lines
from tests.cli.inside import Inside, as_nobody
from tests.cli.scoring import several


@contextmanager
def read_only(*files: Path) -> Iterator[Path]:
    """Copies of these files in a folder that may not be written, and the first of them.

    SQLite looks at every folder above it, and pytest's own are closed to others.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in files:
            shutil.copy(file, folder)
            (folder / file.name).chmod(0o444)
        folder.chmod(0o555)
        with as_nobody():
            yield folder / files[0].name
            assert sorted(path.name for path in folder.iterdir()) == sorted(file.name for file in files)
        folder.chmod(0o755)


@pytest.fixture
def breaker(tmp_path: Path) -> str:
    """The id of a breaker, with its forms in `qfuzz.db`."""
    write_lines(tmp_path / "r.jsonl", {"reply": "echo '$5'"})
    assert qfuzz(["diff", "r.jsonl", "--transport", "nested"], tmp_path).status == 1
    with closing(sqlite3.connect(tmp_path / "qfuzz.db")) as connection:
        ((id_,),) = connection.execute("select id from breakers")
    return str(id_)


def test_explain_and_export_read_it_and_shrink_refuses(inside: Inside, tmp_path: Path, breaker: str) -> None:
    tmp_path.chmod(0o755)
    as_ever = inside.call("explain", breaker)
    with read_only(Path("qfuzz.db")) as store, tempfile.TemporaryDirectory() as out:
        said = inside.call("explain", breaker, "--db", store)
        assert (said.status, said.out, said.err) == (0, as_ever.out, "")
        assert inside.call("export", "--db", store, "--breakers", f"{out}/a.breakers.jsonl").status == 0
        assert "can't be used as the store" in inside.refuses("shrink", breaker, "--db", store)


def test_score_reads_it(inside: Inside) -> None:
    several()
    as_ever = inside.call("score")
    with read_only(Path("qfuzz.db")) as store:
        said = inside.call("score", "--db", store)
    assert (said.status, said.out, said.err) == (0, as_ever.out, "")


def test_what_can_not_be_read_without_writing_says_so(inside: Inside, tmp_path: Path, breaker: str) -> None:
    tmp_path.chmod(0o755)
    with closing(sqlite3.connect("qfuzz.db")) as connection:
        connection.execute("create table later (x)")
        with read_only(Path("qfuzz.db"), Path("qfuzz.db-wal")) as store:
            assert "the log qfuzz.db-wal is beside it" in inside.refuses("explain", breaker, "--db", store)
        connection.execute("delete from _sqlite_migrations where name like 'm005%'")
        connection.commit()
    with read_only(Path("qfuzz.db")) as store:
        assert "was made by an older qfuzz" in inside.refuses("explain", breaker, "--db", store)
