"""`qfuzz.toml`: what is read, and what each error says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from qfuzz.model.delivery import Launch, Refusal
from qfuzz.model.errors import HostError, InputError
from qfuzz.own import config
from qfuzz.own.black_box import BlackBox
from qfuzz.own.config import read_config
from qfuzz.own.placeholders import Pattern
from qfuzz.own.specs import BoxSpec, TemplateSpec
from qfuzz.own.template import Template
from qfuzz.own.toml_lines import key_lines, line_of
from qfuzz.transports.loader import resolve


def read(tmp_path: Path, text: str) -> list[TemplateSpec | BoxSpec]:
    file = tmp_path / "qfuzz.toml"
    file.write_text(text)
    return list(read_config(file, ("nested", "double-nested")))


def box(tmp_path: Path, text: str) -> BlackBox:
    (spec,) = read(tmp_path, f"[transports.box]\n{text}\n")
    assert isinstance(spec, BoxSpec)
    return BlackBox(spec)


ERRORS = {
    "unknown key": (
        '[transports.x]\ntemplate = "{}"\nescpae = "a:b"',
        3,
        "escpae: unknown key, expected one of template",
    ),
    "misspelt template": (
        "[transports.mine]\nsummary = 'y'\ntemplat = 'x {}'",
        3,
        "transports.mine.templat: unknown key, expected one of template, ",
    ),
    "unknown top": ('title = "x"', 1, "title: unknown key, expected [transports.NAME]"),
    "not a table": ("[transports]\nx = 3", 2, "transports.x: expected a table"),
    "transports no table": ("transports = 3", 1, "transports: expected tables"),
    "name": ('[transports."a > b"]\ntemplate = "{}"', 1, "expected a name of letters"),
    "name of ours": ('\n[transports.nested]\ntemplate = "{}"', 2, "qfuzz has a transport of this name"),
    "alias of ours": ('[transports.double-nested]\ntemplate = "{}"', 1, "qfuzz has a transport of this name"),
    "neither": ("[transports.x]\nsummary = 'y'", 1, "'template' and 'exec', not neither"),
    "both": ("[transports.x]\ntemplate = '{}'\nexec = ['a']", 1, "'template' and 'exec', not both"),
    "no place": ("[transports.x]\ntemplate = 'bash -c'", 2, "template: expected one place {} for the reply, not none"),
    "two places": ("[transports.x]\ntemplate = '{} {}'", 2, "expected one place {} for the reply, not 2; write {{}}"),
    "template number": ("[transports.x]\ntemplate = 3", 2, "template: expected a string, not an integer"),
    "escape": ("[transports.x]\ntemplate = '{}'\nescape = 'quote'", 3, "expected MODULE:FUNCTION"),
    "escape list": ("[transports.x]\ntemplate = '{}'\nescape = ['a:b']", 3, "expected a string, not a list"),
    "exec string": ("[transports.x]\nexec = 'a {reply}'", 2, "exec: expected a list of strings, not a string"),
    "exec numbers": ("[transports.x]\nexec = ['a', 3]", 2, "exec: expected a list of strings, not an integer"),
    "exec empty": ("[transports.x]\nexec = []", 2, "expected a program and its arguments"),
    "exec no reply": ("[transports.x]\nexec = ['a']", 2, "expected one way to hand over the reply"),
    "exec two ways": ("[transports.x]\nexec = ['a', '{reply}']\nstdin = true", 2, "not 2"),
    "stdin": ("[transports.x]\nexec = ['a']\nstdin = 'yes'", 3, "stdin: expected true or false, not a string"),
    "nul": ('[transports.x]\nexec = ["a\\u0000", "{reply}"]', 2, "no NUL in it"),
    "timeout": (
        "[transports.x]\nexec = ['a', '{reply}']\ntimeout = '3'",
        3,
        "expected a number of seconds, not a string",
    ),
    "timeout 0": ("[transports.x]\nexec = ['a', '{reply}']\ntimeout = 0", 3, "expected more than 0 and at most 3600"),
    "timeout nan": ("[transports.x]\nexec = ['a', '{reply}']\ntimeout = nan", 3, "expected more than 0"),
    "timeout true": ("[transports.x]\nexec = ['a', '{reply}']\ntimeout = true", 3, "not true or false"),
    "env": (
        "[transports.x]\nexec = ['a', '{reply}']\nenv = {A = 3}",
        3,
        "env: expected a table of strings, not an integer",
    ),
    "env name": ("[transports.x]\nexec = ['a', '{reply}']\nenv = {'A=B' = 'x'}", 3, "expected the name of a variable"),
    "env table": (
        "[transports.x]\nexec = ['a', '{reply}']\n[transports.x.env]\n\nA = 3",
        3,
        "expected a table of strings",
    ),
    "service": (
        "[transports.x]\nexec = ['a', '{reply}']\nservice = ['s']",
        3,
        "service: expected the key 'ready' beside it",
    ),
    "ready": (
        "[transports.x]\nexec = ['a', '{reply}']\nready = ['s']",
        3,
        "ready: expected the key 'service' beside it",
    ),
    "ready seconds": (
        "[transports.x]\nexec = ['a', '{reply}']\nready_seconds = 3",
        3,
        "'service' and 'ready' beside it",
    ),
    "rejects": ("[transports.x]\nexec = ['a', '{reply}']\nrejects = [300]", 3, "expected exit statuses from 0 to 255"),
    "rejects true": (
        "[transports.x]\nexec = ['a', '{reply}']\nrejects = [true]",
        3,
        "expected exit statuses from 0 to 255",
    ),
    "shell": ("[transports.x]\nexec = ['a', '{reply}']\nshell = 'fish'", 3, "expected 'bash' or 'sh', not 'fish'"),
    "box key": (
        "[transports.x]\nexec = ['a', '{reply}']\nescape = 'a:b'",
        3,
        "escape: unknown key, expected one of exec",
    ),
    "no toml": ("[transports.x]\ntemplate = bash", 2, "is no TOML: Invalid value, at column 12"),
    "no end": ("[transports.x", 1, "is no TOML: Expected ']'"),
    "twice": ("[transports.x]\ntemplate='{}'\ntemplate='{}'", 3, "is no TOML: Cannot overwrite a value"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_names_file_line_key_and_what_was_expected(tmp_path: Path, name: str) -> None:
    tmp_path.chmod(0o755)
    text, line, what = ERRORS[name]
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    error = caught.value
    assert what in str(error)
    assert "\n" not in str(error)
    assert error.where.removesuffix(f":{line}") == str(tmp_path / "qfuzz.toml"), error.where


LACKING = {
    "show": (
        "[transports.x]\nexec = ['cat', '{reply}']\nshow = ['/no/such']",
        3,
        "show: /no/such can't be shown to a jail (No such",
    ),
    "show root": (
        "[transports.x]\nexec = ['cat', '{reply}']\nshow = ['.', '/']",
        3,
        "show: / would hide a part of the jail",
    ),
    "python": ("[transports.x]\nexec = ['cat', '{reply}']\npython = '/usr'", 3, "expected a virtual environment"),
    "depends": (
        "[transports.x]\nexec = ['cat', '{reply}']\ndepends = ['no-such']",
        3,
        "expected files that can be read",
    ),
    "program": (
        "[transports.x]\nexec = ['no-such', '{reply}']",
        2,
        "exec: the program no-such is not in /usr/bin:/bin",
    ),
    "program here": (
        "[transports.x]\nexec = ['{here}/agent', '{reply}']",
        2,
        "/agent is not there, or may not be executed",
    ),
    "service": (
        "[transports.x]\nexec = ['cat', '{reply}']\nservice = ['no-such']\nready = ['true']",
        3,
        "service: the program no-such is not in /usr/bin:/bin",
    ),
}


@pytest.mark.parametrize("name", LACKING)
def test_what_is_not_there_keeps_one_transport_from_being_used(tmp_path: Path, name: str) -> None:
    tmp_path.chmod(0o755)
    text, line, what = LACKING[name]
    lacking, whole = read(tmp_path, f"{text}\n[transports.y]\nexec = ['bash', '{{reply_file}}']\n")
    assert isinstance(whole, BoxSpec)
    BlackBox(whole).require()
    assert isinstance(lacking, BoxSpec)
    with pytest.raises(HostError) as caught:
        BlackBox(lacking).require()
    assert what in str(caught.value)
    assert caught.value.where == f"{tmp_path / 'qfuzz.toml'}:{line}"
    with pytest.raises(InputError, match="summary: expected a string"):
        read(tmp_path, f"{text}\nsummary = 3\n")


@pytest.mark.parametrize(
    "text",
    [
        "exec = ['no-such', '{reply}']\nenv = {PATH = '/opt/agent/bin:/usr/bin'}",
        "exec = ['./no-such', '{reply}']",
        "exec = ['{reply}']",
    ],
)
def test_a_program_that_may_be_elsewhere_is_left_to_the_test_of_the_path(tmp_path: Path, text: str) -> None:
    box(tmp_path, text).require()


def test_readers_are_not_shown_the_place_of_the_folder(tmp_path: Path) -> None:
    made = box(tmp_path, "exec = ['python', '{here}/agent.py', '--all={{here}}', '{reply_file}']")
    assert made.summary == "python ./agent.py --all={here} {reply_file}"
    assert made.disclosure() == f"R is run by the program `{made.summary}`."


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_config(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(InputError, match="not UTF-8 at byte 5"):
        read_config(tmp_path / "latin.toml")


def test_the_lines_of_keys_are_found_in_every_way_of_writing_them() -> None:
    text = 'a.b = 1\n"c d" = """\nx = 1\n"""\n[ t . "u" ]\nk = {z = 1}\n  e\t= [\n "f = 2",\n]\n[[t.u.v]]\nw = 1\n'
    lines = key_lines(text)
    assert lines[("a",)] == lines[("a", "b")] == 1
    assert lines[("c d",)] == 2
    assert ("x",) not in lines
    assert (lines[("t", "u")], lines[("t", "u", "k")], lines[("t", "u", "e")]) == (5, 6, 7)
    assert ("t", "u", "f = 2") not in lines
    assert lines[("t", "u", "v", "w")] == 11
    assert line_of(lines, ("t", "u", "k", "z")) == 6
    assert line_of(lines, ("nowhere",)) == 1


def test_a_template_puts_the_reply_where_it_belongs(tmp_path: Path) -> None:
    (spec,) = read(tmp_path, "[transports.t]\ntemplate = 'echo {{}} ${x} {a,b}; bash -c \"{}\" # {{reply}}'")
    assert isinstance(spec, TemplateSpec)
    template = Template(spec, None)
    assert template.embed(b"a{}b\n") == b'echo {} ${x} {a,b}; bash -c "a{}b\n" # {{reply}}'
    assert template.embed(b"a\0") == Refusal("t", 1, "a command line can't hold a NUL")


@pytest.mark.parametrize(
    ("line", "like"),
    [
        ('env bash -c "{}"', "nested"),
        ("bash -c '{}'", "single"),
        ("bash -c {}", None),
        ('bash -c "cd . && {}"', None),
        ("bash -c '\"{}\"'", None),
        ('cat <<< "{}" | bash', "nested"),
    ],
)
def test_the_rules_of_quotes_around_the_reply_are_known(tmp_path: Path, line: str, like: str | None) -> None:
    (spec,) = read(tmp_path, f"[transports.t]\ntemplate = {json.dumps(line)}")
    assert isinstance(spec, TemplateSpec)
    template = Template(spec, None)
    reply = b"echo '$5' \"`x`\" \\a $"
    if like is None:
        assert (template.rules, template.armor(reply)) == ({}, None)
        return
    ours = resolve(like).boundaries[0]
    assert template.rules == ours.rules
    assert template.armor(reply) == ours.armor(reply)
    assert [template.inert(reply, offset) for offset in range(len(reply)) if reply[offset] in ours.rules] == [
        ours.inert(reply, offset) for offset in range(len(reply)) if reply[offset] in ours.rules
    ]


@pytest.mark.parametrize(
    ("text", "filled"),
    [("{reply}", b"R"), ("{{reply}}", b"{reply}"), ("a{reply}b", b"aRb"), ("{other}{", b"{other}{"), ("", b"")],
)
def test_doubled_braces_stand_for_themselves(text: str, filled: bytes) -> None:
    assert Pattern.of(text, ("reply",)).fill({"reply": b"R"}) == filled


def test_a_box_gets_the_reply_in_the_way_that_it_asked_for(tmp_path: Path) -> None:
    reply = b"echo '\xff'\n"
    by_argument = box(tmp_path, "exec = ['a', '--run={reply}', '{here}/b']").embed(reply)
    assert isinstance(by_argument, Launch)
    assert by_argument.argv == (b"env", b"a", b"--run=" + reply, str(tmp_path).encode() + b"/b")
    by_file = box(tmp_path, "exec = ['a', '{reply_file}']\nenv = {B = '{here}', C = ''}").embed(reply)
    assert isinstance(by_file, Launch)
    (file,) = by_file.files
    assert by_file.argv == (b"env", b"B=" + str(tmp_path).encode(), b"C=", b"a", file.path)
    assert file.content == reply
    by_stdin = box(tmp_path, "exec = ['a']\nstdin = true").embed(reply)
    assert isinstance(by_stdin, Launch)
    assert (by_stdin.stdin, by_stdin.files) == (reply, ())
    assert all(launch.own is not None and launch.own.box for launch in (by_argument, by_file, by_stdin))


def test_what_no_argument_can_hold_is_refused_at_its_offset(tmp_path: Path) -> None:
    argument = box(tmp_path, "exec = ['a', '--run={reply}']")
    assert argument.embed(b"x" * 131_071) == Refusal("box", 131_065, "an argument can't be longer than 131071 bytes")
    assert isinstance(argument.embed(b"x" * 131_065), Launch)
    assert isinstance(box(tmp_path, "exec = ['a', '{reply_file}']").embed(b"x" * 400_000), Launch)
    assert argument.embed(b"a\0") == Refusal("box", 1, "no shell program holds a NUL")


def test_an_environment_gives_its_programs_and_is_shown(tmp_path: Path) -> None:
    prefix = Path(sys.prefix)
    if prefix == Path(sys.base_prefix):
        pytest.skip("this Python runs in no virtual environment")
    made = box(tmp_path, f"exec = ['python', '-c', '{{reply}}']\npython = '{prefix}'")
    launch = made.embed(b"x")
    assert isinstance(launch, Launch)
    assert launch.argv[1] == str(prefix / "bin" / "python").encode()
    assert made.own is not None
    assert prefix in made.own.shown
    outside = box(tmp_path, f"exec = ['cat', '{{reply_file}}']\npython = '{prefix}'").embed(b"x")
    assert isinstance(outside, Launch)
    assert outside.argv[1] == b"cat"


def test_the_files_that_a_box_depends_on_decide_its_identity(tmp_path: Path) -> None:
    def identity(text: str) -> str:
        made = box(tmp_path, f"exec = ['a', '{{reply}}']\n{text}")
        assert made.own is not None
        return made.own.identity

    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.py").write_text("1")
    first = identity("depends = ['d']")
    assert first == identity("depends = ['d']")
    (tmp_path / "d" / "a.py").write_text("2")
    assert identity("depends = ['d']") != first
    assert identity("") != identity("")


def test_a_folder_of_too_many_files_is_no_dependency(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_MOST_FILES", 1)
    (tmp_path / "d").mkdir()
    for name in "ab":
        (tmp_path / "d" / name).touch()
    with pytest.raises(HostError, match="expected at most 1 files"):
        box(tmp_path, "exec = ['cat', '{reply}']\ndepends = ['d']").require()


def test_a_line_depends_on_nothing_but_what_it_makes_unless_it_shows_a_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    plain, showing = read(
        tmp_path, "[transports.a]\ntemplate = '{}'\n[transports.b]\ntemplate = '{}'\nshow = ['.']\ntimeout = 3"
    )
    assert (plain.common.identity, plain.common.shown, plain.common.timeout_seconds) == ("", (), None)
    assert showing.common.identity
    assert (showing.common.shown, showing.common.timeout_seconds) == ((tmp_path / ".",), 3.0)
