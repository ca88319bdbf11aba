"""Keys: the full SHA-256 of what determines a row, so that equal keys mean equal rows and nothing less."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence

from qfuzz.model.content import JsonValue, canonical_json, sha256_hex
from qfuzz.model.delivery import Launch, OwnRun
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture, Task
from qfuzz.model.task_codec import encode_task


def digest_parts(parts: Iterable[bytes]) -> str:
    """SHA-256 over parts, each with its length before it, so that no two lists of parts share a digest."""
    running = hashlib.sha256()
    for part in parts:
        running.update(struct.pack(">Q", len(part)))
        running.update(part)
    return running.hexdigest()


def context_key(context: Mapping[str, JsonValue]) -> str:
    """The key of everything that is the same for all executions of a run.

    Limits, environment, versions, isolation, timeout and the jail's own generation belong in it.
    """
    return sha256_hex(canonical_json(dict(sorted(context.items()))))


def _counted(parts: Sequence[bytes]) -> list[bytes]:
    """The parts with their number before them, so that what follows them is not taken for one of them."""
    return [_number(len(parts)), *parts]


def _number(value: int) -> bytes:
    return str(value).encode()


def fixture_key(fixture: Fixture) -> str:
    parts = [b"fixture", _number(len(fixture.files))]
    for file in fixture.files:
        parts += [file.path, file.content, _number(file.mode)]
    parts += _counted(fixture.dirs)
    parts.append(_number(len(fixture.symlinks)))
    for link in fixture.symlinks:
        parts += [link.path, link.target]
    if fixture.git is not None:
        parts += [b"git", _number(len(fixture.git.commits))]
        for commit in fixture.git.commits:
            parts += [commit.message, *_counted(commit.files)]
        parts += _counted(fixture.git.staged)
    return digest_parts(parts)


def launch_key(launch: Launch) -> str:
    """The key of the bytes that a transport hands over: a changed escaping function is a changed key.

    What says where the text arrives is in it too, for an observation tells whether the arrived text parses.
    """
    parts = [b"launch", launch.executable, *_counted(launch.argv)]
    parts += _counted([] if launch.stdin is None else [launch.stdin])
    parts.append(_number(len(launch.files)))
    for file in launch.files:
        parts += [file.path, file.content, _number(file.mode)]
    parts += [launch.program, launch.shell.encode(), _number(launch.inner_shells)]
    if launch.id_mapped:
        parts.append(b"id-mapped")
    if launch.hides_arrival:
        parts.append(b"hides-arrival")
    if launch.own is not None:
        parts += _own_parts(launch.own)
    return digest_parts(parts)


def _own_parts(own: OwnRun) -> list[bytes]:
    numbers = [own.timeout_seconds, own.box, list(own.rejects), own.ready_seconds]
    return [b"own", own.identity.encode(), canonical_json(numbers), *_counted(own.service), *_counted(own.ready)]


def observation_key(context: str, fixture: str, launch: str, ordinal: int) -> str:
    """`ordinal` counts repetitions of the same execution, so that "direct twice" is two rows."""
    return digest_parts([b"observation", context.encode(), fixture.encode(), launch.encode(), _number(ordinal)])


def sample_key(reply: Reply, occurrence: int = 0) -> str:
    """The key of one sample: two samples of equal text stay two, one sample read twice stays one.

    `occurrence` counts samples that nothing else tells apart, from 0: equal replies without a task.
    """
    identity = [reply.task_id, reply.model, reply.contract, reply.effort, reply.trial, occurrence]
    return digest_parts([b"sample", canonical_json(identity), reply.program])


def task_key(task: Task) -> str:
    """The key of a task's whole text: a task that was edited is another task."""
    return sha256_hex(encode_task(task))


def judged_key(sample: str, context: str, transport: str, task: str, fixture: str) -> str:
    """The key of one judged execution: which sample, over which transport, in which context, task text and fixture.

    `task` is empty where there is none; the fixture is then what tells two executions of a reply apart.
    """
    return digest_parts([b"judged", *(part.encode() for part in (sample, context, transport, task, fixture))])


def short_id(key: str) -> str:
    """The name of a row for people, as commands print and take it; the key behind it is the full digest."""
    return key[:16]
