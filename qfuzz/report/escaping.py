"""What a campaign against an escaping function found: as text, and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from qfuzz.bash.quote import printable_word
from qfuzz.escape.faults import EscapeFault, FaultKind, shown
from qfuzz.fuzz.escape.events import CampaignEnded, EscapeFinding
from qfuzz.fuzz.escape.reader import Reading
from qfuzz.model.content import JsonValue, encode_content
from qfuzz.model.text import counted, one_line
from qfuzz.report.visible import visible

_INDENT = " " * 12


def reproduction(finding: EscapeFinding, option: str) -> str:
    """A command of printable characters that tries this one word again, in a jail. `option` names the target's kind.

    A function without a name that can be imported is to be called from Python, as it was.
    """
    if "<" in finding.target:
        arguments = f"shells=[{finding.lane.shell.name!r}], contexts=[{finding.lane.context.value!r}]"
        return f"check_escape(FUNCTION, {arguments}, words=[{finding.word!a}])"
    word = printable_word(finding.word).decode()
    target = shlex.quote(one_line(finding.target))
    lane = finding.lane
    return f"qfuzz fuzz {option} {target} --shell {lane.shell.name} --context {lane.context.value} --word {word}"


def finding_text(finding: EscapeFinding, option: str) -> Iterator[str]:
    """The lines that a person is shown."""
    yield f"{one_line(finding.target)} fails in {finding.lane.name}{' (known)' if finding.known else ''}"
    yield f"  word      {shown(finding.word)}"
    yield f"  escaped   {visible(finding.escaped)}".replace("\n", f"\n{_INDENT}")
    expected = finding.lane.arguments([finding.word])
    if expected != (finding.word,):
        yield f"  expected  {_listed(expected)}"
    yield f"  read      {reading_text(finding.reading)}"
    yield f"  again     {reproduction(finding, option)}"


def reading_text(reading: Reading) -> str:
    """What a shell did with an escaped word, in one line."""
    parts = []
    if reading.read is None:
        parts.append("nothing")
    else:
        parts.append(_listed(reading.read) if reading.read else "no argument")
        if not reading.whole:
            parts.append("and the argument after it is lost")
    if reading.ending:
        parts.append(f"the shell {reading.ending}")
    if reading.said and (reading.read is None or reading.ending):
        parts.append(f"it says: {reading.said}")
    return one_line("; ".join(parts))


def _listed(arguments: tuple[bytes, ...]) -> str:
    return " ".join(map(shown, arguments))


def ended_text(ended: CampaignEnded) -> Iterator[str]:
    """What was tried and covered."""
    cover = ended.coverage
    rate = cover.words / ended.seconds if ended.seconds else 0.0
    yield f"tried {counted(cover.words, 'word')} in {ended.seconds:.1f} s ({rate:.0f}/s)"
    for kind in cover.complete:
        yield f"  all words {kind}"
    lengths = ", ".join(f"{name}: {count}" for name, count in cover.lengths.items() if count)
    yield f"  lengths in characters: {lengths}" if lengths else "  no words"
    characters = f"{len(cover.characters)} of {cover.alphabet} characters"
    yield f"  {characters}; {cover.pairs} of {cover.pairs_possible} pairs of common ones, side by side"
    for name, count in ended.faults.items():
        # What a function prints is a fault beside its answer: the word was escaped, and tried.
        if name == FaultKind.PRINTS.value:
            yield "  prints while it escapes; these words were tried too"
        else:
            yield f"  not escaped ({name}): {count}"
    if ended.unexplained:
        yield f"  failed together but not alone: {ended.unexplained}"
    yield counted(ended.findings, "finding")


def finding_record(finding: EscapeFinding, option: str) -> dict[str, JsonValue]:
    """A finding as `--json` gives it; contents are texts or {"base64": ...}."""
    reading = finding.reading
    return {
        "event": "finding",
        "target": finding.target,
        "shell": finding.lane.shell.name,
        "context": finding.lane.context.value,
        "word": encode_content(finding.word),
        "escaped": encode_content(finding.escaped),
        "read": None if reading.read is None else [encode_content(word) for word in reading.read],
        "ending": reading.ending,
        "said": reading.said,
        "first_word": encode_content(finding.first_word),
        "known": finding.known,
        "again": reproduction(finding, option),
    }


def fault_record(fault: EscapeFault) -> dict[str, JsonValue]:
    return {
        "event": "fault",
        "target": fault.target,
        "kind": fault.kind.value,
        "word": encode_content(fault.word),
        "detail": fault.detail,
    }


def ended_record(ended: CampaignEnded) -> dict[str, JsonValue]:
    cover = ended.coverage
    return {
        "event": "ended",
        "words": cover.words,
        "seconds": round(ended.seconds, 3),
        "findings": ended.findings,
        "faults": dict(ended.faults),
        "unexplained": ended.unexplained,
        "complete": list(cover.complete),
        "lengths": dict(cover.lengths),
        "characters": dict(cover.characters),
        "alphabet": cover.alphabet,
        "pairs": cover.pairs,
        "pairs_possible": cover.pairs_possible,
    }
