"""What a reducer never proposes."""

from __future__ import annotations

import pytest

from qfuzz.shrink.guard import Guard


@pytest.mark.parametrize(
    ("original", "invented"),
    [
        (b"./record-env x", b"env x"),
        (b"./record-env x", b"./record-en x"),
        (b"a; b", b"ab"),
        (b"x='a b' c", b"b' c"),
        (b"printf 'a b'", b"'a b'"),
        (b"echo a; echo b", b"echo a; b"),
        (b"cat <<E\nrm x\nE", b"cat\nrm x\nE"),
        (b"xargs printf x", b"xargs print x"),
        (b"a && b", b"a & b"),
        (b"a || b", b"a | b"),
        (b"a |& b", b"a & b"),
        (b"echo 'a & b' & echo", b"echo a & b & echo"),
        (b"echo 'x > y' > z", b"echo x > y > z"),
        (b"echo 'run `uname -s` first'", b"echo '`name -s`'"),
        (b"echo 'run `uname -s` first'", b"echo '`s` first'"),
        (b"echo '$(id -u)'", b"echo '$(d -u)'"),
        (b"echo '$((1 + 2))'", b"echo '$(1 + 2)'"),
        (b"cat ab > ac", b"cat a > a"),
        (b"cat < ab > ac", b"cat < a > a"),
        (b"echo '$x$y'", b"echo '$$y'"),
        (b"echo '$xRANDOM'", b"echo '$RANDOM'"),
        (b"echo '${xPPID}'", b"echo '${PPID}'"),
        (b"echo 'a'", b"echo 'a"),
        (b"echo `a`", b"echo `a"),
        (b"if a; then b; fi", b"if a; then b;"),
        (b"a > b", b"a >"),
        (b"a; b", b"; b"),
    ],
)
def test_refused(original: bytes, invented: bytes) -> None:
    assert Guard(original).admits(original)
    assert not Guard(original).admits(invented)


@pytest.mark.parametrize(
    ("original", "smaller"),
    [
        (b"./record-env x", b"./record-env"),
        (b"a; b && c", b"c"),
        (b"x=1 a", b"a"),
        (b"'a' b", b"a b"),
        (b"echo 'run `uname -s` first'", b"echo '``'"),
        (b"echo 'run `uname -s` first'", b"echo '` first'"),
        (b"echo '$(id -u)'", b"echo '$()'"),
        (b"cat ab > ac", b"cat a > c"),
        (b"cat a > a", b"cat a>a"),
        (b"echo $$ $RANDOM", b"echo $$"),
        (b"echo '$SECONDSx'", b"echo '$SECONDx'"),
        (b"a | b > c", b"a | b"),
        (b"a > b", b""),
        (b"echo 'a", b"echo '"),
        (b"cat <<E\nx\nE", b"cat <<E\n"),
    ],
)
def test_admitted(original: bytes, smaller: bytes) -> None:
    assert Guard(original).admits(smaller)
