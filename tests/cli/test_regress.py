"""`qfuzz export`, `import` and `regress`: from what a run found to a file that guards a path."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from qfuzz.model.case import Expect
from qfuzz.model.case_codec import decode_case
from qfuzz.regress.collect import WHOLE
from qfuzz.regress.files import read_cases
from tests.cli.command import qfuzz, write_lines
from tests.cli.inside import Inside, as_nobody
from tests.cli.replies import REPLIES, TASK, write_set

FILE = "found.breakers.jsonl"
GOOD = {"schema": 1, "transport": "nested", "expect": "survives", "reply": "echo plain"}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store in which a run has left breakers with and without a task, and their export."""
    folder = tmp_path_factory.mktemp("found")
    write_set(folder / "set.jsonl")
    chosen = [REPLIES[0], REPLIES[6], {"reply": "cat \"a  b\"; printf '$5'"}]
    write_lines(folder / "replies.jsonl", *chosen)
    (folder / "laid").mkdir()
    (folder / "laid" / "a  b").write_text("here\n")
    run = ["diff", "replies.jsonl", "--tasks", "set.jsonl", "--fixture", "laid"]
    assert qfuzz([*run, "--transport", "nested", "--transport", "json-naive"], folder).status == 1
    said = qfuzz(["export", "--breakers", FILE, "--expect", "broken", "--fixture", "laid"], folder)
    assert (said.status, said.err) == (0, "")
    assert said.out == f"{FILE}: 5 added, 0 there before; 1 {WHOLE}\n"
    return folder


@pytest.fixture
def folder(found: Path, tmp_path: Path) -> Path:
    """A folder of its own with a copy of the export."""
    for name in (FILE, "set.jsonl"):
        (tmp_path / name).write_bytes((found / name).read_bytes())
    return tmp_path


def test_an_export_stands_alone_and_is_as_it_says(folder: Path) -> None:
    cases = [decode_case(line) for line in (folder / FILE).read_bytes().splitlines()]
    assert {case.label for case in cases if case.task} == {"note/t1-price"}
    assert all(case.reason and case.causes for case in cases)
    assert any(case.fixture.files for case in cases if case.task is None)
    before = sorted(os.listdir(folder))
    said = qfuzz(["regress", FILE], folder)
    assert (said.status, said.out) == (0, "5 cases: 5 as expected\n"), said.err
    assert sorted(os.listdir(folder)) == before, "it wrote something"


def test_a_case_that_is_not_as_expected_is_explained(folder: Path) -> None:
    text = (folder / FILE).read_text()
    (folder / "turned.breakers.jsonl").write_text(text.replace('"broken"', '"survives"'))
    said = qfuzz(["regress", "turned.breakers.jsonl", "--junit", "report.xml"], folder)
    assert said.status == 1
    assert re.search(r"^turned.breakers.jsonl:\d: note/t1-price over nested: should survive", said.out, re.MULTILINE)
    assert "should survive, and breaks: silent (stdout)" in said.out
    assert "starts an expansion between double quotes" in said.out
    assert "To see it without qfuzz" in said.out
    assert said.out.endswith("5 cases: 0 as expected, 5 broke\n")
    root = ET.parse(folder / "report.xml").getroot()
    assert root.attrib["failures"] == "5"
    assert "starts an expansion between double quotes" in (folder / "report.xml").read_text()
    short = qfuzz(["regress", "turned.breakers.jsonl", "--explain", "0"], folder)
    assert "To see it without qfuzz" not in short.out
    assert short.out.count("should survive, and breaks") == 5


def test_a_known_breaker_that_survives_fails_the_gate(folder: Path) -> None:
    text = (folder / FILE).read_text()
    (folder / FILE).write_text(text.replace('"transport":"json-naive"', '"transport":"json"'))
    said = qfuzz(["regress", FILE], folder)
    assert said.status == 1
    assert said.out.count(" over json: is known as broken, and survives") == text.count("json-naive") == 2
    assert f'write "expect":"survives" at {FILE}:' in said.out


def test_another_transport_takes_the_programs_of_all_files(folder: Path) -> None:
    said = qfuzz(["regress", FILE, "--transport", "script-file", "--json"], folder)
    assert said.status == 0
    records = said.records()
    assert {record["transport"] for record in records} == {"script-file"}
    assert {record["standing"] for record in records} == {"as-expected"}
    assert len({(record["reply"], record["name"]) for record in records}) == len(records)
    assert qfuzz(["regress", FILE, "--transport", "nested", "--explain", "0"], folder).status == 1


def test_any_number_of_jobs_prints_the_same(folder: Path) -> None:
    (folder / FILE).write_text((folder / FILE).read_text().replace('"broken"', '"survives"'))
    one, three = (qfuzz(["regress", FILE, "--jobs", jobs, "--json", "--explain", "1"], folder) for jobs in ("1", "3"))
    assert one == three


def test_what_another_store_knows_decides_nothing(folder: Path, found: Path) -> None:
    """A store beside the files in which every execution has another result."""
    with sqlite3.connect(folder / "qfuzz.db") as poisoned, sqlite3.connect(found / "qfuzz.db") as source:
        source.backup(poisoned)
        poisoned.execute("update observations set stdout = 'same', value = 0, tree = '[]'")
        poisoned.execute("update verdicts set breaker = 0")
    poisoned.close()
    source.close()
    assert qfuzz(["regress", FILE], folder).status == 0
    (folder / FILE).write_text((folder / FILE).read_text().replace('"broken"', '"survives"'))
    assert qfuzz(["regress", FILE, "--explain", "0"], folder).status == 1


def test_export_and_import_give_the_same_file(folder: Path) -> None:
    said = qfuzz(["import", FILE, "--db", "other.db"], folder)
    assert (said.status, said.out) == (0, "other.db: 5 cases kept, 0 known before\n")
    said = qfuzz(["import", FILE, "--db", "other.db"], folder)
    assert said.out == "other.db: 0 cases kept, 5 known before\n"
    assert qfuzz(["export", "--breakers", "again.breakers.jsonl", "--db", "other.db"], folder).status == 0
    assert (folder / "again.breakers.jsonl").read_bytes() == (folder / FILE).read_bytes()
    with sqlite3.connect(folder / "other.db") as store:
        kept = set(store.execute("select task_id, cast(program as blob) from replies"))
        cases = [decode_case(line) for line in (folder / FILE).read_bytes().splitlines()]
        assert kept == {(case.label if case.task else None, case.program) for case in cases}
        assert store.execute("select task_id from tasks").fetchall() == [("note/t1-price",)]
    store.close()


def test_one_case_is_one_case(inside: Inside) -> None:
    write_lines(Path(FILE), GOOD)
    assert inside.call("import", FILE).out == "qfuzz.db: 1 case kept, 0 known before\n"


def test_an_export_leaves_what_was_reviewed(folder: Path, found: Path) -> None:
    lines = (folder / FILE).read_bytes().splitlines(keepends=True)
    edited = json.loads(lines[0]) | {"expect": "survives", "reason": "looked at"}
    write_lines(folder / FILE, edited, GOOD)
    said = qfuzz(["export", "--breakers", str(folder / FILE), "--fixture", "laid"], found)
    assert (said.status, said.out) == (0, f"{folder / FILE}: 4 added, 2 there before; 1 {WHOLE}\n")
    cases = [placed.case for placed in read_cases(folder / FILE)]
    assert len(cases) == 6
    assert [case.expect for case in cases if case.reason == "looked at"] == [Expect.SURVIVES]


def test_an_export_of_one_transport(folder: Path, found: Path) -> None:
    target = str(folder / "nested.breakers.jsonl")
    assert qfuzz(["export", "--breakers", target, "--transport", "nested"], found).status == 0
    assert {placed.case.transport for placed in read_cases(Path(target))} == {"nested"}


def test_what_ran_elsewhere_is_counted_and_not_exported(folder: Path, found: Path) -> None:
    said = qfuzz(["export", "--breakers", str(folder / "x.breakers.jsonl")], found)
    assert said.status == 0
    assert "ran in another work directory (name it with --fixture)" in said.out


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "cut off": (b'{"schema":1', "f.breakers.jsonl:1: is not JSON"),
    "a second line": (json.dumps(GOOD).encode() + b"\n[]\n", "f.breakers.jsonl:2: must be a JSON object"),
    "empty": (b"", "f.breakers.jsonl: holds no breaker"),
    "blank": (b"\n \n", "f.breakers.jsonl: holds no breaker"),
    "transport": (
        json.dumps(GOOD | {"transport": "pigeon"}).encode(),
        "f.breakers.jsonl:1: unknown transport 'pigeon'",
    ),
    "task": (
        json.dumps(GOOD | {"task": {"task_id": "no/t0-x", "digest": "0" * 16}}).encode(),
        "f.breakers.jsonl:1: unknown task 'no/t0-x'",
    ),
    "binary": (b"\x7fELF\xff", "f.breakers.jsonl:1: is not UTF-8"),
    "twice": (json.dumps(GOOD).encode() + b"\n" + json.dumps(GOOD).encode(), "f.breakers.jsonl:2: the same transport"),
    "from a newer version": (json.dumps(GOOD | {"schema": 9}).encode(), "f.breakers.jsonl:1: key 'schema' is 9"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_named_with_its_line(inside: Inside, name: str) -> None:
    content, complaint = BAD_FILES[name]
    Path("good.breakers.jsonl").write_bytes(json.dumps(GOOD).encode())
    Path("f.breakers.jsonl").write_bytes(content)
    assert inside.refuses("regress", "good.breakers.jsonl", "f.breakers.jsonl", "--junit", "r.xml").startswith(
        complaint
    )
    if name != "transport":
        assert inside.refuses("import", "good.breakers.jsonl", "f.breakers.jsonl").startswith(complaint)
        if content.strip():
            assert inside.refuses("export", "--breakers", "f.breakers.jsonl").startswith(complaint)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["regress"], "FILES"),
        (["regress", "none.breakers.jsonl"], "none.breakers.jsonl: can't be read (No such file or directory)"),
        (["regress", "."], ".: is a directory"),
        (["regress", "g.breakers.jsonl", "--transport", "pigeon"], "unknown transport 'pigeon'"),
        (["regress", "g.breakers.jsonl", "--tasks", "none.jsonl"], "none.jsonl: can't be read"),
        (["regress", "g.breakers.jsonl", "--junit", "no/such/folder.xml"], "no/such/folder.xml: can't be written"),
        (["regress", "g.breakers.jsonl", "--junit", "/dev/full"], "/dev/full: can't be written"),
        (["import"], "FILES"),
        (["import", "g.breakers.jsonl", "--db", "g.breakers.jsonl"], "g.breakers.jsonl: can't be used as the store"),
        (["export"], "--breakers"),
        (["export", "--breakers", "x.jsonl"], "x.jsonl: is no name for a breaker file"),
        (["export", "--breakers", ".breakers.jsonl"], "is no name for a breaker file"),
        (["export", "--breakers", "x.breakers.jsonl"], "qfuzz.db: there is no store here"),
        (["export", "--breakers", "x.breakers.jsonl", "--transport", "pigeon"], "unknown transport 'pigeon'"),
        (["export", "--breakers", "x.breakers.jsonl", "--expect", "nothing"], "nothing"),
    ],
)
def test_wrong_usage_is_one_line(inside: Inside, arguments: list[str], why: str) -> None:
    Path("g.breakers.jsonl").write_bytes(json.dumps(GOOD).encode())
    assert why in inside.refuses(*arguments)


def test_a_store_without_breakers_gives_no_file(inside: Inside) -> None:
    from qfuzz.store.store import Store

    Store(Path("qfuzz.db")).close()
    assert inside.refuses("export", "--breakers", "x.breakers.jsonl").startswith("qfuzz.db: holds no breaker to export")


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    """A folder with a store that nobody may write, nor anything beside it."""
    from qfuzz.store.store import Store

    with Store(tmp_path / "qfuzz.db"):
        pass
    (tmp_path / "g.breakers.jsonl").write_bytes(json.dumps(GOOD).encode())
    tmp_path.chmod(0o555)
    (tmp_path / "qfuzz.db").chmod(0o444)
    yield tmp_path
    tmp_path.chmod(0o755)


def test_a_store_that_is_read_only_is_left_alone(locked: Path, inside: Inside) -> None:
    before = (locked / "qfuzz.db").read_bytes()
    for arguments in (["import", "g.breakers.jsonl"], ["export", "--breakers", "/tmp/x.breakers.jsonl"]):
        with as_nobody():
            said = inside.refuses(*arguments)
        assert said.startswith("qfuzz.db: can't be used as the store (")
    assert (locked / "qfuzz.db").read_bytes() == before


def test_a_full_disk_leaves_the_file_that_was_there(folder: Path, found: Path) -> None:
    target = folder / FILE
    before = target.read_bytes()
    call = "sys.argv[0] = 'qfuzz'; from qfuzz.cli.main import main; main()"
    # Enough for the store, which is only read, and too little for the file.
    limit = 200_000
    limited = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); {call}"
    write_lines(folder / "more.breakers.jsonl", *({**GOOD, "reply": f"echo {n:03000}"} for n in range(99)))
    with sqlite3.connect(found / "qfuzz.db") as source, sqlite3.connect(folder / "copy.db") as copy:
        source.backup(copy)
    source.close()
    copy.close()
    assert qfuzz(["import", "more.breakers.jsonl", "--db", "copy.db"], folder).status == 0
    command = [sys.executable, "-c", limited, "export", "--breakers", FILE, "--db", "copy.db"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"qfuzz: {FILE}: can't be written (File too large)\n"
    assert target.read_bytes() == before
    assert not [name for name in os.listdir(folder) if name.startswith(f".{FILE}")]


LACKING = (
    "import sys; sys.argv[0] = 'qfuzz'; import qfuzz.transports.available as a; a.SEARCH_PATH = '/nowhere'; "
    "from qfuzz.cli.main import main; main()"
)


def lacking_programs(folder: Path, *arguments: str) -> tuple[int, list[str], list[str]]:
    """`qfuzz regress` where no transport finds a program: status, and the lines of both streams."""
    command = [sys.executable, "-c", LACKING, "regress", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def test_what_this_machine_lacks_is_left_out_and_the_rest_is_judged(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.breakers.jsonl", GOOD | {"transport": "zsh"}, GOOD)
    write_lines(tmp_path / "b.breakers.jsonl", GOOD | {"transport": "nested > zsh"})
    because = "zsh is not available here, because zsh is not in /nowhere:/usr/sbin; sudo apt-get install zsh"
    files = ("a.breakers.jsonl", "b.breakers.jsonl", "--junit", "r.xml")
    status, out, err = lacking_programs(tmp_path, *files)
    assert (status, out) == (2, ["3 cases: 1 as expected, 2 left out"])
    assert [line.split(": ")[0] for line in err] == ["a.breakers.jsonl:1", "b.breakers.jsonl:1"]
    assert all(line.endswith(f": is left out: {because}") for line in err)
    assert ET.parse(tmp_path / "r.xml").getroot().attrib["errors"] == "2"
    assert lacking_programs(tmp_path, *files, "--skip-missing") == (0, out, err)
    assert ET.parse(tmp_path / "r.xml").getroot().attrib["errors"] == "0"
    status, out, _ = lacking_programs(tmp_path, "b.breakers.jsonl", "--skip-missing")
    assert (status, out) == (2, ["1 case: 0 as expected, 1 left out"]), "a gate that looks at nothing"
    status, _, err = lacking_programs(tmp_path, "a.breakers.jsonl", "--transport", "zsh", "--skip-missing")
    assert (status, err) == (2, [f"qfuzz: {because}"])
    write_lines(tmp_path / "b.breakers.jsonl", GOOD | {"transport": "zsh"}, GOOD | {"reply": "echo '$5'"})
    status, out, _ = lacking_programs(tmp_path, "b.breakers.jsonl", "--explain", "0")
    assert (status, out[-1]) == (1, "2 cases: 0 as expected, 1 broke, 1 left out")


def test_a_machine_without_jails_is_told_of(folder: Path) -> None:
    empty = folder / "empty"
    empty.mkdir()
    code = (
        "import sys; sys.argv[0] = 'qfuzz'; import qfuzz.jail.bubblewrap as b; b.shutil.which = lambda *_, **__: None; "
        "from qfuzz.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "regress", FILE, "--junit", "r.xml"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "qfuzz: bubblewrap is missing; sudo apt-get install bubblewrap\n"
    assert not (folder / "r.xml").exists()


def test_the_task_is_whole_where_it_is_not_public(folder: Path) -> None:
    tasks = [json.loads(line).get("task") for line in (folder / FILE).read_bytes().splitlines()]
    assert [task["instruction"] for task in tasks if task] == [TASK["instruction"]] * sum(map(bool, tasks))


@pytest.mark.skipif(shutil.which("busybox") is None, reason="busybox is not here")
def test_cases_are_replayed_with_the_tools_of_another_userland(tmp_path: Path) -> None:
    program = "readlink $(type -p sed) | grep -q busybox && printf %s 'cost: $5'"
    write_lines(tmp_path / FILE, GOOD | {"reply": f"{program}; true"}, GOOD)
    said = qfuzz(["regress", FILE, "--userland", "busybox", "--explain", "0", "--json"], tmp_path)
    assert [record["standing"] for record in said.records()] == ["broke", "as-expected"]
    assert said.status == 1
    assert qfuzz(["regress", FILE], tmp_path).status == 0
