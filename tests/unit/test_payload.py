"""The search for payloads, with answers made up: what is asked, in which order, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import pytest

from qfuzz.gen.loader import families
from qfuzz.model.task import Task
from qfuzz.shrink.payload import MAX_BINDINGS, MAX_SEARCHED, PayloadForm, PayloadStatus, Unbound, payload_form
from qfuzz.shrink.payload_binding import Bound, bindings
from qfuzz.shrink.payload_probes import hostile_texts, order
from qfuzz.shrink.repair import OutOfTrials
from qfuzz.shrink.stacks.find import occurrences

Runs = Callable[[Task, bytes], bool]


def build(family: str, **payloads: bytes) -> Task:
    return families()[family].build(payloads, 1, "stem")


def rebuilder(task: Task) -> Callable[[Mapping[str, bytes]], Task | None]:
    def rebuild(payloads: Mapping[str, bytes]) -> Task | None:
        try:
            return families()[task.family].build(payloads, task.tier, "stem")
        except ValueError:
            return None

    return rebuild


class Asked:
    """Remembers the payloads that were asked about; every one passes directly."""

    def __init__(self, task: Task, fails: Callable[[Mapping[str, bytes]], bool]) -> None:
        self.task = task
        self._fails = fails
        self.direct: list[Mapping[str, bytes]] = []
        self.broken: list[Mapping[str, bytes]] = []

    def passes_direct(self, task: Task, program: bytes) -> bool:  # noqa: ARG002
        self.direct.append(task.payloads)
        return True

    def breaks(self, task: Task, program: bytes) -> bool:  # noqa: ARG002
        self.broken.append(task.payloads)
        return self._fails(task.payloads)

    def form(self, program: bytes) -> PayloadForm:
        return payload_form(self.task, program, rebuilder(self.task), self.passes_direct, self.breaks)


def of_content(pattern: bytes) -> Callable[[Mapping[str, bytes]], bool]:
    return lambda payloads: re.search(pattern, payloads["content"], re.DOTALL) is not None


CONTENT = b'He said "pay $5 & go" to `us`'
PROGRAM = b"printf %s '" + CONTENT + b"' > f.txt"


@pytest.mark.parametrize(
    ("pattern", "minimal"),
    [
        (rb'"', b'"'),
        (rb"`", b"`"),
        (rb"\$[0-9A-Za-z]", b"$a"),
        (rb"\$[0-9]", b"$0"),
        (rb'".*"', b'""'),
        (rb"&", b"&"),
        (rb" ", b" "),
    ],
)
def test_smallest(pattern: bytes, minimal: bytes) -> None:
    asked = Asked(build("write-file", content=CONTENT), of_content(pattern))
    form = asked.form(PROGRAM)
    assert (form.status, form.role, form.stack, form.minimal) == (
        PayloadStatus.MINIMAL,
        "content",
        ("single",),
        minimal,
    )
    assert form.program == b"printf %s '" + minimal + b"' > f.txt"
    assert form.task is not None
    assert form.task.payloads == {"content": minimal}
    assert len(asked.broken) <= MAX_SEARCHED + 1
    tried = [each["content"] for each in asked.broken]
    assert tried[0] == b"a"
    assert minimal == CONTENT or minimal in tried


def test_what_no_small_payload_shows_is_left_of_the_original() -> None:
    asked = Asked(build("write-file", content=CONTENT), of_content(rb"pay.*us"))
    form = asked.form(PROGRAM)
    assert form.status is PayloadStatus.MINIMAL
    assert form.minimal is not None
    assert re.search(rb"pay.*us", form.minimal)
    assert len(form.minimal) < len(CONTENT)
    assert len(asked.broken) == MAX_SEARCHED + 1


def test_a_plain_payload_that_breaks_ends_the_search() -> None:
    asked = Asked(build("write-file", content=CONTENT), lambda _: True)
    form = asked.form(PROGRAM)
    assert (form.status, form.minimal, form.program) == (
        PayloadStatus.NOT_INVOLVED,
        b"a",
        b"printf %s 'a' > f.txt",
    )
    assert (len(asked.direct), len(asked.broken)) == (2, 1)


def test_nothing_smaller_breaks() -> None:
    task = build("write-file", content=CONTENT)
    form = Asked(task, of_content(re.escape(CONTENT))).form(PROGRAM)
    assert (form.status, form.minimal, form.program, form.task) == (
        PayloadStatus.MINIMAL,
        CONTENT,
        PROGRAM,
        task,
    )


def test_the_other_role_stays_plain() -> None:
    task = build("sed-replace", old=b"a.b", new=b"c&d$")
    form = Asked(task, lambda payloads: b"$" in payloads["new"]).form(rb"sed -i 's|a\.b|c\&d$|' f.conf")
    assert (form.role, form.stack, form.minimal) == ("new", ("single", "sed-replacement"), b"$")
    assert form.task is not None
    assert form.task.payloads["old"].isalnum()


def test_a_newline_that_the_family_wants_stays() -> None:
    task = build("heredoc-write", body=b"a $b\nc\n")
    form = Asked(task, lambda payloads: b"$a" in payloads["body"]).form(b"cat > f <<'E'\na $b\nc\nE\n")
    assert (form.minimal, form.program) == (b"$a\n", b"cat > f <<'E'\n$a\nE\n")


def not_bound(task: Task, program: bytes, passes_direct: Runs, breaks: Runs) -> Unbound | None:
    form = payload_form(task, program, rebuilder(task), passes_direct, breaks)
    assert form.status is PayloadStatus.NOT_BOUND
    assert form == PayloadForm(PayloadStatus.NOT_BOUND, reason=form.reason)
    return form.reason


def never(task: Task, program: bytes) -> bool:
    raise AssertionError(f"asked about {task.payloads} in {program!r}")


def test_reasons_that_need_no_run() -> None:
    assert not_bound(build("write-file", content=b""), b":", never, never) is Unbound.NO_PAYLOAD
    hidden = b"printf %s 'd2hpc3Blcg==' | base64 -d > f"
    assert not_bound(build("write-file", content=b"whisper"), hidden, never, never) is Unbound.NOT_FOUND
    everywhere = b"echo x\n" * 100
    assert not_bound(build("write-file", content=b"x"), everywhere, never, never) is Unbound.TOO_MANY_PLACES
    form = payload_form(build("write-file", content=b"x"), b"echo x", lambda _: None, never, never)
    assert form.reason is Unbound.NOT_REBUILT


def test_probes_that_fail() -> None:
    asked: list[bytes] = []

    def fails_direct(task: Task, program: bytes) -> bool:  # noqa: ARG001
        asked.append(program)
        return False

    program = b"sed -n 's/whisper/whisper/p' whisper"
    assert not_bound(build("write-file", content=b"whisper"), program, fails_direct, never) is Unbound.PROBES_FAIL
    assert len(asked) == len(set(asked)) == MAX_BINDINGS


def test_a_role_that_is_not_found() -> None:
    task = build("sed-replace", old=b"a.b", new=b"$c")
    program = rb"""sed -i "s/a\.b/$(printf '\44%s' c)/" f"""
    assert not_bound(task, program, lambda *_: True, lambda *_: True) is Unbound.PARTLY_BOUND
    form = payload_form(task, program, rebuilder(task), lambda *_: True, lambda task, _: b"." in task.payloads["old"])
    assert (form.role, form.minimal) == ("old", b".")
    assert form.task is not None
    assert form.task.payloads["new"] == b"$c"


@pytest.mark.parametrize("budget", range(12))
def test_an_ended_budget_leaves_the_best_so_far(budget: int) -> None:
    left = budget

    def spend(answer: bool) -> bool:
        nonlocal left
        if not left:
            raise OutOfTrials
        left -= 1
        return answer

    task = build("write-file", content=CONTENT)
    fails = of_content(rb"\$[0-9A-Za-z]")
    form = payload_form(
        task, PROGRAM, rebuilder(task), lambda *_: spend(True), lambda each, _: spend(fails(each.payloads))
    )
    if budget < 3:
        assert form.reason is Unbound.OUT_OF_TRIALS
    else:
        assert form.status is PayloadStatus.MINIMAL
        assert form.minimal in (b"$a", CONTENT)
        assert (form.minimal == CONTENT) == (budget < 10)


def test_names_that_hold_the_payload_are_left_alone_first() -> None:
    program = b"mv -- almanac.txt indigo-almanac.txt.d/; cp almanac.txt b"
    found = [Bound("name", each) for each in occurrences(program, b"almanac.txt") or ()]
    first = next(bindings(program, {"name": b"almanac.txt"}, found, {b"indigo-almanac.txt.d"}))
    assert first.insert({"name": b"x y"}) == rb"mv -- x\ y indigo-almanac.txt.d/; cp x\ y b"
    assert first.insert({"name": b"almanac.txt"}) == program


def test_all_choices_come_once_and_no_two_places_overlap() -> None:
    program = b"sed 's/ab/ab/' ab"
    found = [Bound("text", each) for each in occurrences(program, b"ab") or ()]
    every = list(bindings(program, {"text": b"ab"}, found, set()))
    assert len({binding.places for binding in every}) == len(every) > 10
    for binding in every:
        ends = [0, *(bound.occurrence.end for bound in binding.places)]
        assert all(end <= bound.occurrence.start for end, bound in zip(ends, binding.places, strict=False))


def test_hostile_texts_shrink_to_what_an_operation_carries() -> None:
    texts = list(hostile_texts("h"))
    assert all(text.startswith(b"h ") for text in texts)
    assert b"\n" not in texts[-2]
    assert b"/" not in texts[-2]
    assert all(
        mark in texts[0] for mark in (b"'", b'"', b"`", b"$", b"\\", b"%", b"&", b"\t", b"\n", b"/", "é".encode())
    )


def test_order_is_total_and_plain_comes_first() -> None:
    texts = ["a", "b", "0", '"', "`", "$", "\\", "'", " ", "&", "\n", "é", "aa", '""']
    assert sorted(texts, key=order) == texts


def test_three_characters() -> None:
    task = build("find-glob", part=b"quire[ab]")
    form = Asked(task, lambda payloads: re.search(rb"\[.+\]", payloads["part"]) is not None).form(
        rb"find . -name '*quire\[ab\]*' > list"
    )
    assert form.stack == ("single", "glob")
    assert form.minimal is not None
    assert re.fullmatch(rb"\[[a-z]\]", form.minimal)


def test_the_original_keeps_a_spelling_that_nobody_would_choose() -> None:
    program = b"printf %s \"it\"' is'"
    found = [Bound("text", each) for each in occurrences(program, b"it is") or ()]
    assert not any(bound.occurrence.exact for bound in found)
    first = next(bindings(program, {"text": b"it is"}, found, set()))
    assert first.insert({"text": b"it is"}) == program
    assert first.insert({"text": b"it was"}) == b"printf %s \"\"'it was'"
