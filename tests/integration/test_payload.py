"""Payloads bound and made small in replies of many manners, everything run in the jail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.payload import Measured, Runner, measure_one, shipped_replies
from qfuzz.engine.attempt import Machinery
from qfuzz.engine.machinery import machinery
from qfuzz.gen.public import load_public
from qfuzz.jail.pool import Pool
from qfuzz.model.reply import Reply
from qfuzz.model.verdict import Outcome
from qfuzz.shrink.payload import PayloadStatus, Unbound
from qfuzz.transports.loader import resolve

TASKS = {task.task_id: task for task in load_public()}
MINIMAL, NOT_INVOLVED = PayloadStatus.MINIMAL, PayloadStatus.NOT_INVOLVED


@pytest.fixture(scope="module")
def machine() -> Iterator[Machinery]:
    with Pool(1) as pool:
        yield machinery(pool, 10.0)


def measured(machine: Machinery, task_id: str, program: bytes, transport: str) -> Measured:
    found = measure_one(machine, TASKS[task_id], Reply(program, task_id), resolve(transport))
    assert found is not None, f"{program!r} is no breaker over {transport}"
    return found


PLANK = b'for f in plank-*; do mv -- "$f" "ochre-plank-${f#plank-}"; done'
PILOTAGE = b"printf '%s\\n' 'pilotage=$FEE' 'owner=`id -un`' $'\\ttotal: $((3 * 4))' > basin-pilotage.txt"

REPLIES = {
    "single": (
        "write-file/t2-lighthouse",
        b"""printf %s 'She said "run `uname -s` first", then paid $5 & left the lighthouse.' > fennel-lighthouse.txt""",
        "nested", MINIMAL, ("single",), b"""printf %s '"' > fennel-lighthouse.txt""",
    ),
    "a format that looks like a plain word": (
        "write-file/t0-meltwater",
        b"printf 'Meltwater gauge at 42 centimetres, rising' > raven-meltwater.txt",
        "single", MINIMAL, ("single", "printf-format"), b"printf ', ' > raven-meltwater.txt",
    ),
    "twice, and once by chance in a name": (
        "bulk-rename/t0-plank", PLANK, "nested", NOT_INVOLVED, ("unquoted",),
        b'for f in b*; do mv -- "$f" "ochre-plank-${f#b}"; done',
    ),
    "by chance in a file name": (
        "sed-replace/t0-gherkin", b"sed -i 's/gherkin/cornichon/g;' 'river-gherkin.conf' 2> \"/dev/null\"; echo \"$x\"",
        "json-naive", NOT_INVOLVED, ("single", "sed-bre"),
        b"sed -i 's/a/b/g;' 'river-gherkin.conf' 2> \"/dev/null\"; echo \"$x\"",
    ),
    "the stem of the task in the folder's name": (
        "hostile-filenames/t0-almanac", b"f=almanac.txt; mv -- \"$f\" indigo-almanac/", "nested", NOT_INVOLVED,
        ("unquoted",), b"f=b; mv -- \"$f\" indigo-almanac/",
    ),
    "high bytes by number": (
        "hostile-filenames/t3-sextant", b"mv -- $'# [a-c]{north,south};\\n\"sextant\" \\xc3\\xa9.txt' glacier-sextant/",
        "nested", MINIMAL, ("ansi-c",), b"mv -- $'\"\"' glacier-sextant/",
    ),
    "a line a word": (
        "heredoc-write/t1-pilotage", PILOTAGE, "nested", MINIMAL, ("single", "arguments"),
        b"printf '%s\\n' '``' > basin-pilotage.txt",
    ),
    "quotes for tabs only": (
        "heredoc-write/t1-pilotage", PILOTAGE, "sh", MINIMAL, ("single", "arguments"),
        b"printf '%s\\n' $'\\t' > basin-pilotage.txt",
    ),
    "a paragraph an option": (
        "git-commit/t2-mizzen",
        b"git commit -q --cleanup=verbatim -m '\"mizzen\" isn'\\''t 100% done!' -m '- drop \\$x, keep ~/y\n"
        b"# line, not a comment: #17'",
        "single", MINIMAL, ("single", "arguments"), None,
    ),
    "an escaped text in a here-document": (
        "heredoc-write/t1-pilotage",
        b"cat > basin-pilotage.txt <<EOF\npilotage=\\$FEE\nowner=\\`id -un\\`\n\ttotal: \\$((3 * 4))\nEOF\n",
        "nested", MINIMAL, ("heredoc-unquoted",), None,
    ),
    "a substituted here-document": (
        "git-commit/t1-spinnaker",
        b"git commit -q -m \"$(cat <<'EOF'\nUse $PATH, not `which spinnaker`, in the docs\nEOF\n)\"",
        "nested", MINIMAL, ("command-substitution", "heredoc-quoted"), None,
    ),
    "awk's own escapes": (
        "field-lookup/t2-thermos",
        rb"""awk -F'\t' -v k='D:\\new\\thermos;v=$total' '$2 == k {print $4}' juniper.tsv > umber-thermos.txt""",
        "single", MINIMAL, ("single", "awk-assignment"), None,
    ),
    "a string in an awk program": (
        "field-lookup/t1-flange",
        rb"""awk -F'\t' '$2 == "5\" flange {brass}" { print $4 }' jasper.tsv > sparrow-flange.txt""",
        "json-naive", NOT_INVOLVED, ("single", "awk-string"), None,
    ),
    "a shell in the shell": (
        "ssh-nested/t3-trawler",
        b"./onhost hazel9 \"printf %s '~/trawler/{a,b} #1 \\\\\\$5 \\`id -u\\` *' > ivory-trawler.txt\"",
        "nested", NOT_INVOLVED, ("double", "single"),
        b"./onhost hazel9 \"printf %s 'b' > ivory-trawler.txt\"",
    ),
    "JSON in ASCII": (
        "json-write/t3-umbrella",
        rb"""printf '%s\n' '{"service": "jasper", "level": 20, "message": "na\u00efve \u2602 umbrella """
        rb"""{\"a\": [1, \"b\\n\"]} \\u0041 $(id) `x`"}' > raven-umbrella.json""",
        "single", NOT_INVOLVED, ("single", "json-string"), None,
    ),
    "a name pattern": (
        "find-glob/t3-tare", rb"find linden -type f -name '*tare\\\[`0`\]$net!*' > jasper-tare.list", "nested",
        MINIMAL, ("single", "glob"), None,
    ),
    "a regular expression": (
        "grep-count/t1-sluice", rb"grep -c 'sluice\[7]: v1[.]2\*' velvet.log > violet-sluice.count", "single",
        MINIMAL, ("single", "grep-bre"), None,
    ),
    "an extended one": (
        "grep-count/t3-quayside",
        rb"""grep -Ec "can't open ~/quayside\\\\.d \(\\$\?\)" linden.log > ginger-quayside.count""",
        "json-naive", NOT_INVOLVED, ("double", "grep-ere"), None,
    ),
    "python": (
        "write-file/t3-sandpiper",
        b"python3 - <<'P'\nopen('aspen-sandpiper.txt', 'w')"
        b".write(\"  sandpiper:  two\\tover C:\\\\new\\\\table~1!  \\n\")\nP",
        "single", NOT_INVOLVED, ("heredoc-quoted", "python-string"), None,
    ),
    "echo -e, and a newline that it adds": (
        "write-file/t3-sandpiper", b"echo -e '  sandpiper:  two\\tover C:\\\\new\\\\table~1!  ' > aspen-sandpiper.txt",
        "nested", MINIMAL, ("single", "percent-b", "added-newline"), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPLIES)
def test_replies_of_many_manners(machine: Machinery, name: str) -> None:
    task_id, program, transport, status, stack, small = REPLIES[name]
    form = measured(machine, task_id, program, transport).form
    assert (form.status, form.stack) == (status, stack), form
    assert form.task is not None
    assert form.program is not None
    assert small in (None, form.program)
    assert form.role is not None
    assert form.task.payloads[form.role] == form.minimal
    # What is claimed, seen again by runs of its own.
    again = Runner(machine, resolve(transport))
    broken = again.transported(TASKS[task_id], program)
    assert again.passes_direct(form.task, form.program)
    assert again.transported(form.task, form.program) is broken is not Outcome.PASS


@pytest.mark.parametrize(
    ("task_id", "program", "transport", "reason"),
    [
        (
            "write-file/t0-meltwater",
            b"x=$(echo TWVsdHdhdGVyIGdhdWdlIGF0IDQyIGNlbnRpbWV0cmVzLCByaXNpbmc= | base64 -d)\n"
            b'printf %s "$x" > raven-meltwater.txt',
            "nested",
            Unbound.NOT_FOUND,
        ),
        (
            "hostile-filenames/t0-almanac",
            b"python3 -c \"import os; n=''.join(map(chr,[97,108,109,97,110,97,99,46,116,120,116])); "
            b"os.rename(n, 'indigo-almanac/'+n)\"",
            "nested",
            Unbound.NOT_FOUND,
        ),
        (
            # Right only because the payload is the beginning of the new name too.
            "bulk-rename/t0-plank",
            b'for f in plank-*; do mv -- "$f" "ochre-$f"; done',
            "nested",
            Unbound.PROBES_FAIL,
        ),
        (
            # Eleven is the length of the payload.
            "hostile-filenames/t0-almanac",
            b'f=almanac.txt; mv -- "${f:0:11}" indigo-almanac/',
            "nested",
            Unbound.PROBES_FAIL,
        ),
    ],
)
def test_payloads_that_cannot_be_put_in(
    machine: Machinery, task_id: str, program: bytes, transport: str, reason: Unbound
) -> None:
    assert measured(machine, task_id, program, transport).form.reason is reason


def test_the_shipped_raw_replies_over_nested(machine: Machinery) -> None:
    """The bars of `python -m bench.payload`, on the part that is quickest to run."""
    replies = [reply for reply in shipped_replies() if (reply.contract, reply.trial) == ("raw", 0)]
    nested = resolve("nested")
    found = [measure_one(machine, TASKS[reply.task_id or ""], reply, nested) for reply in replies]
    breakers = [each for each in found if each is not None]
    assert len(breakers) >= 30
    assert sum(each.bound for each in breakers) >= 0.95 * len(breakers)
    costs = sorted(each.executions for each in breakers)
    assert costs[len(costs) // 2] <= 10
    assert costs[-1] <= 25
