"""The scanner's contexts hold in real Bash: another text in the place of one letter does what its context says.

The probes are independent of the scanner's rules: a parameter whose value has a blank shows literal text, one word, or
two words; a quote shows whether it is literal; `\\x51` shows ANSI-C quotes; a comment shows nothing at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from qfuzz.bash.scan import Context, Scan, contexts
from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, FixtureFile
from tests.property.bash_programs import Program, programs

# Reading a process substitution to its end waits for it. A reader that goes away must not stop who still has to log.
PRELUDE = b"""p() {
    printf '%s\\0' "$@" >> "$LOG"
    for argument; do
        case $argument in /dev/fd/*) cat "$argument" ;; esac
    done
    echo o 2>/dev/null || true
}
h() { local all; IFS= read -r -d '' all; p "$all"; }
P='le ri'; U=
trap '' PIPE
exec >/dev/null </dev/null
"""
# A syntax error ends Bash before it executes anything only if the whole text is one command for it.
DRIVER = b"""for f in *.probe; do
    bash -n "$f" 2>/dev/null && echo "$f"
    LOG=${f%.probe}.log timeout 5 bash "$f" 2>/dev/null
done"""

MARK, PARAMETER, APOSTROPHE, QUOTE, HEXADECIMAL = b"QQ", b"${P}", b"'", b'"', b"\\x51"
PROBES = (MARK, PARAMETER, APOSTROPHE, QUOTE, HEXADECIMAL)
MOST_LETTERS = 5
QUOTES_THAT_EXPAND = frozenset({Context.DOUBLE, Context.LOCALE, Context.HEREDOC})


@dataclass(frozen=True, slots=True)
class Outcome:
    """`log`: every argument that `p` was called with."""

    parses: bool
    log: tuple[bytes, ...]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def run_all(pool: Pool, texts: list[bytes]) -> list[Outcome]:
    """Run each text after the prelude, in one jail."""
    names = [b"%05d" % index for index in range(len(texts))]
    files = tuple(FixtureFile(name + b".probe", PRELUDE + text) for name, text in zip(names, texts, strict=True))
    launch = Launch(b"/bin/bash", (b"bash", b"-c", DRIVER), DRIVER)
    seen: Observation = pool.run(Execution(launch, Fixture(files), 60.0))
    assert not seen.stdout.truncated
    assert not seen.tree.truncated
    parsed = set(seen.stdout.data.split(b"\n"))
    outcomes = []
    for name in names:
        entry = seen.tree.entries.get(name + b".log")
        arguments = entry.content.split(b"\0")[:-1] if entry is not None else []
        log = tuple(argument for argument in arguments if not argument.startswith(b"/dev/fd/"))
        outcomes.append(Outcome(name + b".probe" in parsed, log))
    return outcomes


def holds(outcome: Outcome, text: bytes) -> bool:
    return any(text in argument for argument in outcome.log)


def splits(outcome: Outcome) -> bool:
    """Whether the parameter became the end of one argument and the beginning of the next."""
    pairs = zip(outcome.log, outcome.log[1:], strict=False)
    return any(left.endswith(b"le") and right.startswith(b"ri") for left, right in pairs)


def backslashes(outcome: Outcome) -> int:
    return b"".join(outcome.log).count(b"\\")


def is_quoted(scan: Scan, offset: int) -> bool:
    """Whether the value of a parameter at this place in `${U:-...}` is kept in one word."""
    around = scan.enclosing(scan.at(offset))
    return next((each for each in around if each is not Context.PARAMETER), None) in QUOTES_THAT_EXPAND


def claims(scan: Scan, offset: int, probed: dict[bytes, Outcome]) -> Iterator[tuple[str, bool]]:
    """What must be true of the outcomes if the byte stands in the context that the scanner says."""
    context = scan.context(offset)
    parameter = probed[PARAMETER]
    if context in (Context.SINGLE, Context.ANSI_C, Context.HEREDOC_QUOTED):
        yield "a parameter is literal", holds(parameter, PARAMETER)
        yield "a quote is literal", holds(probed[QUOTE], QUOTE)
        yield (
            "escapes are decoded in ANSI-C quotes alone",
            holds(probed[HEXADECIMAL], b"Q") == (context is Context.ANSI_C),
        )
    if context is Context.HEREDOC_QUOTED:
        yield "an apostrophe is literal", holds(probed[APOSTROPHE], APOSTROPHE)
    if context in QUOTES_THAT_EXPAND:
        yield "a parameter is one word", holds(parameter, b"le ri")
        yield "an apostrophe is literal", holds(probed[APOSTROPHE], APOSTROPHE)
        yield "a backslash is literal", holds(probed[HEXADECIMAL], HEXADECIMAL)
    if context is Context.HEREDOC:
        yield "a quote is literal", holds(probed[QUOTE], QUOTE)
    if context is Context.UNQUOTED or (context is Context.PARAMETER and not is_quoted(scan, offset)):
        yield "a parameter is two words", splits(parameter)
        yield "a backslash is taken away", holds(probed[HEXADECIMAL], b"x51")
        yield "no backslash more", backslashes(probed[HEXADECIMAL]) == backslashes(probed[MARK])
    if context is Context.PARAMETER and is_quoted(scan, offset):
        yield "a parameter is one word", holds(parameter, b"le ri")
    if context is Context.COMMENT:
        yield "nothing of it is executed", not holds(probed[MARK], MARK)
        for probe, outcome in probed.items():
            yield f"{probe!r} begins nothing", outcome.parses


# Not shrunk: each step would execute hundreds of programs. The message of a failure says which letter of which text.
@pytest.mark.long
@settings(max_examples=8, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(st.tuples(programs(), st.integers(0, 4)), min_size=6, max_size=6))
def test_a_letter_behaves_as_its_context_says(pool: Pool, drawn: list[tuple[Program, int]]) -> None:
    places: list[tuple[bytes, int]] = []
    texts: list[bytes] = []
    for program, first in drawn:
        text = program.text
        texts.append(text)
        letters = [offset for offset, piece in enumerate(program.by_offset()) if piece.logged]
        places += [(text, offset) for offset in letters[first :: max(1, len(letters) // MOST_LETTERS)]]
    texts += [text[:offset] + probe + text[offset + 1 :] for text, offset in places for probe in PROBES]
    outcomes = run_all(pool, texts)
    for text, outcome in zip(texts[: len(drawn)], outcomes, strict=False):
        assert outcome.parses, text
    remaining = iter(outcomes[len(drawn) :])
    for text, offset in places:
        probed = {probe: next(remaining) for probe in PROBES}
        scan = contexts(text)
        # What is never executed, as after a failing `&&`, shows nothing.
        if scan.context(offset) is not Context.COMMENT and not holds(probed[MARK], MARK):
            continue
        for claim, is_true in claims(scan, offset, probed):
            assert is_true, (scan.describe(offset), claim, text[:offset], text[offset:], probed)
