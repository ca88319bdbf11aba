"""One breaker in one screen: which characters did it, what arrived, the smallest forms, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qfuzz.bash.quote import one_line as bash_c
from qfuzz.bash.quote import printable_word
from qfuzz.model.content import JsonValue, encode_content
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Launch, Rejection
from qfuzz.model.forms import Cause, Forms
from qfuzz.model.forms_codec import cause_to_json, forms_to_json
from qfuzz.model.observation import Capture, Observation
from qfuzz.model.verdict import Channel
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.declared import declared_exceptions
from qfuzz.oracle.describe import describe_difference
from qfuzz.report.causes import causes_of, placed
from qfuzz.report.marks import marked_lines, quoted_lines
from qfuzz.report.visible import fold, visible
from qfuzz.transports.base import Transport, launch_as_program

WIDTH = 80
_MOST_LINES = 12


@dataclass(frozen=True, slots=True)
class Explained:
    """What is explained. `id` is empty where nothing is stored; `transported` is a Rejection where nothing ran.

    `stable` False: the reply does not do the same twice, so that all was found by the verdicts of its task alone.
    """

    id: str
    title: str
    program: bytes
    transport: Transport
    direct: Observation
    transported: Observation | Rejection
    forms: Forms
    stable: bool = True


_OUTPUT_LINES = 3
"""How much is shown of what a program printed."""


def explained_record(one: Explained) -> dict[str, JsonValue]:
    """The same content for machines. Characters are objects with offset, line, column, char, context and rule."""
    forms = forms_to_json(one.forms)
    return {
        "id": one.id,
        "reply": encode_content(one.program),
        "transport": one.transport.name,
        "stable": one.stable,
        "declared": [each.name.lower() for each in _declared(one)],
        "arrived": forms["arrived"],
        "payload": forms["payload"],
        "minimal_reply": None if one.forms.reply is None else encode_content(one.forms.reply.program),
        "repair_set": [] if one.forms.repair is None else cause_to_json(one.forms.repair.repair_set),
        "causes": [cause_to_json(cause) for cause in causes_of(one.forms)],
        "protected": None if one.forms.repair is None else encode_content(one.forms.repair.protected),
        "reproduce": encode_content(reproduction(one.transport, _smallest(one))),
        "executions": one.forms.executions,
    }


def explained_text(one: Explained) -> Iterator[str]:
    """The lines of the page, at most WIDTH columns each, without colour."""
    yield from fold(one.title, WIDTH)
    yield ""
    yield from _reply(one)
    yield from _stability(one)
    yield from _arrived(one)
    yield from _payload(one.forms)
    yield from _smallest_reply(one)
    yield from _difference(one)
    yield from _advice(one)


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield title
    for count, line in enumerate(lines):
        if count == _MOST_LINES:
            yield "  ..."
            break
        yield line
    yield ""


def _reply(one: Explained) -> Iterator[str]:
    causes = causes_of(one.forms) if one.forms.repair is not None else ()
    repair = () if one.forms.repair is None else one.forms.repair.repair_set
    marks = {char.offset: "^" for char in repair}
    marks.update({char.offset: str(number % 10) for number, cause in enumerate(causes, 1) for char in cause})
    yield "The reply" + (", marked by cause (^: to be protected too)" if marks else "")
    yield from marked_lines(one.program, marks, WIDTH)
    yield ""
    if causes:
        yield from _section("Causes: each alone, all else protected, fails in the same way", _causes(causes))
    elif one.forms.repair is not None and not one.forms.repair.restorable:
        yield from _section("Causes", ["  protecting every active character does not bring the direct result back"])


def _stability(one: Explained) -> Iterator[str]:
    if one.stable:
        return
    text = "it does not do the same twice, so runs are told apart by the verdict of the task alone, and no smaller "
    text += "reply is looked for, which would have no task"
    if one.forms.repair is None and one.transport.protects_characters():
        text += "; no causes, for the verdicts changed too when it was run again"
    yield from _section("Not stable", [f"  {line}" for line in fold(text, WIDTH - 2)])


def _causes(causes: tuple[Cause, ...]) -> Iterator[str]:
    for number, cause in enumerate(causes, 1):
        rules = " / ".join(dict.fromkeys(char.rule for char in cause))
        contexts = ", ".join(dict.fromkeys(char.context for char in cause))
        lines = list(fold(f"{number}. {placed(cause)}, {contexts}: {rules}", WIDTH - 2))
        yield from (f"  {line}" for line in lines)


def _arrived(one: Explained) -> Iterator[str]:
    steps = [step for step in one.transport.steps(one.program) if isinstance(step.result, (bytes, Rejection))]
    for step in steps:
        if isinstance(step.result, bytes):
            yield from _section(f"After {step.boundary}", quoted_lines(step.result, WIDTH))
        elif isinstance(step.result, Rejection):
            yield from _section(f"{step.boundary} rejects it", [f"  {visible(step.result.message)}"])
            return
    if one.forms.arrived is None:
        yield from _section("What reached the last shell", [f"  {_why_nothing(one)}"])
    else:
        lines = list(quoted_lines(one.forms.arrived, WIDTH))
        if one.forms.arrived == one.program and one.transport.arrival_note:
            lines += [f"  {line}" for line in fold(f"but {one.transport.arrival_note}", WIDTH - 2)]
        yield from _section("What reached the last shell", lines)


def _why_nothing(one: Explained) -> str:
    if one.transport.is_own:
        return "it was not seen"
    if not one.transport.sees_arrival:
        return "it was not seen: no recorder can stand before a shell on the way"
    launch = one.transport.deliver(one.program)
    if isinstance(launch, Launch) and launch.first_shell is None:
        return "nothing: the program that should start it did not"
    return "nothing: an outer shell could not parse what it got"


def _payload(forms: Forms) -> Iterator[str]:
    part = forms.payload
    if part is None:
        return
    if part.status == "minimal" and part.minimal is not None:
        written = " in ".join(reversed(part.stack))
        text = (
            f"it takes part: a plain one does not break; the smallest that does is ⟪{visible(part.minimal)}⟫, written "
            f"as the author wrote the original ({written})"
        )
    elif part.status == "not-involved":
        text = "not involved: a plain one in its place breaks as well, so the author's own characters are the cause"
    else:
        text = f"not bound ({part.reason})"
    yield from _section("The payload", [f"  {line}" for line in fold(text, WIDTH - 2)])


def _smallest_reply(one: Explained) -> Iterator[str]:
    reply = one.forms.reply
    if reply is None:
        return
    marks = {char.offset: "^" for cause in reply.causes for char in cause} if one.forms.repair is not None else {}
    title = "The smallest reply that fails in the same way" + ("" if reply.finished else " (so far)")
    yield from _section(title, marked_lines(reply.program, marks, WIDTH))


def _difference(one: Explained) -> Iterator[str]:
    if isinstance(one.transported, Rejection):
        return
    channels = differing_channels(one.direct, one.transported)
    said = describe_difference(one.direct, one.transported, channels) or "nothing on status, stdout and tree"
    lines = [f"  {line}" for line in fold(said, WIDTH - 2)]
    declared = _declared(one)
    if declared:
        text = f"declared as not kept on this path: {'; '.join(each.value for each in declared)}"
        lines += [f"  {line}" for line in fold(text, WIDTH - 2)]
    if Channel.STDOUT in channels:
        lines += [
            *_start("direct stdout:", one.direct.stdout),
            *_start("on this path:", one.transported.stdout),
        ]
    if one.transported.stderr.data:
        lines += _start("stderr there:", one.transported.stderr)
    yield from _section("What differs (direct -> on this path)", lines)


def _declared(one: Explained) -> tuple[Declared, ...]:
    if isinstance(one.transported, Rejection):
        return ()
    return declared_exceptions(one.transport.exceptions, one.direct, one.transported)


def _start(title: str, capture: Capture) -> list[str]:
    """The beginning of an output in a few lines, the title before the first; a last "..." says that there was more."""
    parts = list(fold(" ".join(visible(capture.data[:400]).split("\n")), WIDTH - 20)) if capture.data else ["(empty)"]
    more = len(parts) > _OUTPUT_LINES or len(capture.data) > 400 or capture.truncated
    shown = [*parts[:_OUTPUT_LINES], *(["..."] if more else [])]
    return [f"  {title if place == 0 else '':<15} {part}" for place, part in enumerate(shown)]


def _advice(one: Explained) -> Iterator[str]:
    armored = one.transport.armor(one.program)
    launch = one.transport.deliver(one.program)
    own = launch.own if isinstance(launch, Launch) else None
    if armored == one.program and _declared(one):
        # Every text arrives, and what is not kept is how a script is run.
        armored = bash_c(one.program)
    if armored is None and own is not None and own.box:
        said = "  have the program hand the reply to its shell as one argument, or in a file"
        yield from _section("To deliver it whole", [said])
    elif armored is None:
        yield from _section("To deliver it whole", ["  use a script file, or an argument list without a shell"])
    else:
        title = "To deliver it whole: escape where it is pasted in, or send"
        yield from _section(title, quoted_lines(armored, WIDTH))
    service = own.service if own is not None else ()
    if service:
        yield from _section("Its service, to be started first", [f"  {' '.join(_words(service))}"])
    yield "To see it without qfuzz"
    yield f"  {reproduction(one.transport, _smallest(one)).decode('utf-8')}"


def _words(command: Iterable[bytes]) -> Iterator[str]:
    return (printable_word(word).decode() for word in command)


def _smallest(one: Explained) -> bytes:
    return one.program if one.forms.reply is None else one.forms.reply.program


def reproduction(transport: Transport, program: bytes) -> bytes:
    """One printable shell line that shows what `transport` makes of `program`, with nothing of qfuzz in it."""
    delivery = transport.deliver(program)
    if len(transport.boundaries) > 1 and isinstance(delivery, Launch):
        return launch_as_program(delivery, printable_word)
    command = transport.boundaries[0].reproduction(program)
    if command is not None:
        return command
    assert isinstance(delivery, Launch), "what can't be launched shows itself"
    return launch_as_program(delivery, printable_word)
