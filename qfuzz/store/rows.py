"""An observation as a database row and back. JSON where a person may look, blobs where bytes are the subject."""

from __future__ import annotations

import json
from typing import Any

from qfuzz.model.content import canonical_json, decode_content, encode_content
from qfuzz.model.observation import (
    Capture,
    Ending,
    Entry,
    GitCommit,
    GitIndexEntry,
    GitState,
    Kind,
    Observation,
    Status,
    Tree,
)

OBSERVATION_COLUMNS = (
    "key",
    "ending",
    "value",
    "stdout",
    "stdout_truncated",
    "stderr",
    "stderr_truncated",
    "tree",
    "tree_truncated",
    "git",
    "parses",
    "arrived",
    "tapped",
    "limit_hit",
    "seconds",
)


def readable(data: bytes) -> str | bytes:
    """The value of a column that holds bytes: text where a person can read it, a blob where it is none.

    A view that cast all blobs to text could not be read at all as soon as one of them was no UTF-8.
    """
    if b"\0" in data:
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def _bytes(value: str | bytes) -> bytes:
    return value.encode("utf-8") if isinstance(value, str) else value


def observation_to_row(key: str, observation: Observation) -> tuple[Any, ...]:
    """Values in the order of OBSERVATION_COLUMNS."""
    return (
        key,
        observation.status.ending.value,
        observation.status.value,
        readable(observation.stdout.data),
        observation.stdout.truncated,
        readable(observation.stderr.data),
        observation.stderr.truncated,
        _tree_to_json(observation.tree),
        observation.tree.truncated,
        None if observation.git is None else _git_to_json(observation.git),
        observation.parses,
        None if observation.arrived is None else readable(observation.arrived),
        observation.tapped,
        observation.limit,
        round(observation.seconds, 6),
    )


def observation_from_row(row: tuple[Any, ...]) -> Observation:
    """The observation of a row with the columns OBSERVATION_COLUMNS."""
    _, ending, value, out, out_cut, err, err_cut, tree, tree_cut, git, parses, arrived, tapped, limit, seconds = row
    return Observation(
        status=Status(Ending(ending), value),
        stdout=Capture(_bytes(out), bool(out_cut)),
        stderr=Capture(_bytes(err), bool(err_cut)),
        tree=Tree(_tree_from_json(tree), bool(tree_cut)),
        git=None if git is None else _git_from_json(git),
        seconds=seconds,
        parses=None if parses is None else bool(parses),
        arrived=None if arrived is None else _bytes(arrived),
        tapped=bool(tapped),
        limit=limit,
    )


def _tree_to_json(tree: Tree) -> str:
    return canonical_json([_entry_to_json(path, entry) for path, entry in sorted(tree.entries.items())]).decode()


def _entry_to_json(path: bytes, entry: Entry) -> list[Any]:
    listed = [encode_content(path), entry.kind.value, f"{entry.mode:04o}", encode_content(entry.content)]
    return [*listed, entry.truncated, entry.digest] if entry.digest else [*listed, entry.truncated]


def _tree_from_json(text: str) -> dict[bytes, Entry]:
    return {
        decode_content(path, "path"): Entry(Kind(kind), int(mode, 8), decode_content(content, "content"), *rest)
        for path, kind, mode, content, *rest in json.loads(text)
    }


def _git_to_json(git: GitState) -> str:
    record = {
        "branch": None if git.branch is None else encode_content(git.branch),
        "history": [
            [commit.commit_id, list(commit.parents), encode_content(commit.message), _paths(commit.changed)]
            for commit in git.history
        ],
        "commits": git.commits,
        "staged": _paths(git.staged),
        "error": git.error,
        "refs": [_paths(pair) for pair in git.refs],
        "config": encode_content(git.config),
        "index": [
            [encode_content(entry.path), f"{entry.mode:06o}", entry.object_id, entry.stage] for entry in git.index
        ],
    }
    return canonical_json(record).decode()


def _paths(paths: tuple[bytes, ...]) -> list[Any]:
    return [encode_content(path) for path in paths]


def _git_from_json(text: str) -> GitState:
    record = json.loads(text)
    return GitState(
        branch=None if record["branch"] is None else decode_content(record["branch"], "branch"),
        history=tuple(
            GitCommit(commit_id, tuple(parents), decode_content(message, "message"), _read_paths(changed))
            for commit_id, parents, message, changed in record["history"]
        ),
        commits=record["commits"],
        staged=_read_paths(record["staged"]),
        error=record["error"],
        refs=tuple(
            (decode_content(name, "ref"), decode_content(value, "ref")) for name, value in record.get("refs", [])
        ),
        config=decode_content(record.get("config", ""), "config"),
        index=tuple(
            GitIndexEntry(decode_content(path, "path"), int(mode, 8), object_id, stage)
            for path, mode, object_id, stage in record.get("index", [])
        ),
    )


def _read_paths(values: list[Any]) -> tuple[bytes, ...]:
    return tuple(decode_content(value, "path") for value in values)
