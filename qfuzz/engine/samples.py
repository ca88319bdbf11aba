"""From files of replies to samples: everything is checked before anything runs, and memory stays flat."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from qfuzz.engine.events import Sample
from qfuzz.model.content import canonical_json
from qfuzz.model.errors import InputError
from qfuzz.model.fields import safe_path
from qfuzz.model.jsonl import Record, read_records
from qfuzz.model.reply import NO_PROGRAM, Reply
from qfuzz.model.reply_codec import decode_reply
from qfuzz.model.task import Fixture, FixtureFile, FixtureSymlink, Task
from qfuzz.store.keys import fixture_key, task_key

MAX_FIXTURE_BYTES = 8 << 20
MAX_FIXTURE_PATHS = 2000


@dataclass(frozen=True, slots=True)
class ReplyFile:
    """A file that can be read twice, and what the user calls it."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class ReplySource:
    """Files of replies that have been read once and found good.

    `skipped` are the complaints about bad lines passed over, `bad` the places of these lines: file index and number.
    `contracts` counts the good ones of each contract.
    `cleaned` is how many replies each clean-up rule changed before, and `cleaned_replies` how many any did;
    `without_program` counts those whose model answered without a program.
    """

    files: tuple[ReplyFile, ...]
    command_field: str | None
    count: int
    skipped: tuple[InputError, ...]
    bad: frozenset[tuple[int, int]]
    contracts: Mapping[str, int]
    cleaned: Mapping[str, int]
    cleaned_replies: int
    without_program: int

    def samples(self, tasks: Mapping[str, Task], fixture: Fixture) -> Iterator[Sample]:
        """The samples in the order of files and lines; `fixture` serves those without a task.

        Raises InputError where a file is no longer what it was when it was checked.
        """
        task_keys = {task_id: (task_key(task), fixture_key(task.fixture)) for task_id, task in tasks.items()}
        own_fixture_key = fixture_key(fixture)
        occurrences: Counter[bytes] = Counter()
        index = 0
        for number, file in enumerate(self.files):
            for record in self._records(number, file):
                reply, where = record.value, f"{file.name}:{record.number}"
                if index == self.count or (reply.task_id is not None and reply.task_id not in tasks):
                    raise _changed(file)
                if reply.task_id is None:
                    equal = sha256(canonical_json(list(reply.identity)) + reply.program).digest()
                    yield Sample(index, reply, None, "", fixture, own_fixture_key, where, occurrences[equal])
                    occurrences[equal] += 1
                else:
                    task = tasks[reply.task_id]
                    of_task, of_fixture = task_keys[reply.task_id]
                    yield Sample(index, reply, task, of_task, task.fixture, of_fixture, where)
                index += 1
        if index < self.count:
            raise _changed(self.files[-1])

    def _records(self, number: int, file: ReplyFile) -> Iterator[Record[Reply]]:
        """The good lines of one file. Files are told apart by number: the same one may be given twice."""
        bad = {place[1] for place in self.bad if place[0] == number}
        on_bad = (lambda _: None) if bad else None
        for record in read_records(file.path, self._decode, on_bad, name=file.name):
            if record.number not in bad:
                yield record

    def _decode(self, line: bytes) -> Reply:
        return decode_reply(line, self.command_field)


def _changed(file: ReplyFile) -> InputError:
    return InputError("has changed since its lines were checked", where=file.name, hint="run again when it is whole")


def check_replies(
    files: tuple[ReplyFile, ...], tasks: Mapping[str, Task], *, command_field: str | None = None, skip_bad: bool = False
) -> ReplySource:
    """Read every line of every file once, running nothing.

    Raises InputError with file and line for the first bad one: not a reply, an unknown task, a sample that was there
    before. With `skip_bad` such lines are listed in the result instead; without a good one InputError names the first.
    """
    skipped: list[InputError] = []
    seen: dict[bytes, tuple[int, int]] = {}
    contracts: Counter[str] = Counter()
    cleaned: Counter[str] = Counter()
    count = cleaned_replies = without_program = 0
    bad: set[tuple[int, int]] = set()

    def refuse(error: InputError, index: int) -> None:
        if not skip_bad:
            raise error
        skipped.append(error)
        bad.add((index, int(error.where.rpartition(":")[2])))

    def problem_of(reply: Reply, place: tuple[int, int]) -> InputError | None:
        where = _place(files, place)
        if reply.task_id is None:
            return None
        if reply.task_id not in tasks:
            return InputError(f"unknown task {reply.task_id!r}", where=where, hint="name its task set with --tasks")
        # A digest and two numbers, not the tuple and a text: with 100,000 lines that is most of the memory.
        first = seen.setdefault(sha256(canonical_json(list(reply.identity))).digest(), place)
        if first == place:
            return None
        what = f"the same task, model, contract, effort and trial as {_place(files, first)}"
        return InputError(what, where=where, hint='number repeated replies with "trial"')

    for index, file in enumerate(files):
        refuse_line = partial(refuse, index=index)
        decode = partial(decode_reply, command_field=command_field)
        for record in read_records(file.path, decode, refuse_line, name=file.name):
            problem = problem_of(record.value, (index, record.number))
            if problem is None:
                count += 1
                contracts[record.value.contract] += 1
                rules = record.value.cleaned
                cleaned.update(rules)
                cleaned_replies += bool(rules)
                without_program += NO_PROGRAM in record.value.metadata
            else:
                refuse(problem, index)
    if not count:
        hint = f"the first of {len(skipped)} bad ones: {skipped[0]}" if skipped else ""
        raise InputError("no good line is left", where=", ".join(file.name for file in files), hint=hint)
    return ReplySource(
        files,
        command_field,
        count,
        tuple(skipped),
        frozenset(bad),
        contracts,
        cleaned,
        cleaned_replies,
        without_program,
    )


def _place(files: tuple[ReplyFile, ...], place: tuple[int, int]) -> str:
    return f"{files[place[0]].name}:{place[1]}"


def spooled(path: Path, cleanup: ExitStack) -> ReplyFile:
    """The file at `path`, or a copy of it where it can be read only once (`-`, a pipe); replies are read twice.

    `cleanup` removes the copy.
    """
    name = str(path)
    if name != "-":
        try:
            if not stat.S_ISFIFO(os.stat(path).st_mode):
                return ReplyFile(path, name)
        except OSError:
            return ReplyFile(path, name)
    handle, copied = tempfile.mkstemp(prefix="qfuzz-replies-", suffix=".jsonl")
    cleanup.callback(os.unlink, copied)
    with open(handle, "wb") as copy:
        if name == "-":
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with open(path, "rb") as source:
                shutil.copyfileobj(source, copy)
    return ReplyFile(Path(copied), name)


def read_fixture(directory: Path) -> Fixture:
    """The fixture that a directory of the host describes: regular files, directories, links; never followed.

    Raises InputError for anything else in it, for `.git`, and for more than MAX_FIXTURE_BYTES or MAX_FIXTURE_PATHS.
    """
    files: list[FixtureFile] = []
    dirs: list[bytes] = []
    links: list[FixtureSymlink] = []
    size = 0
    pending = [b""]
    root = os.fsencode(directory)
    while pending:
        below = pending.pop()
        for entry in _listed(os.path.join(root, below) if below else root):
            path = safe_path(os.path.join(below, entry.name), f"{directory}: a path")
            if len(files) + len(dirs) + len(links) >= MAX_FIXTURE_PATHS:
                raise InputError(f"holds more than {MAX_FIXTURE_PATHS} paths", where=str(directory))
            if path == b".git":
                raise InputError("holds a Git repository, which a fixture directory can't", where=str(directory))
            if entry.is_symlink():
                links.append(FixtureSymlink(path, os.readlink(entry.path)))
            elif entry.is_dir(follow_symlinks=False):
                dirs.append(path)
                pending.append(path)
            elif entry.is_file(follow_symlinks=False):
                content = _content(entry.path, MAX_FIXTURE_BYTES + 1 - size)
                size += len(content)
                if size > MAX_FIXTURE_BYTES:
                    raise InputError(f"holds more than {MAX_FIXTURE_BYTES} bytes", where=str(directory))
                files.append(FixtureFile(path, content, entry.stat(follow_symlinks=False).st_mode & 0o777))
            else:
                raise InputError("is neither a file, a directory nor a link", where=os.fsdecode(entry.path))
    return Fixture(tuple(sorted(files, key=_path)), tuple(sorted(dirs)), tuple(sorted(links, key=_path)))


def _path(item: FixtureFile | FixtureSymlink) -> bytes:
    return item.path


def _listed(directory: bytes) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(directory) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise _unreadable(directory, error) from None


def _content(path: bytes, most: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: bytes, error: OSError) -> InputError:
    return InputError(f"can't be read ({error.strerror})", where=os.fsdecode(path))
