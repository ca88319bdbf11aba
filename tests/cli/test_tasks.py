"""`qfuzz tasks`: list, show, export."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from qfuzz.gen.public import CANARY, load_public
from qfuzz.model.task_codec import decode_task, encode_task
from tests.cli.command import call


def listed(*arguments: str, cwd: Path) -> list[str]:
    done = call("tasks", *arguments, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, b"")
    return [line.split()[0] for line in done.stdout.decode().splitlines() if "/t" in line]


def test_the_list_has_every_task_and_its_hazards_in_80_columns(tmp_path: Path) -> None:
    done = call("tasks", cwd=tmp_path)
    lines = done.stdout.decode().splitlines()
    assert lines[-1] == "56 tasks"
    assert max(map(len, lines)) <= 80
    assert "sed-replace/t1-cellar           glob, bracket, ampersand" in lines
    assert listed(cwd=tmp_path) == [task.task_id for task in load_public()]


def test_filters_narrow_the_list(tmp_path: Path) -> None:
    by_family = listed("--family", "git-commit", "--family", "write-file", "--tier", "1", cwd=tmp_path)
    assert by_family == ["write-file/t1-marzipan", "git-commit/t1-spinnaker"]
    both = listed("--hazard", "leading-dash", "--hazard", "percent", cwd=tmp_path)
    assert both == [task.task_id for task in load_public() if {"leading-dash", "percent"} <= set(task.hazards)]
    assert listed("--tier", "0", "--hazard", "tab", cwd=tmp_path) == []


def test_a_page_shows_control_characters(tmp_path: Path) -> None:
    done = call("tasks", "show", "write-file/t3-sandpiper", cwd=tmp_path)
    assert done.returncode == 0
    assert "\n      sandpiper:  two␉over C:\\new\\table~1!··␊\n" in done.stdout.decode()


def test_a_foreign_set_is_shown_without_obeying_it(tmp_path: Path) -> None:
    record = json.loads(encode_task(load_public()[0])) | {"task_id": "x\u001b[2J", "family": "theirs"}
    record["instruction"] = "\u001b]0;title\u0007"
    (tmp_path / "set.jsonl").write_text(json.dumps(record) + "\n")
    for arguments in (("--tasks", "set.jsonl"), ("show", "--tasks", "set.jsonl", "x\u001b[2J")):
        done = call("tasks", *arguments, cwd=tmp_path)
        assert done.returncode == 0
        assert b"\x1b" not in done.stdout
        assert b"\x07" not in done.stdout


def test_export_is_the_public_file(tmp_path: Path, checkout: Path) -> None:
    done = call("tasks", "export", cwd=tmp_path)
    assert done.stdout == (checkout / "corpus" / "public" / "tasks.jsonl").read_bytes()


def test_export_of_a_set_keeps_its_lines(tmp_path: Path) -> None:
    written = call("gen", "--seed", "0123456789abcdef", "--per-family", "1", cwd=tmp_path).stdout
    (tmp_path / "set.jsonl").write_bytes(written)
    assert call("tasks", "export", "--tasks", "set.jsonl", cwd=tmp_path).stdout == written
    one = call("tasks", "export", "--tasks", "set.jsonl", "--family", "find-glob", cwd=tmp_path).stdout
    assert one in written
    assert one.count(b"\n") == 1


def test_folders_hold_a_task_each(tmp_path: Path) -> None:
    done = call("tasks", "export", "--family", "ssh-nested", "--family", "git-commit", "--folders", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"out: 8 tasks\n")
    assert os.listdir(tmp_path) == ["out"]
    for task in load_public():
        folder = tmp_path / "out" / task.task_id
        if task.family not in ("ssh-nested", "git-commit"):
            assert not folder.exists()
            continue
        record = json.loads((folder / "task.json").read_bytes())
        assert record.pop("canary") == CANARY
        assert decode_task(json.dumps(record).encode()) == task
        assert (folder / "instruction.txt").read_bytes() == task.instruction.encode()
        assert (folder / "reference.sh").read_bytes() == task.reference
        assert (folder / "naive.sh").read_bytes() == task.naive
        for file in task.fixture.files:
            path = folder / "fixture" / os.fsdecode(file.path)
            assert path.read_bytes() == file.content
            assert stat.S_IMODE(path.stat().st_mode) == file.mode


def test_folders_of_fixtures_with_directories_links_and_odd_names(tmp_path: Path) -> None:
    record = json.loads(encode_task(load_public()[0])) | {"task_id": "odd"}
    record["fixture"] = {
        "files": [{"path": {"base64": "/yo="}, "content": {"base64": "AP8="}, "mode": "0600"}],
        "dirs": ["d/e"],
        "symlinks": [{"path": "d/l", "target": "../../../outside"}],
    }
    (tmp_path / "set.jsonl").write_text(json.dumps(record) + "\n")
    done = call("tasks", "export", "--tasks", "set.jsonl", "--folders", "out", cwd=tmp_path)
    assert done.returncode == 0
    fixture = os.fsencode(tmp_path / "out" / "odd" / "fixture")
    assert sorted(os.listdir(fixture)) == [b"d", b"\xff*"]
    with open(fixture + b"/\xff*", "rb") as stream:
        assert stream.read() == b"\0\xff"
    assert os.readlink(fixture + b"/d/l") == b"../../../outside"
    assert os.path.isdir(fixture + b"/d/e")


@pytest.mark.parametrize("task_id", ["../out", "/etc/x", "a/../../b", "a//b", "."])
def test_an_id_can_not_leave_the_folder(task_id: str, tmp_path: Path) -> None:
    record = json.loads(encode_task(load_public()[0])) | {"task_id": task_id}
    (tmp_path / "set.jsonl").write_text(json.dumps(record) + "\n")
    done = call("tasks", "export", "--tasks", "set.jsonl", "--folders", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert os.listdir(tmp_path) == ["set.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--hazard", "quotes"), b"there is no hazard 'quotes'; known: apostrophe"),
        (("--family", "write"), b"there is no family 'write'"),
        (("show", "no/such"), b"there is no task 'no/such'"),
        (("--tier", "0", "export"), b"options of the list stand before 'export'"),
        (("--tasks", "absent.jsonl"), b"absent.jsonl: can't be read"),
        (("export", "--folders", "."), b"exists already"),
        (("export", "--folders", "no/such/place"), b"can't be written"),
    ],
)
def test_bad_requests_are_one_line(arguments: tuple[str, ...], complaint: bytes, tmp_path: Path) -> None:
    done = call("tasks", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_bad_lines_of_a_set_are_named(tmp_path: Path) -> None:
    line = encode_task(load_public()[0])
    (tmp_path / "twice.jsonl").write_bytes(line + b"\n" + line)
    done = call("tasks", "--tasks", "twice.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == b"qfuzz: twice.jsonl:3: task 'write-file/t0-meltwater' occurs twice, first in line 1\n"
    (tmp_path / "broken.jsonl").write_bytes(line + b"{]\n")
    assert call("tasks", "--tasks", "broken.jsonl", cwd=tmp_path).stderr.startswith(b"qfuzz: broken.jsonl:2: ")
