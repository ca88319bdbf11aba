"""Escaping programs: one process for all words, whatever it does; and the adapters for other languages."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from qfuzz.escape.command import CommandWorker
from qfuzz.escape.faults import EscapeFault, FaultKind, TargetError
from qfuzz.escape.loader import ADAPTERS, NODE_FOLDER, escaper, lack
from qfuzz.model.errors import InputError, UsageError

PROGRAM = r"""
import os, sys, time
rest, number = b"", 0
while data := os.read(0, 1 << 16):
    *words, rest = (rest + data).split(b"\0")
    out = b""
    for word in words:
        number += 1
        if word == b"die":
            sys.exit("no " + word.decode())
        if word == b"hang":
            time.sleep(1000)
        if word == b"vary":
            word = b"%d" % number
        if word == b"flood":
            while True:
                os.write(1, b"x" * (1 << 16))
        out += b"<" + word + (b"\0>\0" if word == b"two" else b">\0")
        if word == b"one":
            out = b""
    os.write(1, out)
"""


def worker(timeout_seconds: float = 0.5, *command: str) -> CommandWorker:
    return CommandWorker("mine", command or [sys.executable, "-c", PROGRAM], timeout_seconds)


@pytest.mark.parametrize(
    ("word", "kind", "said"),
    [
        (b"die", FaultKind.DIES, "ended with status 1, saying: no die"),
        (b"hang", FaultKind.HANGS, "does not answer in 0.5 s (an answer has to be written out at once)"),
        (b"one", FaultKind.HANGS, "does not answer in 0.5 s (an answer has to be written out at once)"),
        (b"two", FaultKind.NUL, "writes more than one answer"),
        (b"flood", FaultKind.FLOODS, "answers without end"),
    ],
)
def test_a_fault_names_the_word_and_the_others_are_escaped(word: bytes, kind: FaultKind, said: str) -> None:
    with_words = worker()
    try:
        answers = with_words.escape([b"a", b"b", word, b"", b"c"])
        stopped = with_words.escape([b"a", word, b"b"], stop=True)
    finally:
        with_words.close()
    assert answers == [b"<a>", b"<b>", EscapeFault("mine", word, kind, said), b"<>", b"<c>"]
    assert stopped == [b"<a>", EscapeFault("mine", word, kind, said)]


def test_one_process_answers_for_all_words_as_they_are() -> None:
    every = [bytes([byte]) for byte in range(1, 256)] + [b"x" * 100_000, b"", b"\xff\xfe", "é😀".encode()]
    with_words = worker(20)
    try:
        for _ in range(3):
            assert with_words.escape(every, twice=True) == [b"<" + word + b">" for word in every]
        first, second = with_words.escape([b"vary", b"a"], twice=True)
    finally:
        with_words.close()
    assert isinstance(first, EscapeFault)
    assert (first.kind, second) == (FaultKind.VARIES, b"<a>")


@pytest.mark.parametrize("command", [["cat", "/dev/null"], ["true"]])
def test_a_program_that_reads_nothing_dies_at_the_first_word(command: Sequence[str]) -> None:
    with_words = worker(5, *command)
    try:
        (fault, *_) = with_words.escape([b"a", b"b"])
    finally:
        with_words.close()
    assert isinstance(fault, EscapeFault)
    assert (fault.kind, fault.word) == (FaultKind.DIES, b"a")


def test_a_program_that_never_answers_is_given_up() -> None:
    with_words = worker(0.05, "sort", "-z")
    try:
        with pytest.raises(InputError, match="given up"):
            with_words.escape([b"%d" % number for number in range(100)])
    finally:
        with_words.close()


def test_programs_that_can_not_be_had() -> None:
    with pytest.raises(TargetError, match="no-such-program: no such program, and no adapter; adapters: npm:"):
        escaper("--escape-command", "no-such-program --at-all", 1)
    with pytest.raises(TargetError, match="no such program"):
        escaper("--escape-command", "./not-here", 1)()
    for bad in ("'open", "", "  "):
        with pytest.raises(UsageError):
            escaper("--escape-command", bad, 1)


EXPECTED = {
    "npm:shell-quote": [b"'a $b'", b"''", "'é é'".encode(), b'"\'"'],
    "npm:shell-quote-1.7.2": [b"'a $b'", b"", "'é é'".encode(), b'"\'"'],
    "npm:shell-escape": [b"'a $b'", b"", "'é é'".encode(), b"\\'"],
    "npm:shescape": [b"'a $b'", b"''", "'é é'".encode(), b"''\\'''"],
    "npm:shescape/no-flag-protection": [b"'a $b'", b"''", "'é é'".encode(), b"''\\'''"],
    "perl:String::ShellQuote": [b"'a $b'", b"''", "'é é'".encode(), b"\\'"],
    "bash:printf-%q": [b"a\\ \\$b", b"''", "é\\ é".encode(), b"\\'"],
    "bash:@Q": [b"'a $b'", b"''", "'é é'".encode(), b"\\'"],
}
"""What each adapter makes of four words."""


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_asks_the_function_that_it_is_named_after(name: str, tmp_path: Path) -> None:
    # From a folder that has no packages of its own.
    del tmp_path
    asker = escaper("--escape-command", name, 20)()
    try:
        assert asker.escape([b"a $b", b"", "é é".encode(), b"'"], twice=True) == EXPECTED[name]
    finally:
        asker.close()


@pytest.mark.parametrize("name", [name for name, adapter in ADAPTERS.items() if name.startswith("npm:")])
def test_a_package_that_is_missing_is_asked_for_as_npm_knows_it(
    name: str, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = ADAPTERS[name]
    if shutil.which(adapter.interpreter) is None:
        pytest.skip(f"{adapter.interpreter} is not here")
    monkeypatch.chdir(tmp_path)
    arguments = tuple("/nowhere" if each == str(NODE_FOLDER) else each for each in adapter.arguments)
    monkeypatch.setitem(ADAPTERS, name, replace(adapter, arguments=arguments))
    wanted = json.loads((checkout / "scripts/npm/package.json").read_text())["dependencies"][adapter.module]
    source = f"{adapter.module}@{wanted}" if wanted.startswith("npm:") else adapter.module
    error = lack(name)
    assert error is not None
    assert error.hint == f"npm install --prefix {NODE_FOLDER} {source}"
