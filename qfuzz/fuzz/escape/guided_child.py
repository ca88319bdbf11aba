"""Proposes words by coverage of a Python function: atheris drives Hypothesis's fuzz_one_input. Run by `guided`.

    python -m qfuzz.fuzz.escape.guided_child MODULE:FUNCTION WORDS CURRENT LIBFUZZER-ARGUMENT...

WORDS and CURRENT are inherited descriptors: a pipe that gets every word, ended by NUL, and a page of memory that holds
the word that is being escaped, for the case that it ends this process. Nothing is judged here; what the function
answers is dropped. Only the modules of the function are instrumented: libFuzzer's map of edges is for them alone.
"""

from __future__ import annotations

import contextlib
import importlib
import mmap
import os
import struct
import sys
import time
from typing import Any

import atheris
from hypothesis import HealthCheck, Phase, given, settings

from qfuzz.fuzz.escape.coded import coded_words

LENGTH = struct.Struct("<I")
_FLUSH_WORDS = 250
_FLUSH_SECONDS = 0.2


def main(target: str, out: int, current: mmap.mmap, arguments: list[str]) -> None:
    module, _, path = target.partition(":")
    # A module that is loaded already has no counters in it.
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{module}.")]:
        del sys.modules[name]
    with atheris.instrument_imports(include=[module]):
        function: Any = importlib.import_module(module)
    for name in path.split("."):
        function = getattr(function, name)
    waiting: list[bytes] = []
    flushed = time.monotonic()

    def send() -> None:
        nonlocal flushed
        data = memoryview(b"".join(waiting))
        waiting.clear()
        while data:
            data = data[os.write(out, data) :]
        flushed = time.monotonic()

    @settings(database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(coded_words())
    def propose(word: str) -> None:
        raw = word.encode()
        current[: LENGTH.size + len(raw)] = LENGTH.pack(len(raw)) + raw
        waiting.append(raw + b"\0")
        with contextlib.suppress(Exception):
            function(word)
        if len(waiting) >= _FLUSH_WORDS or time.monotonic() - flushed > _FLUSH_SECONDS:
            send()

    fuzz_one_input = propose.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def once(data: bytes) -> None:
        fuzz_one_input(data)

    atheris.Setup([sys.argv[0], *arguments], once)
    atheris.Fuzz()


if __name__ == "__main__":
    # As with `python -m`, the working directory is first on the path already.
    main(sys.argv[1], int(sys.argv[2]), mmap.mmap(int(sys.argv[3]), mmap.PAGESIZE), sys.argv[4:])
