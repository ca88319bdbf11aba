"""What `qfuzz lint` prints for people: each flagged reply with marks, then the rules with their places."""

from __future__ import annotations

from collections.abc import Iterator

from qfuzz.lint.findings import Finding, Linted
from qfuzz.report.marks import marked_lines
from qfuzz.report.visible import fold, visible

WIDTH = 80
_MOST_LINES = 24
_MOST_PLACES = 12


def linted_text(one: Linted) -> Iterator[str]:
    """The lines for one reply over one transport, at most WIDTH columns each; none where nothing is flagged."""
    if not one.findings:
        return
    count = len(one.findings)
    name = f" {one.reply.task_id}" if one.reply.task_id is not None else ""
    yield from fold(f"{visible(str(one.source))}:{name} over {one.transport}: {count} flagged", WIDTH)
    marks = {finding.char.offset: "^" for finding in one.findings}
    for number, line in enumerate(marked_lines(one.reply.program, marks, WIDTH)):
        if number == _MOST_LINES:
            yield "  ..."
            break
        yield line
    for (_, char, rule), findings in _by_rule(one.findings).items():
        for part in fold(f"{visible(char)} {rule}", WIDTH - 2):
            yield f"  {part}"
        yield from _places(findings)
    yield ""


def _by_rule(findings: tuple[Finding, ...]) -> dict[tuple[str, str, str], list[Finding]]:
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule_id, finding.char.char, finding.char.rule), []).append(finding)
    return groups


def _places(findings: list[Finding]) -> Iterator[str]:
    by_context: dict[str, list[str]] = {}
    for finding in findings:
        by_context.setdefault(finding.char.context, []).append(f"{finding.char.line}:{finding.char.column}")
    for context, places in by_context.items():
        more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
        for part in fold(f"{context}: {' '.join(places[:_MOST_PLACES])}{more}", WIDTH - 6):
            yield f"      {part}"


def summary_text(transport: str, flagged: int, replies: int, *, by_author: bool) -> str:
    """The line that says what was predicted over one transport, or found on the direct path (`by_author`)."""
    if by_author:
        return f"{transport}: {flagged} of {replies} with faults of the author's"
    return f"{transport}: {flagged} of {replies} flagged, {replies - flagged} predicted to arrive whole"
