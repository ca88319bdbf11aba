"""The scanner gives back the contexts that programs were written in, and bears any bytes. Nothing is run."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.bash.scan import Context, Scan, contexts
from tests.property.bash_programs import Program, programs

TOKENS = (
    b"' \" ` \\ $ $( $(( (( )) ) ( ${ } [[ ]] [ ] <<E <<'E' <<-E E case in esac ;; a # = =( <( | & for do =~ @( ! $' "
    b'$" x \xc3\xa9 \xff'
)
PARTS = [*TOKENS.split(b" "), b" ", b"\n", b"\\\n", b"\t", b"\nE\n"]
HOSTILE = st.binary(max_size=40) | st.lists(st.sampled_from(PARTS), max_size=25).map(b"".join)


def check_form(program: bytes, scan: Scan) -> None:
    """What holds for any scan."""
    done = 0
    previous = None
    for segment in scan.segments:
        assert segment.start == done < segment.end
        assert (segment.context, segment.frame) != previous
        previous = segment.context, segment.frame
        done = segment.end
    assert done == len(program)
    for index, frame in enumerate(scan.frames):
        assert 0 <= frame.start <= frame.end <= len(program)
        assert frame.parent < index
        if frame.parent >= 0:
            assert frame.depth == scan.frames[frame.parent].depth + 1
            assert scan.frames[frame.parent].start <= frame.start
    for token in scan.tokens:
        assert 0 <= token.start < token.end <= len(program)


@given(programs())
def test_contexts_are_those_that_the_program_was_written_in(program: Program) -> None:
    text = program.text
    scan = contexts(text)
    check_form(text, scan)
    for offset, piece in enumerate(program.by_offset()):
        segment = scan.at(offset)
        found = segment.context, tuple(scan.enclosing(segment))
        assert found == (piece.context, piece.path), (offset, text[:offset], text[offset:])
        assert scan.depth(offset) == len(piece.path)


@given(HOSTILE)
def test_any_bytes_have_contexts(program: bytes) -> None:
    check_form(program, contexts(program))


@given(programs(depth=2), st.data())
def test_a_damaged_program_has_contexts(program: Program, data: st.DataObject) -> None:
    text = program.text
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 3)))
    damaged = text[:start] + data.draw(HOSTILE) + text[end:]
    check_form(damaged, contexts(damaged))


@given(programs(depth=2))
def test_what_follows_a_complete_program_is_read_afresh(program: Program) -> None:
    """No construct that was closed is still felt."""
    text = program.text + b"\n"
    tail = b"p 'a' \"$(b)\" # c"
    alone, after = contexts(tail), contexts(text + tail)
    for offset in range(len(tail)):
        assert after.describe(len(text) + offset) == alone.describe(offset)


@pytest.mark.parametrize(
    "unit",
    b"( (( $(( $( ${x:- \"$( ` \\` $(cat<<E\n ' [[@a case@x@in@x) -=[ \\\n $\\\n \"${x:-' ((@( <<-@ a=( @@(".split(
        b" "
    ),
    ids=repr,
)
def test_time_is_linear_and_nesting_costs_no_stack(unit: bytes) -> None:
    def seconds(size: int) -> float:
        program = unit.replace(b"@", b" ") * (size // len(unit))
        began = time.process_time()
        contexts(program)
        return time.process_time() - began

    small = min(seconds(4_000) for _ in range(3))
    # Eight times the text; a quadratic scan would take 64 times as long, however often it is measured.
    assert any(seconds(32_000) < 40 * small + 0.05 for _ in range(4))


def test_outside_the_program_is_an_error() -> None:
    scan = contexts(b"ab")
    assert scan.context(1) is Context.UNQUOTED
    for offset in (-1, 2):
        with pytest.raises(IndexError):
            scan.at(offset)
    with pytest.raises(IndexError):
        contexts(b"").at(0)
