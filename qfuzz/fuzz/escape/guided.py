"""Batches of words that coverage guides to: atheris in a child process, for it never returns.

The child proposes words, and the campaign treats them like all others: what the function makes of them is asked of a
worker and judged by shells, so that whatever crashes, hangs or is escaped wrongly becomes an ordinary fault or finding.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import importlib.util
import mmap
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import IO

from qfuzz.fuzz.escape.coded import encoded
from qfuzz.fuzz.escape.source import Batch
from qfuzz.model.errors import HarnessError, HostError

ATHERIS_CORPUS = Path(str(importlib.resources.files("qfuzz_corpus") / "atheris"))

BATCH = 200
"""Words of a batch: the child is slower than shells, and a finding should not wait for long."""

_CHILD = "qfuzz.fuzz.escape.guided_child"
_LENGTH_BYTES = 4
_CHUNK = 1 << 16


def guided_batches(
    target: str,
    seed: int,
    *,
    runs: int | None = None,
    corpus: Path | None = None,
    known: Sequence[str] = (),
    word_seconds: float = 5.0,
) -> Generator[Batch, None, None]:
    """Words that atheris tries on a Python function, in its order; every word once.

    `runs` bounds how many it tries (None: without end). It starts from the inputs in the folder `corpus` and from the
    words `known`; `word_seconds` is how long one word may take. Closing it ends the child. Raises HostError where
    atheris is missing, HarnessError where it does not start.
    """
    if importlib.util.find_spec("atheris") is None:
        raise HostError("atheris is not installed", where="--engine", hint="pip install 'qfuzz[atheris]'")
    current = os.memfd_create("current")
    os.ftruncate(current, mmap.PAGESIZE)
    readable, writable = os.pipe()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        arguments = [
            f"-seed={seed % (2**32 - 1) + 1}",
            f"-runs={-1 if runs is None else runs}",
            f"-timeout={max(1, round(word_seconds))}",
            f"-artifact_prefix={folder}/",
            "-max_len=128",
            "-rss_limit_mb=2048",
            folder,
            *([str(corpus)] if corpus is not None else []),
        ]
        for index, code in enumerate(filter(None, map(encoded, known))):
            Path(folder, f"known-{index}").write_bytes(code)
        try:
            child = subprocess.Popen(
                [sys.executable, "-m", _CHILD, target, str(writable), str(current), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(writable, current),
                start_new_session=True,
            )
        finally:
            os.close(writable)
        try:
            yield from _batches(_words(readable), current, child)
            if child.wait() and not _started(log):
                raise HarnessError("atheris did not start", hint=_last_line(log))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            os.close(readable)
            os.close(current)


def _words(readable: int) -> Iterator[list[bytes]]:
    """Words in portions, as they come, until the child ends."""
    rest = b""
    while data := os.read(readable, _CHUNK):
        *words, rest = (rest + data).split(b"\0")
        yield words


def _batches(portions: Iterator[list[bytes]], current: int, child: subprocess.Popen[bytes]) -> Iterator[Batch]:
    seen: set[bytes] = set()
    waiting: list[str] = []
    for words in portions:
        new = [word for word in dict.fromkeys(words) if word not in seen]
        seen.update(new)
        waiting += [word.decode() for word in new]
        while len(waiting) >= BATCH:
            yield Batch(listed=tuple(waiting[:BATCH]))
            del waiting[:BATCH]
    if child.wait():
        # It did not end by itself: the word that it was at comes last, and the worker will see what it does.
        waiting.append(_current(current))
    if waiting:
        yield Batch(listed=tuple(waiting))


def _current(current: int) -> str:
    length = int.from_bytes(os.pread(current, _LENGTH_BYTES, 0), "little")
    return os.pread(current, length, _LENGTH_BYTES).decode("utf-8", "replace")


def _started(log: IO[bytes]) -> bool:
    log.seek(0)
    return b"INITED" in log.read()


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode("utf-8", "backslashreplace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing")
