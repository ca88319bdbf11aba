"""Tasks as folders, for people and for tools that want files."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from qfuzz.model.errors import InputError, UsageError
from qfuzz.model.fields import safe_path
from qfuzz.model.task import Fixture, Task
from qfuzz.model.task_codec import task_to_json


def write_folders(path: Path, tasks: Iterable[Task], canary: str = "") -> int:
    """One folder a task below the new directory `path`, named by the task's id; returns how many.

    Each holds task.json, instruction.txt, fixture/ and, where the task has them, reference.sh and naive.sh. A fixture's
    repository is described in task.json only. `path` appears complete or not at all. Raises UsageError where it exists
    or can't be written, InputError for a task whose id is no relative path.
    """
    if os.path.lexists(path):
        raise UsageError("exists already", where=str(path), hint="name a new directory")
    try:
        building = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            count = 0
            for task in tasks:
                _write(building, task, canary)
                count += 1
            building.chmod(0o755)
            building.rename(path)
        except BaseException:
            shutil.rmtree(building, ignore_errors=True)
            raise
    except OSError as error:
        raise UsageError(f"can't be written ({error.strerror})", where=str(path)) from None
    return count


def _write(root: Path, task: Task, canary: str) -> None:
    folder = root / os.fsdecode(safe_path(task.task_id.encode("utf-8"), f"task id {task.task_id!r}"))
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"task {task.task_id!r} lies in the folder of another task") from None
    record = json.dumps(task_to_json(task, canary), ensure_ascii=False, indent=2)
    (folder / "task.json").write_bytes(record.encode("utf-8") + b"\n")
    (folder / "instruction.txt").write_bytes(task.instruction.encode("utf-8"))
    for name, program in (("reference.sh", task.reference), ("naive.sh", task.naive)):
        if program is not None:
            (folder / name).write_bytes(program)
    _lay(folder / "fixture", task.fixture)


def _lay(folder: Path, fixture: Fixture) -> None:
    folder.mkdir()
    for path in fixture.dirs:
        (folder / os.fsdecode(path)).mkdir(parents=True, exist_ok=True)
    for file in fixture.files:
        target = folder / os.fsdecode(file.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        target.chmod(file.mode)
    for link in fixture.symlinks:
        target = folder / os.fsdecode(link.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(os.fsdecode(link.target))
