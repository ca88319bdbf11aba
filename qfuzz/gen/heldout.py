"""The held-out set that was published with its seed: no longer private, and kept as an example of one."""

from __future__ import annotations

import functools
import importlib.resources

from qfuzz.model.task import Task
from qfuzz.model.task_codec import decode_task

HELD_OUT_NAME = "heldout-v2"
HELD_OUT_VERSION = "1"
HELD_OUT_SEED = "252e1fb1840ac9e4858f39fd83976a66"
"""`qfuzz gen --seed` with this and `--style v2` makes the set again."""


@functools.cache
def load_held_out() -> tuple[Task, ...]:
    """The 42 tasks as frozen in the installed corpus."""
    data = (importlib.resources.files("qfuzz_corpus") / HELD_OUT_NAME / "tasks.jsonl").read_bytes()
    return tuple(decode_task(line) for line in data.splitlines())
