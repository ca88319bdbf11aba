"""The parser behind its limits. Children that misbehave on purpose stand in for it; bashlex itself may not be there."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator

import pytest

from qfuzz.bash.parse import NoParse, Part, Span
from qfuzz.engine.parse_child import MAX_PROGRAM_BYTES, ParseChild

ANSWERS = """
import json, os, signal, sys
def read():
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        sys.exit()
    return sys.stdin.buffer.read(int.from_bytes(head, "big"))
def say(record):
    sys.stdout.write(json.dumps(record) + "\\n")
    sys.stdout.flush()
say({"failure": "syntax"})
while True:
    program = read()
    if program == b"hang":
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, 0.05)
        while True:
            pass
    if program == b"eat":
        hoard = []
        while True:
            hoard.append(bytearray(1 << 20))
    if program == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    if program == b"refuse":
        say({"failure": "syntax"})
    if program == b"full":
        say({"failure": "memory"})
    if program == b"pid":
        say({"spans": [[0, os.getpid(), "stage"]]})
    say({"spans": [[0, len(program), "statement"]]}) if program.startswith(b"echo") else None
"""


@pytest.fixture
def child() -> Iterator[ParseChild]:
    with ParseChild((sys.executable, "-c", ANSWERS), memory_bytes=256 << 20) as parser:
        yield parser


def pid_of(child: ParseChild) -> int:
    found = child.parse(b"pid")
    assert not isinstance(found, NoParse)
    return found[0].end


@pytest.mark.parametrize(
    ("program", "reason"),
    [(b"hang", NoParse.TIME), (b"eat", NoParse.MEMORY), (b"die", NoParse.MEMORY), (b"full", NoParse.MEMORY)],
)
def test_a_hurt_child_is_replaced(child: ParseChild, program: bytes, reason: NoParse) -> None:
    before = pid_of(child)
    assert child.parse(program) is reason
    assert child.parse(b"echo") == (Span(0, 4, Part.STATEMENT),)
    assert pid_of(child) != before


def test_a_child_that_refuses_is_kept(child: ParseChild) -> None:
    before = pid_of(child)
    assert child.parse(b"refuse") is NoParse.SYNTAX
    assert child.spans(b"refuse") is None
    assert child.spans(b"echo a") == (Span(0, 6, Part.STATEMENT),)
    assert pid_of(child) == before


def test_a_long_program_is_not_sent(child: ParseChild) -> None:
    assert child.parse(b"echo" + b" " * MAX_PROGRAM_BYTES) is NoParse.TIME


def test_threads_get_their_own_answers(child: ParseChild) -> None:
    answers: dict[int, object] = {}

    def ask(length: int) -> None:
        answers[length] = child.parse(b"echo" + b"x" * length)

    threads = [threading.Thread(target=ask, args=(length,)) for length in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {length: (Span(0, 4 + length, Part.STATEMENT),) for length in range(20)}


def test_a_missing_parser_is_started_once() -> None:
    says = 'import sys; print(\'{"failure": "missing"}\', flush=True); sys.stdin.read()'
    with ParseChild((sys.executable, "-c", says)) as child:
        assert child.parse(b"a") is NoParse.MISSING
        child.close()
        assert child.parse(b"a") is NoParse.MISSING


def test_close_ends_the_child(child: ParseChild) -> None:
    before = pid_of(child)
    child.close()
    with open("/proc/self/status", "rb") as own:
        parent = next(line.split()[1] for line in own if line.startswith(b"Pid:"))
    assert not _is_child(before, parent)


def _is_child(pid: int, parent: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/status", "rb") as status:
            return any(line.split() == [b"PPid:", parent] for line in status)
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module")
def parser() -> Iterator[ParseChild]:
    with ParseChild() as parser:
        yield parser


@pytest.mark.skipif(importlib.util.find_spec("bashlex") is None, reason="bashlex is not installed")
class TestBashlex:
    """What the real parser does, where it is installed."""

    def test_spans(self, parser: ParseChild) -> None:
        program = b"a 'x;y' | b > f; for x in *; do c \xc3\xa9 && d; done"
        found = parser.parse(program)
        assert not isinstance(found, NoParse)
        by_part = {part: [program[each.start : each.end] for each in found if each.part is part] for part in Part}
        assert by_part == {
            Part.COMPOUND: [b"for x in *; do c \xc3\xa9 && d; done"],
            Part.STATEMENT: [b"a 'x;y' | b > f", b"for x in *; do c \xc3\xa9 && d; done", b"c \xc3\xa9", b"d"],
            Part.STAGE: [b"a 'x;y'", b"b > f"],
        }

    def test_lines_are_statements(self, parser: ParseChild) -> None:
        assert parser.parse(b"a\nb") == (Span(0, 1, Part.STATEMENT), Span(2, 3, Part.STATEMENT))

    @pytest.mark.parametrize("program", [b"cat <<E\nx", b"[[ a ]]", b"case a in b) ;; esac", b"a=(b)", b""])
    def test_what_it_cannot_read(self, parser: ParseChild, program: bytes) -> None:
        assert parser.parse(program) is NoParse.SYNTAX

    def test_what_it_never_comes_back_from(self, parser: ParseChild) -> None:
        assert parser.parse(b"$'a${.b'") in (NoParse.TIME, NoParse.MEMORY)
        assert parser.parse(b"a; b") == (Span(0, 1, Part.STATEMENT), Span(3, 4, Part.STATEMENT))
