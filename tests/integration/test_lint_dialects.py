"""Each rule about another shell has a witness: a program that it flags, and that really ends otherwise there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.lint.check import Linter
from qfuzz.model.delivery import Launch
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture, FixtureFile
from qfuzz.oracle.compare import differing_channels
from qfuzz.transports.loader import resolve

WITNESSES: dict[str, bytes] = {
    "sh/ansi-c-quotes": b"echo $'a'",
    "sh/locale-quotes": b'echo $"a"',
    "sh/double-bracket": b"[[ a = a ]] && echo a",
    "sh/process-substitution": b"cat <(echo a)",
    "sh/array": b"x=(a b); echo done",
    "sh/pattern-group": b"shopt -s extglob\necho @(kept.txt|a)",
    "sh/here-string": b"cat <<< a",
    "sh/redirect-both": b"echo a &> out",
    "sh/pipe-both": b"echo a |& cat",
    "sh/case-fall-through": b"case a in a) echo a ;& b) echo b; esac",
    "sh/reserved-word": b"function f { echo a; }; f",
    "sh/builtin": b"declare x=a; echo $x",
    "sh/append": b"x=a; x+=b; echo $x",
    "sh/parameter": b"x=abc; echo ${x/b/c} ${x:1}",
    "sh/arithmetic-command": b"((1)) && echo a",
    "sh/old-arithmetic": b"echo $[1 + 1]",
    "sh/arithmetic-operator": b"echo $((2 ** 3))",
    "sh/brace-expansion": b"echo {a,b}",
    "sh/variable": b"echo ${UID}",
    "sh/echo-option": b"echo -e a",
    "sh/echo-escape": b"echo 'a\\nb'",
    "sh/printf": b"printf '%q\\n' 'a b'",
    "sh/read-option": b"echo a b | { read -a x; echo ${x}; }",
    "sh/double-equals": b"[ a == a ] && echo a",
    "sh/set-option": b"set -o errtrace; echo a",
    "sh/trap-err": b"trap 'echo a' ERR; false; true",
    "stdin/reader": b"cat\necho a",
}
FIXTURE = Fixture((FixtureFile(b"kept.txt", b"kept\n"),))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def run(pool: Pool, stack: str, program: bytes) -> Observation:
    launch = resolve(stack).deliver(program)
    assert isinstance(launch, Launch)
    return machinery(pool, 10.0).run(launch, FIXTURE)


@pytest.mark.parametrize("rule_id", WITNESSES)
def test_a_witness_is_flagged_and_breaks(pool: Pool, rule_id: str) -> None:
    program = WITNESSES[rule_id]
    stack = rule_id.partition("/")[0]
    assert rule_id in {one.rule_id for one in Linter.over(resolve(stack)).findings(program)}
    direct = run(pool, "direct", program)
    assert direct.status.code == 0, direct.stderr.data
    assert differing_channels(direct, run(pool, stack, program))


@pytest.mark.parametrize(
    "program",
    [
        b"x=abc; echo ${x:-y} ${x%c} ${x#a} ${#x} ${x:+z} $((1 + 2 * 3)) `echo a`",
        b"case abc in a*|b) echo a;; *) echo b;; esac; f() { echo \"$1\"; }; f 'a  b'",
        b"if [ -f kept.txt ] && ! false; then cat < kept.txt | tr a-z A-Z >out 2>&1; fi",
        b'for i in 1 2; do printf \'%s\\n\' "$i"; done; while read -r l; do echo "$l"; done <<E\na\nE\n',
        b"set -eu; x=$(echo \"$(echo a)\"); echo \"$x\" '{a,b}' '[[ $UID' # [[ <<< $'a'",
    ],
)
def test_what_both_shells_know_is_not_flagged(pool: Pool, program: bytes) -> None:
    assert Linter.over(resolve("sh")).findings(program) == ()
    assert not differing_channels(run(pool, "direct", program), run(pool, "sh", program))
