"""Transcripts are read as their convention says, and a wrong one is found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import Step, matches, read_steps, run_step

DOCUMENT = """# Title

```console
$ printf '%s\\n' one two
one
two
$ cat <<'E'
> text
> E
text
$ false
[1]
```

```console not-run: takes a week
$ make everything
```

```python
$ no transcript
```
"""


def test_steps_are_read():
    assert read_steps(DOCUMENT) == [
        Step("printf '%s\\n' one two", ("one", "two"), 0, 4),
        Step("cat <<'E'\ntext\nE", ("text",), 0, 7),
        Step("false", (), 1, 11),
    ]


def test_right_steps_pass(tmp_path):
    assert [run_step(step, tmp_path, Path(sys.executable).parent) for step in read_steps(DOCUMENT)] == ["", "", ""]


def test_steps_share_a_folder(tmp_path):
    write, read = read_steps("```console\n$ echo x > file\n```\n\n```console\n$ cat file\nx\n```\n")
    assert run_step(write, tmp_path, Path("/bin")) == ""
    assert run_step(read, tmp_path, Path("/bin")) == ""


@pytest.mark.parametrize(
    ("transcript", "complaint"),
    [
        ("$ echo one\ntwo", "it printed something else:\none\n"),
        ("$ echo one", "it printed something else"),
        ("$ true\none", "it printed something else"),
        ("$ echo one >&2\n", "it printed something else:\none\n"),
        ("$ false", "exit status 1, not 0"),
        ("$ true\n[1]", "exit status 0, not 1"),
        ("$ exit 2\n[1]", "exit status 2, not 1"),
        ("$ nosuchprogram\n...", "exit status 127, not 0"),
    ],
)
def test_wrong_steps_are_found(tmp_path, transcript, complaint):
    (step,) = read_steps(f"```console\n{transcript}\n```\n")
    assert complaint in run_step(step, tmp_path, Path("/bin"))


@pytest.mark.parametrize(
    "block", ["```console\noutput first\n```", "```console not-run\n$ x\n```", "```console x\n$ x\n```"]
)
def test_a_block_that_is_no_transcript(block):
    with pytest.raises(ValueError, match=r"^line \d: "):
        read_steps(block)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (("a ... c",), "a b c\n"),
        (("a...",), "a\n"),
        (("...",), ""),
        (("...", "z"), "x\ny\nz\n"),
        (("x", "...", "z"), "x\nz\n"),
        (("x  ",), "x\n"),
        (("x",), "x  \n"),
        (("x",), "x"),
        (("[a.b]*",), "[a.b]*\n"),
    ],
)
def test_output_that_matches(expected, printed):
    assert matches(expected, printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (("a ... c",), "a b\n c\n"),
        (("...", "z"), "x\ny\n"),
        (("[a.b]*",), "[axb]*\n"),
        ((), "x\n"),
        (("x",), "xx\n"),
        (("x",), "x\nx\n"),
    ],
)
def test_output_that_does_not_match(expected, printed):
    assert not matches(expected, printed)
