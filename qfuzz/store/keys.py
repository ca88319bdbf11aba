"""Keys: the full SHA-256 of what determines a row, so that equal keys mean equal rows and nothing less."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping

from qfuzz.model.content import JsonValue, canonical_json, sha256_hex
from qfuzz.model.delivery import Launch
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


def fixture_key(fixture: Fixture) -> str:
    parts = [b"fixture"]
    for file in fixture.files:
        parts += [b"file", file.path, file.content, str(file.mode).encode()]
    for path in fixture.dirs:
        parts += [b"dir", path]
    for link in fixture.symlinks:
        parts += [b"symlink", link.path, link.target]
    if fixture.git is not None:
        for commit in fixture.git.commits:
            parts += [b"commit", commit.message, *commit.files]
        parts += [b"staged", *fixture.git.staged]
    return digest_parts(parts)


def launch_key(launch: Launch) -> str:
    """The key of the bytes that a transport hands over: a changed escaping function is a changed key."""
    parts = [launch.executable, b"argv", *launch.argv]
    parts += [b"null"] if launch.stdin is None else [b"stdin", launch.stdin]
    for file in launch.files:
        parts += [b"file", file.path, file.content, str(file.mode).encode()]
    return digest_parts(parts)


def observation_key(context: str, fixture: str, launch: str, ordinal: int) -> str:
    """`ordinal` counts repetitions of the same execution, so that "direct twice" is two rows."""
    return digest_parts([b"observation", context.encode(), fixture.encode(), launch.encode(), str(ordinal).encode()])


def sample_key(reply: Reply) -> str:
    """The key of one sample: two samples of equal text stay two, one sample read twice stays one."""
    identity = [reply.task_id, reply.model, reply.contract, reply.effort, reply.trial]
    return digest_parts([b"sample", canonical_json(identity), reply.program])


def task_key(task: Task) -> str:
    """The key of a task's whole text: a task that was edited is another task."""
    return sha256_hex(encode_task(task))


def judged_key(sample: str, context: str, transport: str, task: str) -> str:
    """The key of one judged execution: which sample, over which transport, in which context, for which task text."""
    return digest_parts([b"judged", sample.encode(), context.encode(), transport.encode(), task.encode()])


def short_id(key: str) -> str:
    """The name of a row for people, as commands print and take it; the key behind it is the full digest."""
    return key[:16]
