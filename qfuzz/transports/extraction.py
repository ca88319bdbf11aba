"""The command taken out of a model's answer by the usual lazy pattern: it ends at the first thing that looks like
the end.

The patterns are searched once over the answer and have one repetition, so that they take linear time on any text."""

from __future__ import annotations

import re

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul


class _Extracted(Boundary):
    """The reply between a beginning and an end, and what a pattern finds there."""

    cannot_carry = "NUL"
    faithful = False
    starts_shell = False
    before = b""
    after = b""
    pattern: re.Pattern[bytes]

    def embed(self, text: bytes) -> bytes | Refusal:
        refusal = refuse_nul(self.name, text)
        if refusal is not None:
            return refusal
        found = self.pattern.search(self.before + text + self.after)
        assert found is not None, "the answer holds a beginning and an end"
        return found.group(1)


class MarkdownFence(_Extracted):
    """The first fenced block of an answer, by ```` ```(?:bash|sh)?\\n(.*?)\\n``` ````: what most agents do that ask
    for Markdown. A reply that writes Markdown itself holds a line with three backticks, and is cut there. It
    owns such a line, and can't carry a NUL. Source: the pattern; CommonMark 4.5 would count backticks and look
    at indentation."""

    name = "markdown-fence"
    summary = "the first fenced block of a Markdown answer, by a lazy pattern"
    owns = "a line that begins with three backticks"
    witness = b"cat > a.md <<'EOF'\n```\ncode\n```\nEOF"
    before = b"Here you are:\n\n```bash\n"
    after = b"\n```\n"
    pattern = re.compile(rb"```(?:bash|sh)?\n(.*?)\n```", re.DOTALL)

    def armor(self, program: bytes) -> bytes:
        return one_line(program) if b"\n```" in b"\n" + program else program

    def disclosure(self) -> str:
        return "R stands in a fenced block of a Markdown answer, and ends at the first line in it that begins with ```."


class ToolTags(_Extracted):
    """The first `<command>...</command>` of an answer, by a lazy pattern: tool calls in tags that no parser reads.
    A reply that holds the closing tag is cut there, entities stay as they are. It owns the closing tag, and
    can't carry a NUL. Source: the pattern."""

    name = "tool-tags"
    summary = "the first <command>...</command> of an answer, by a lazy pattern"
    owns = "the closing tag"
    witness = b"echo '<command>x</command>'"
    before = b"<tool>bash</tool>\n<command>"
    after = b"</command>\n"
    pattern = re.compile(rb"<command>(.*?)</command>", re.DOTALL)

    def armor(self, program: bytes) -> bytes:
        return one_line(program, b"<") if b"</command>" in program else program

    def disclosure(self) -> str:
        return "R stands between the tags of `<command>R</command>`, and ends at the first closing tag in it."


BOUNDARIES: tuple[Boundary, ...] = (MarkdownFence(), ToolTags())
