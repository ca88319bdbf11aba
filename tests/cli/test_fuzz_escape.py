"""`qfuzz fuzz --escape`: output, exit status, errors."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.command import Said
from tests.cli.inside import Inside

FUNCTIONS = """
import shlex, os, time

def right(word):
    return shlex.quote(word)

def drops_newline(word):
    return shlex.quote(word).replace("\\n", "")

def picky(word):
    if word == "$":
        raise ValueError("no dollars")
    return shlex.quote(word)

def none(word):
    return None

def number(word):
    return b"x"

def chatty(word):
    print("debugging", word)
    return shlex.quote(word)

def forever(word):
    time.sleep(1000)

count = 0
def varies(word):
    global count
    count += 1
    return shlex.quote(word + str(count))

value = 5
"""


@dataclass(frozen=True)
class Here:
    """A folder with the functions in it, and calls of the command line there, in this process."""

    folder: Path
    inside: Inside

    def fuzz(self, *arguments: str) -> Said:
        return self.inside.call("fuzz", *arguments, "--seed", "1", "--jobs", "1")


@pytest.fixture
def here(inside: Inside, tmp_path: Path) -> Here:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    return Here(tmp_path, inside)


def test_nothing_found(here: Here) -> None:
    said = here.fuzz("--escape", "mine:right", "--examples", "28000")
    assert (said.status, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "seed 1"
    assert "  all words of up to 2 of 71 characters" in lines
    assert "  all words of 3 of 28 characters" in lines
    assert lines[-1] == "0 findings"
    assert not (here.folder / ".hypothesis").exists()


def test_a_finding_is_shown_and_its_command_finds_it_again(here: Here) -> None:
    said = here.fuzz("--escape", "mine:drops_newline", "--examples", "3000")
    assert said.status == 1
    again = "qfuzz fuzz --escape mine:drops_newline --shell bash --context argument --word $'\\n'"
    assert said.out.splitlines()[1:7] == [
        "",
        "mine:drops_newline fails in bash, argument",
        "  word      '\\n'",
        "  escaped   ''",
        "  read      ''",
        f"  again     {again}",
    ]
    words = [*shlex.split(again.replace("$'\\n'", "X"))[1:-1], "\n"]
    repeated = here.inside.call(*words)
    assert repeated.status == 1
    assert "  word      '\\n'" in repeated.out
    assert here.inside.call(*words[:-1], "a").status == 0


def test_what_was_found_comes_first_the_next_time_until_it_is_mended(here: Here) -> None:
    first = here.fuzz("--escape", "mine:drops_newline", "--examples", "3000")
    again = here.fuzz("--escape", "mine:drops_newline", "--examples", "1")
    assert (first.status, again.status) == (1, 1)
    assert "mine:drops_newline fails in bash, argument (known)" in again.out
    other = here.fuzz("--escape", "mine:drops_newline", "--shell", "dash", "--examples", "1")
    assert (other.status, "(known)" in other.out) == (0, False)
    (here.folder / "mine.py").write_text(FUNCTIONS.replace('.replace("\\n", "")', ""))
    mended = here.fuzz("--escape", "mine:drops_newline", "--examples", "1")
    assert mended.status == 0
    assert "'\\n' is read back in bash, argument, which it was not in an earlier run" in mended.out
    assert "read back" not in here.fuzz("--escape", "mine:drops_newline", "--examples", "1").out


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"x" * 200])
def test_a_store_that_is_none(here: Here, content: bytes) -> None:
    (here.folder / "bad.db").write_bytes(content)
    said = here.fuzz("--escape", "mine:right", "--examples", "10", "--db", "bad.db")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("qfuzz: bad.db")
    assert (here.folder / "bad.db").read_bytes() == content


def test_json(here: Here) -> None:
    arguments = ["--escape", "mine:drops_newline", "--shell", "bash", "--shell", "dash", "--examples", "3000", "--json"]
    said = here.fuzz(*arguments)
    started, *findings, ended = said.records()
    assert started == {"event": "started", "target": "mine:drops_newline", "seed": 1}
    assert [(record["shell"], record["word"], record["read"]) for record in findings] == [
        ("bash", "\n", [""]),
        ("dash", "\n", [""]),
    ]
    assert (ended["event"], ended["words"], ended["findings"]) == ("ended", 3000, 2)
    assert json.dumps(ended)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--escape", "nowhere:f"], "nowhere:f: can't be imported (ModuleNotFoundError: No module named 'nowhere')"),
        (["--escape", "mine:value"], "mine:value: is not callable but of type int"),
        (["--escape", "mine"], "mine: is not of the form pkg.module:function"),
        (["--escape", "mine:picky"], "mine:picky raises ValueError: no dollars for '$'; --on-error skip goes on"),
        (["--escape", "mine:none"], "mine:none returns NoneType instead of str for ''; --on-error skip goes on"),
        (["--escape", "mine:number"], "mine:number returns bytes instead of str for ''; --on-error skip goes on"),
        (["--escape", "mine:varies"], "mine:varies does not answer the same twice for ''; --on-error skip goes on"),
        (
            ["--escape", "mine:forever", "--timeout", "0.2"],
            "mine:forever does not answer in 0.2 s for ''; --on-error skip goes on",
        ),
        (["--escape", "mine:none", "--on-error", "skip"], "--escape: no word was escaped, so nothing was tried"),
        (["--escape", "mine:right", "--shell", "tcsh"], "--shell: there is no shell 'tcsh'"),
        (["--escape", "mine:right", "--context", "x"], "Invalid value for '--context'"),
        (["--escape", "mine:right", "--seconds", "nan"], "Invalid value for '--seconds'"),
        (["--escape", "mine:right", "--examples", "0"], "Invalid value for '--examples'"),
        (["--escape-command", "no-such"], "no-such: no such program, and no adapter"),
        ([], "give one of --transport, --escape, --escape-command"),
        (
            ["--escape", "mine:right", "--escape-command", "cat"],
            "give only one of --transport, --escape, --escape-command",
        ),
    ],
)
def test_bad_input_is_one_line(here: Here, arguments: list[str], error: str) -> None:
    examples = () if "--examples" in arguments else ("--examples", "2000")
    said = here.fuzz(*arguments, *examples)
    assert said.status == 2
    *_, last = said.err.splitlines()
    assert last.startswith(f"qfuzz: {error}")
    assert "Traceback" not in said.err


def test_what_is_not_escaped_is_skipped_and_counted(here: Here) -> None:
    said = here.fuzz("--escape", "mine:picky", "--on-error", "skip", "--examples", "2000")
    assert (said.status, said.err) == (0, "qfuzz: mine:picky raises ValueError: no dollars for '$'\n")
    assert "  not escaped (raises): 1" in said.out


def test_what_is_printed_is_said_once(here: Here) -> None:
    said = here.fuzz("--escape", "mine:chatty", "--examples", "2000")
    assert (said.status, said.err) == (0, "qfuzz: mine:chatty prints 'debugging' for ''\n")
    assert "  prints while it escapes; these words were tried too" in said.out
    assert "not escaped" not in said.out


def test_one_word_is_one(here: Here) -> None:
    assert "tried 1 word in " in here.fuzz("--escape", "mine:right", "--word", "a").out


def test_an_adapter(here: Here) -> None:
    said = here.fuzz("--escape-command", "npm:shell-quote-1.7.2", "--examples", "100")
    assert said.status == 1
    assert "npm:shell-quote-1.7.2 fails in bash, argument" in said.out
