"""An escaping function in a child process: what it answers arrives, and whatever else it does is told of, by word."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.escape.faults import EscapeFault, FaultKind, TargetError
from qfuzz.escape.worker import EscapeWorker

HERE = Path(__file__).parent

SAID = {
    b"raise": (FaultKind.RAISES, "raises ValueError: no way"),
    b"silent": (FaultKind.RAISES, "raises RuntimeError"),
    b"none": (FaultKind.RETURNS, "returns NoneType instead of str"),
    b"bytes": (FaultKind.RETURNS, "returns bytes instead of str"),
    b"surrogate": (FaultKind.RETURNS, "returns str that holds a lone surrogate instead of str"),
    b"nul": (FaultKind.NUL, "returns a NUL, which no shell reads,"),
    b"hang": (FaultKind.HANGS, "does not answer in 0.3 s"),
    b"sleep": (FaultKind.HANGS, "does not answer in 0.3 s"),
    b"die": (FaultKind.DIES, "ends its process (ended with status 3)"),
    b"kill": (FaultKind.DIES, "ends its process (was killed by signal 9)"),
    b"exit": (FaultKind.RAISES, "raises SystemExit: 4"),
}


@pytest.fixture(scope="module")
def worker() -> Iterator[EscapeWorker]:
    with EscapeWorker("escapers:odd", 0.3, cwd=HERE) as worker:
        yield worker


@pytest.mark.parametrize("word", SAID, ids=bytes.decode)
def test_a_fault_names_the_word_and_the_others_are_escaped(worker: EscapeWorker, word: bytes) -> None:
    kind, detail = SAID[word]
    first, fault, last = worker.escape([b"a b", word, b""])
    assert (first, last) == (b"'a b'", b"''")
    assert fault == EscapeFault("escapers:odd", word, kind, detail)
    assert fault.line == f"escapers:odd {detail} for {word.decode()!r}"


def test_several_faults_in_one_batch(worker: EscapeWorker) -> None:
    words = [b"die", b"hang", b"x", b"die", b"none"]
    answers = worker.escape(words)
    assert [a if isinstance(a, bytes) else a.kind for a in answers] == [
        FaultKind.DIES,
        FaultKind.HANGS,
        b"'x'",
        FaultKind.DIES,
        FaultKind.RETURNS,
    ]


@pytest.mark.parametrize(("word", "said"), [(b"print", "hello"), (b"complain", "oh")])
def test_printing_is_said_once_and_does_no_harm(word: bytes, said: str) -> None:
    with EscapeWorker("escapers:odd", cwd=HERE) as worker:
        assert worker.escape([b"a", word, b"b", word]) == [b"'a'", b"'%b'" % word, b"'b'", b"'%b'" % word]
        warning = worker.warning
        assert warning is not None
        assert (warning.kind, warning.word) == (FaultKind.PRINTS, word)
        assert said in warning.detail
        worker.escape([word])
        assert worker.warning is warning


def test_standard_input_is_empty(worker: EscapeWorker) -> None:
    assert worker.escape([b"read"]) == [b"''"]


def test_an_answer_that_varies_is_seen_where_it_is_asked_for(worker: EscapeWorker) -> None:
    one, other = worker.escape([b"vary", b"x"], twice=True)
    assert isinstance(one, EscapeFault)
    assert one.kind is FaultKind.VARIES
    assert other == b"'x'"


def test_state_is_kept_between_batches() -> None:
    with EscapeWorker("escapers:state", cwd=HERE) as worker:
        assert worker.escape([b"a", b"b"]) == [b"a1", b"b2"]
        assert worker.escape([b"c"]) == [b"c3"]


def test_a_method_and_an_object_that_can_be_called() -> None:
    with EscapeWorker("escapers:Named.quote", cwd=HERE) as worker:
        assert worker.escape([b"a"]) == [b"<a>"]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("escapers:NUMBER", "not callable but of type int"),
        ("escapers:nothing", "AttributeError"),
        ("no_such_module:f", "ModuleNotFoundError"),
        ("escapers", "not of the form"),
        ("escapers:", "not of the form"),
        ("a b:c", "not of the form"),
        ("broken_import:f", "SyntaxError"),
        ("ends_at_import:f", "status 7"),
    ],
)
def test_a_target_that_can_not_be_had(tmp_path: Path, target: str, reason: str) -> None:
    for name, text in {
        "escapers": (HERE / "escapers.py").read_text(),
        "broken_import": "def f(:",
        "ends_at_import": "import os; os._exit(7)",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    with pytest.raises(TargetError, match=reason) as caught:
        EscapeWorker(target, cwd=tmp_path)
    assert str(caught.value).startswith(f"{target}: ")
    assert caught.value.exit_status == 2


def test_no_process_is_left() -> None:
    with EscapeWorker("escapers:process", cwd=HERE) as other:
        (answer,) = other.escape([b""])
        assert isinstance(answer, bytes)
        os.kill(int(answer), 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(answer), 0)


def test_the_child_dies_with_its_parent_even_in_the_middle_of_a_match() -> None:
    script = (
        "import sys, pathlib\n"
        "from qfuzz.escape.worker import EscapeWorker\n"
        "worker = EscapeWorker('escapers:process', cwd=pathlib.Path(sys.argv[1]))\n"
        "print(worker.escape([b''])[0].decode(), flush=True)\n"
        "hanging = EscapeWorker('escapers:odd', 60, cwd=pathlib.Path(sys.argv[1]))\n"
        "print(hanging._process._process.pid, flush=True)\n"
        "hanging.escape([b'hang'])\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(HERE)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    children = [int(parent.stdout.readline()) for _ in range(2)]
    time.sleep(0.2)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while any(_alive(child) for child in children):
        assert time.monotonic() < deadline, "a child outlives its parent"
        time.sleep(0.01)


def _alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as stat:
            # A zombie is dead: whoever adopted it has not looked yet.
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@given(st.lists(st.binary().map(lambda word: word.replace(b"\0", b"")), min_size=1, max_size=20))
def test_every_word_arrives_as_it_is(quoting: EscapeWorker, words: list[bytes]) -> None:
    expected = [shlex.quote(os.fsdecode(word)).encode("utf-8", "surrogateescape") for word in words]
    assert quoting.escape(words) == expected
    assert quoting.escape(words, twice=True) == expected


@pytest.fixture(scope="module")
def quoting() -> Iterator[EscapeWorker]:
    with EscapeWorker("shlex:quote") as worker:
        yield worker
