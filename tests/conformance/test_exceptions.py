"""What a faithful transport does not keep is what it declares; beside it, shells that start alike do alike.

The grammar that fuzzing draws from asks for nothing of this, so it is spelled out here.
"""

from __future__ import annotations

import re

import pytest

from qfuzz.engine.machinery import context_of, machinery
from qfuzz.fuzz.transport.faithful import hold
from qfuzz.jail.pool import Pool
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Launch, Refusal
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.oracle.compare import differing_channels
from qfuzz.oracle.declared import declared_exceptions
from qfuzz.strategies.cases import Case
from qfuzz.transports.loader import load, resolve
from qfuzz.transports.script_file import ScriptFile
from tests.untapped import untapped

NAME, ENDED = (Declared.NAME,), (Declared.ENDED,)

TOLD = {
    b"cmd_not_there 2>&1": NAME,
    b"cmd_not_there 2> err.txt; true": NAME,
    b"exec 2>&1; cd nowhere\necho $((1/0))": NAME,
    b'echo "$0"': NAME,
    b"set -u; echo $nope": ENDED,
    b": ${x:?no}": ENDED,
    b"f() { echo ${a?bad}; }; f; echo not here": ENDED,
    b"set -o posix; readonly r=1; r=2; echo not here": ENDED,
    b"echo a; set -u; exec 2> err.txt; echo $nope": NAME + ENDED,
}
"""Programs that a script file makes another of, with the exceptions that it is told by."""

UNTOLD = {
    b"echo $-": r"`\$-`",
    b"f() { caller; }; f": "`caller`",
    b"f() { echo ${FUNCNAME[@]}; }; f": "`FUNCNAME`",
    b"echo ${#BASH_SOURCE[@]}": "BASH_SOURCE",
    b"env": "SHLVL",
    b"set -t\necho a\necho b": "`set -t`",
    b"-c": "dash or plus",
    b"echo /dev/fd/*": "descriptor 255",
    b"find /run -path '/run/qfuzz/in/*' 2>/dev/null | wc -l": "searches",
}
"""Programs of which nothing that was observed says why they differ, with the word of the declaration."""

ALIKE = (
    *(b"(: ${x:?no}); echo $?", b"set -u; (echo $x); echo $?", b"set -u; echo $(echo $x); echo $?"),
    *(b"bash -uc 'echo $x'; echo $?", b"echo $((1/0)); echo after", b"echo $((1/0))\necho after"),
    *(b"let 1/0; echo $?", b")", b"echo a\n)\necho b", b"echo 'a", b'echo "a', b"echo $(a", b"if true; then"),
    *(b"cat <<E\na", b"cat <<E\na\n", b"echo a; return", b"return 3", b"exit 3", b"exec nonexist"),
    *(b"exec nonexist; echo a", b"set -e; false; echo a", b"set -n\necho a", b"echo $LINENO\necho $LINENO"),
    *(b"echo $BASH_SUBSHELL $SHLVL", b'echo "$@" $#', b"echo $_", b"kill -TERM $$", b"kill -9 $$"),
    *(b"trap 'echo t' EXIT; kill -TERM $$", b"trap 'echo t' EXIT; exit 4", b"sh -c 'kill -9 $$'"),
    *(b"sh -c 'exit 300'", b"yes | head -1; echo ${PIPESTATUS[@]}", b"kill -INT $$; echo a"),
    *(b"shopt -s extglob; echo !(a)", b"shopt -s extglob\necho !(a)"),
    *(b"shopt -s expand_aliases; alias x='echo hi'\nx", b"readonly r=1; r=2; echo a"),
    *(b"readonly r=1; r=2\necho a", b"echo ${x@Z}; echo a", b"a=(1); echo ${a[-5]}\necho b"),
    *(b"source nonexist; echo $?", b"set -o posix; . nonexist; echo a", b"eval ')'; echo $?"),
    *(b"eval 'echo \"a'; echo $?", b"break; echo $?", b"shift 3; echo $?", b"wait 999999; echo $?"),
    *(b"fg; echo $?", b"history; echo $?", b"shopt; set -o", b"cat; echo $?", b"read x; echo $? $x"),
    *(b"exec < /dev/null; echo a\necho b", b"ulimit -n 20; echo a | cat", b"jobs"),
    *(b"#!/bin/sh\necho ${BASH_VERSION%%.*}", b"\xef\xbb\xbfecho a", b"\xff\xfeecho a", b"echo a\xff"),
    *(b"\x7fELecho", b"", b" ", b"\n", b"# a", b"MZ\necho a", b"\x1f\x8b\necho a"),
    *(b"find /run -name '*.sh' 2>/dev/null | wc -l",),
)


def run(pool: Pool, name: str, program: bytes) -> Observation:
    delivery = resolve(name).deliver(program)
    assert isinstance(delivery, Launch), (name, program, delivery)
    return machinery(pool, 20.0).run(delivery, Fixture())


@pytest.mark.parametrize("program", TOLD)
def test_an_exception_is_told_from_what_was_observed(pool: Pool, program: bytes) -> None:
    direct, over = run(pool, "direct", program), run(pool, "script-file", program)
    assert differing_channels(direct, over)
    assert declared_exceptions(resolve("script-file").exceptions, direct, over) == TOLD[program]
    assert declared_exceptions(resolve("json > script-file").exceptions, direct, over) == TOLD[program]
    assert declared_exceptions(resolve("quoted").exceptions, direct, over) == ()
    assert not differing_channels(direct, run(pool, "quoted", program))


@pytest.mark.parametrize("name", ["stdin", "ssh-stdin", "syntax-check"])
def test_so_it_is_for_others_that_read_the_text_from_a_file(pool: Pool, name: str) -> None:
    for program, declared in TOLD.items():
        direct, over = run(pool, "direct", program), run(pool, name, program)
        expected = declared if name == "syntax-check" else tuple(one for one in declared if one is Declared.ENDED)
        assert declared_exceptions(resolve(name).exceptions, direct, over) == expected, program


def test_what_is_more_than_an_exception_is_not_called_one(pool: Pool) -> None:
    every = resolve("script-file").exceptions
    seen = [run(pool, "direct", program) for program in (b"exit 127", b"echo a; exit 127")]
    other = [run(pool, "direct", program) for program in (b"exit 1", b"echo b; exit 1", b"exit 2", b"exit 127")]
    assert declared_exceptions(every, seen[0], other[0]) == ENDED
    assert declared_exceptions(every, seen[1], other[1]) == ()
    assert declared_exceptions(every, seen[0], other[2]) == ()
    assert declared_exceptions(every, seen[0], other[3]) == ()
    assert declared_exceptions(every, run(pool, "direct", b"nope 2>&1"), run(pool, "script-file", b"nape 2>&1")) == ()


def test_a_declared_exception_is_no_divergence_of_what_is_faithful(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [*TOLD, b"echo $-"]
    cases = [(index, Case(program, None, frozenset())) for index, program in enumerate(drawn)]
    monkeypatch.setattr("qfuzz.fuzz.transport.faithful.drawn_cases", lambda _: iter(cases))
    machines, context = untapped(machinery(pool, 20.0)), context_of(pool, 20.0)
    held = hold([resolve("script-file")], machines, context, seed=0, jobs=1, examples=len(drawn))
    assert [each.case.program for each in held.divergences] == [b"echo $-"]


@pytest.mark.parametrize("program", UNTOLD)
def test_what_can_not_be_told_is_declared_in_words(pool: Pool, program: bytes) -> None:
    assert differing_channels(run(pool, "direct", program), run(pool, "script-file", program))
    assert re.search(UNTOLD[program], " ".join((ScriptFile.__doc__ or "").split()))


@pytest.mark.parametrize("name", ["script-file", "base64-piped", "quoted"])
def test_all_else_is_alike(pool: Pool, name: str) -> None:
    different = []
    for program in ALIKE:
        if name == "base64-piped" and program == b"echo $_":
            continue
        found = differing_channels(run(pool, "direct", program), run(pool, name, program))
        if found:
            different.append((program, found))
    assert different == []


@pytest.mark.parametrize("name", ["script-file", "syntax-check"])
def test_what_bash_takes_for_a_program_is_refused(pool: Pool, name: str) -> None:
    program = b"\x7fELF\necho a"
    delivery = resolve(name).deliver(program)
    assert isinstance(delivery, Refusal)
    assert delivery.offset == 0
    armored = resolve(name).armor(program)
    assert armored is not None
    assert not differing_channels(run(pool, "direct", program), run(pool, name, armored))
    assert isinstance(resolve(name).deliver(b":\x7fELF\necho a"), Launch)


def test_only_a_transport_that_says_so_in_words_has_exceptions() -> None:
    for name, boundary in load().boundaries.items():
        if boundary.exceptions and not boundary.faithful:
            assert "status of an error that ends the shell" in boundary.owns, name
