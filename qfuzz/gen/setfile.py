"""A task set as a file: written whole or not at all, with its manifest and its commitment beside it.

The commitment may be published before the set: it binds its author to the bytes and tells nothing of them. It can be no
better than the seed: whoever guesses a seed can make the set.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from qfuzz.model.content import JsonValue
from qfuzz.model.errors import InputError, UsageError
from qfuzz.model.fields import Fields
from qfuzz.model.task import Task
from qfuzz.model.task_codec import encode_task
from qfuzz.model.whole_file import refuse_other_kinds, whole_file

COMMITMENT_SCHEMA = 1
_SALT_BYTES = 32
_CHUNK_BYTES = 1 << 20


def manifest_path(path: Path) -> Path:
    """The manifest of the set at `path`."""
    return _beside(path, ".manifest.json")


def commitment_path(path: Path) -> Path:
    """The commitment of the set at `path`; the only one of the three files that belongs into a public repository."""
    return _beside(path, ".commitment.json")


def write_set(
    path: Path, tasks: Iterable[Task], about: dict[str, JsonValue], *, canary: str = "", commit: bool = True
) -> dict[str, JsonValue]:
    """Writes the set, its manifest (`about`, counts, digest) and, with `commit`, its commitment; returns the manifest.

    The three appear under their names only when all are complete, each by a rename, and replace what is there. Raises
    UsageError where they can't be written, or where something else than a regular file has one of the names: then
    nothing is written.
    """
    refuse_other_kinds(*_names(path))
    families: Counter[str] = Counter()
    tiers: Counter[str] = Counter()
    plain = hashlib.sha256()
    salt = secrets.token_bytes(_SALT_BYTES)
    salted = hashlib.sha256(salt)
    with ExitStack() as files:
        stream = files.enter_context(whole_file(path))
        for task in tasks:
            line = encode_task(task, canary)
            stream.write(line)
            plain.update(line)
            salted.update(line)
            families[task.family] += 1
            tiers[str(task.tier)] += 1
        manifest: dict[str, JsonValue] = {
            **about,
            "tasks": families.total(),
            "families": dict(families),
            "tiers": dict(sorted(tiers.items())),
            "sha256": plain.hexdigest(),
        }
        commitment = {
            "schema": COMMITMENT_SCHEMA,
            "rule": "sha256(salt + file)",
            "salt": salt.hex(),
            "digest": salted.hexdigest(),
        }
        if commit:
            files.enter_context(whole_file(commitment_path(path))).write(_document(commitment))
        files.enter_context(whole_file(manifest_path(path))).write(_document(manifest))
    return manifest


def refuse_taken(path: Path) -> None:
    """Raises UsageError where a file of a set has one of the three names: a lost salt makes a published digest void."""
    refuse_other_kinds(*_names(path))
    for each in _names(path):
        if os.path.lexists(each):
            raise UsageError("is there already", where=str(each), hint="--force replaces a set and its commitment")


def _names(path: Path) -> tuple[Path, Path, Path]:
    return path, manifest_path(path), commitment_path(path)


def check_set(path: Path) -> bool:
    """Whether the bytes at `path` are those that its commitment binds.

    Raises InputError when one of the two can't be read or the commitment is none.
    """
    record = commitment_path(path)
    if not path.is_file():
        raise InputError("is not there, or is no file", where=str(path))
    try:
        value = json.loads(record.read_bytes())
    except OSError as error:
        raise InputError(f"can't be read ({error.strerror})", where=str(record)) from None
    except ValueError:
        raise InputError("is not JSON", where=str(record)) from None
    try:
        fields = Fields(value)
        if fields.integer("schema") != COMMITMENT_SCHEMA:
            raise InputError(f"key 'schema' is not {COMMITMENT_SCHEMA}")
        salted = hashlib.sha256(bytes.fromhex(fields.text("salt")))
        expected = fields.text("digest")
    except (InputError, ValueError) as error:
        raise InputError(f"is no commitment ({error})", where=str(record)) from None
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                salted.update(chunk)
    except OSError as error:
        raise InputError(f"can't be read ({error.strerror})", where=str(path)) from None
    return secrets.compare_digest(salted.hexdigest(), expected)


def _beside(path: Path, suffix: str) -> Path:
    if not path.name:
        raise UsageError("is no name of a file", where=str(path))
    return path.with_name(path.name + suffix)


def _document(value: JsonValue) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8") + b"\n"
