"""Cuts along the grammar: commands, redirections, words and the pieces of words."""

from __future__ import annotations

from qfuzz.bash.parse import STAGE_ENDS, STATEMENT_ENDS, Part, Span
from qfuzz.bash.parse_outline import Role
from qfuzz.shrink.cuts import Cut, last_first
from qfuzz.shrink.passes.view import View


def compounds(view: View) -> list[Cut]:
    """Whole loops, conditions, groups and functions, big ones first."""
    spans = sorted(view.spans_of(Part.COMPOUND), key=lambda span: (span.start - span.end, span.start))
    return _joined(view, spans, STATEMENT_ENDS)


def statements(view: View) -> list[Cut]:
    """Comments, and the members of lists."""
    cuts = _joined(view, view.spans_of(Part.STATEMENT), STATEMENT_ENDS)
    cuts += [((view.blanks_before(start), end),) for start, end in view.found.comments]
    return sorted(cuts, reverse=True)


def stages(view: View) -> list[Cut]:
    """The members of pipelines."""
    return sorted(_joined(view, view.spans_of(Part.STAGE), STAGE_ENDS), reverse=True)


def _joined(view: View, spans: list[Span], ends: tuple[bytes, ...]) -> list[Cut]:
    """Each span with the operator that joins it to the next part, or else to the one before, and with its bodies."""
    joints = [each for each in view.found.operators if each.text in ends]
    before = {each.end: each for each in joints}
    after = {each.start: each for each in joints}
    embedding = [each for each in view.found.redirections if each.body is not None]
    bodies = {each.body[0]: each for each in embedding if each.body is not None}
    cuts: list[Cut] = []
    for span in spans:
        start, end = span.start, view.blanks_after(span.end)
        own = [each for each in embedding if start <= each.start < end]
        if end in after:
            joint = after[end]
            follows = bodies.get(joint.end)
            # The newline stays where bodies of somebody else begin.
            end = view.blanks_after(joint.end) if follows is None or follows in own else end
        elif (leading := view.blanks_before(start)) in before:
            start = before[leading].start
        cuts.append(((start, end), *(each.body for each in own if each.body is not None)))
    return cuts


def redirections(view: View) -> list[Cut]:
    """Redirections, here-documents with their bodies."""
    cuts: list[Cut] = []
    for each in view.found.redirections:
        bodies = () if each.body is None else (each.body,)
        cuts.append(((view.blanks_before(each.start), each.end), *bodies))
    return sorted(cuts, reverse=True)


def words(view: View) -> list[Cut]:
    """Words with the blanks that set them apart. A command's name goes where nothing is left that would become one."""
    cuts: list[Cut] = []
    for word in view.found.words:
        if word.role is Role.ARGUMENT:
            cuts.append(((view.blanks_before(word.start), word.end),))
        elif word.role is not Role.OPERAND:
            cuts.append(((word.start, view.blanks_after(word.end)),))
    return sorted(cuts, reverse=True)


def pieces(view: View) -> list[Cut]:
    """Quoted texts and substitutions that are a part of a word."""
    whole = {(word.start, word.end) for word in view.found.words}
    pairs = (*view.found.quotes, *view.found.substitutions)
    return last_first({(pair.opening[0], pair.closing[1]) for pair in pairs} - whole)


def marks(view: View) -> list[Cut]:
    """Pairs of quotes and delimiters of substitutions, leaving what is between them."""
    pairs = (*view.found.quotes, *view.found.substitutions)
    return sorted(((pair.opening, pair.closing) for pair in pairs), reverse=True)
