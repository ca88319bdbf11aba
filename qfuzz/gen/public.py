"""The public set: the 56 tasks that the families generate, and the same 56 as they are frozen in the corpus."""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Iterator

from qfuzz.gen.loader import families
from qfuzz.model.content import sha256_hex
from qfuzz.model.task import Task
from qfuzz.model.task_codec import decode_task, encode_task

DATASET_VERSION = "1.0"
"""Version of the public set. Every report names it; any change of a byte of the set raises it."""

CANARY = "qfuzz public task set, not for training corpora; canary 7d1f6a52-0c7e-4b0d-9a55-3f2e86c4b917"
"""Stands in every line of the public files, so that a model trained on them can be told."""

PUBLIC_DIGEST = "f4767a0a7f9c86a8fb766f7030f260a9a0867605a2784a9146384bedc73e3f23"
"""SHA-256 of corpus/public/tasks.jsonl."""


def public_tasks() -> tuple[Task, ...]:
    """The public tasks from the families, in registry order, with every style of reference."""
    return tuple(task for family in families().values() for task in family.public_tasks())


def public_lines() -> Iterator[bytes]:
    """The lines of the public set, with canary."""
    return (encode_task(task, CANARY) for task in public_tasks())


@functools.cache
def load_public() -> tuple[Task, ...]:
    """The public tasks as frozen in the installed corpus: one reference each."""
    data = (importlib.resources.files("qfuzz_corpus") / "public" / "tasks.jsonl").read_bytes()
    return tuple(decode_task(line) for line in data.splitlines())


def public_digest() -> str:
    """SHA-256 of the public set as the families generate it now."""
    return sha256_hex(b"".join(public_lines()))
