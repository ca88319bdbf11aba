"""What each boundary makes of a text, without any shell."""

from __future__ import annotations

import string

import pytest

from bench.transports import PROGRAM
from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.model.errors import UsageError
from qfuzz.transports.available import missing_of
from qfuzz.transports.direct import MAX_ARGUMENT_BYTES
from qfuzz.transports.loader import DEFAULT_TRANSPORTS, load, resolve


def program_of(stack: str, reply: bytes) -> bytes:
    delivery = resolve(stack).deliver(reply)
    assert isinstance(delivery, Launch), delivery
    return delivery.program


@pytest.mark.parametrize(
    ("stack", "program"),
    [
        ("direct", b"echo \"$x\" 'y'"),
        ("nested", b'bash -c "echo "$x" \'y\'"'),
        ("single", b"bash -c 'echo \"$x\" 'y''"),
        ("quoted", b'bash -c "echo \\"\\$x\\" \'y\'"'),
        ("single-escaped", b"bash -c 'echo \"$x\" '\\''y'\\'''"),
        ("ansi-c", b"bash -c $'echo \"$x\" \\'y\\''"),
        ("base64", b'r=$(echo ZWNobyAiJHgiICd5Jw== | base64 -d; echo .); bash -c "${r%.}"'),
        ("double-nested", b'bash -c "bash -c "echo "$x" \'y\'""'),
        ("sh > single", b"bash -c 'sh -c 'echo \"$x\" '\\''y'\\''''"),
        ("json", b"echo \"$x\" 'y'"),
    ],
)
def test_program_that_the_first_shell_reads(stack: str, program: bytes) -> None:
    assert program_of(stack, b"echo \"$x\" 'y'") == program


def test_json_naive_decodes_what_was_pasted() -> None:
    assert program_of("json-naive", rb"printf \"%s\\n\" \u0041") == rb'printf "%s\n" A'
    for broken in (b'"', b"\n", b"\t", b"\\x", b"\\ud800", b"\\u0000", b'", "command": 5, "x": "'):
        assert isinstance(resolve("json-naive").deliver(broken), Rejection), broken


def test_pasted_key_takes_over() -> None:
    assert program_of("json-naive", b'a", "command": "b') == b"b"


@pytest.mark.parametrize(
    ("stack", "reply", "boundary", "offset"),
    [
        ("direct", b"ab\0c", "direct", 2),
        ("nested", b"\0", "nested", 0),
        ("script-file", b"x\0", "script-file", 1),
        ("script-file", b"echo \\", "script-file", 5),
        ("script-file", b"echo \\\\\\", "script-file", 7),
        ("base64", b"x\0", "base64", 1),
        ("base64", b"x" * 98_266, "base64", 98_265),
        ("base64-piped", b"'\0", "base64-piped", 1),
        ("base64-piped", b"x" * 100_000, "base64-piped", 98_240),
        ("base64-piped", b"x" * 98_235 + b"''", "base64-piped", 98_236),
        ("stdin", b"x\0", "stdin", 1),
        ("json", b"abc\xff", "json", 3),
        ("json-naive", b"\xc3", "json-naive", 0),
        ("direct", b"x" * (MAX_ARGUMENT_BYTES + 1), "direct", MAX_ARGUMENT_BYTES),
        ("sh", b"x" * (MAX_ARGUMENT_BYTES + 1), "sh", MAX_ARGUMENT_BYTES),
        ("json > nested", b"\xff", "json", 0),
    ],
)
def test_what_cannot_be_carried_is_refused_with_its_offset(
    stack: str, reply: bytes, boundary: str, offset: int
) -> None:
    refusal = resolve(stack).deliver(reply)
    assert isinstance(refusal, Refusal)
    assert (refusal.boundary, refusal.offset) == (boundary, offset)


def test_longest_argument_is_carried() -> None:
    assert isinstance(resolve("direct").deliver(b"x" * MAX_ARGUMENT_BYTES), Launch)


@pytest.mark.parametrize("stack", ["base64", "base64-piped"])
def test_longest_text_in_base64_fills_an_argument(stack: str) -> None:
    refusal = resolve(stack).deliver(b"x" * 100_000)
    assert isinstance(refusal, Refusal)
    assert MAX_ARGUMENT_BYTES - 4 < len(program_of(stack, b"x" * refusal.offset)) <= MAX_ARGUMENT_BYTES


def test_what_is_piped_is_plain_for_every_layer_with_rules_of_its_own() -> None:
    line = program_of("base64-piped", bytes(range(1, 256)) * 3)
    assert set(line) <= set(string.ascii_letters.encode() + string.digits.encode() + b"+/=|- ")
    owned = set().union(*(boundary.rules for boundary in load().boundaries.values() if boundary.name != "xargs"))
    assert not owned & set(line)


def test_script_file_carries_a_backslash_that_another_escapes() -> None:
    assert isinstance(resolve("script-file").deliver(b"echo \\\\"), Launch)
    assert resolve("script-file").armor(b"echo \\") == b"exec bash -c $'echo \\x5c'"


def test_two_script_files_of_one_stack_have_two_names() -> None:
    launch = resolve("script-file > script-file").deliver(b"echo hi")
    assert isinstance(launch, Launch)
    assert len({file.path for file in launch.files}) == 2
    assert launch.argv[1] in {file.path for file in launch.files}


@pytest.mark.parametrize(
    ("stack", "inner", "shell"),
    [
        ("direct", 0, "bash"),
        ("sh", 0, "sh"),
        ("json-naive", 0, "bash"),
        ("nested", 1, "bash"),
        ("double-nested", 2, "bash"),
        ("sh > nested", 2, "sh"),
        ("nested > sh", 1, "bash"),
        ("json-naive > stdin", 0, "bash"),
        ("zsh", 0, "zsh"),
        ("fish > nested", 2, "fish"),
        ("base64", 1, "bash"),
        ("base64-piped", 1, "bash"),
        ("base64-piped > nested", 2, "bash"),
        ("ansi-c > single-escaped", 2, "bash"),
        ("xargs", 1, "bash"),
        ("xargs > nested", 2, "bash"),
        ("nested > xargs", 2, "bash"),
        ("envsubst", 1, "bash"),
        ("envsubst > nested", 3, "bash"),
        ("make", 1, "bash"),
        ("package-script-model", 1, "bash"),
        ("heredoc", 0, "bash"),
        ("env-split", 0, "bash"),
        ("actions-expression", 1, "bash"),
        ("taskfile", 0, "bash"),
        ("nested > taskfile", 1, "bash"),
    ],
)
def test_number_of_inner_shells_and_the_last_of_them(stack: str, inner: int, shell: str) -> None:
    launch = resolve(stack).deliver(b"true")
    assert isinstance(launch, Launch)
    assert (launch.inner_shells, launch.shell) == (inner, shell)


def test_names_of_stacks() -> None:
    assert resolve("nested>nested").name == "double-nested"
    assert resolve(" json-naive>nested > direct ").name == "json-naive > nested"
    assert resolve("double-nested > single").name == "nested > nested > single"
    for bad in ("", "nested >", "> nested", "no-such", "nested > no-such"):
        with pytest.raises(UsageError):
            resolve(bad)


def test_default_transports_are_known_and_every_boundary_speaks() -> None:
    registry = load()
    assert set(DEFAULT_TRANSPORTS) <= set(registry.names())
    for boundary in registry.boundaries.values():
        assert all((boundary.summary, boundary.owns, boundary.cannot_carry))
        assert boundary.disclosure().endswith(".")
        assert " R " in f" {boundary.disclosure()} "


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("tmux", "did you mean tmux-keys or tmux-literal? "),
        ("nestd > json", "did you mean nested? "),
        ("ssh", "did you mean ssh-argv or "),
        ("zzzz", "`qfuzz"),
    ],
)
def test_an_unknown_name_is_answered_with_those_near_it(name: str, like: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve(name)
    assert caught.value.hint.startswith(like), caught.value.hint
    assert caught.value.hint.endswith("`qfuzz transports` lists the known ones")


def test_every_boundary_carries_what_its_cost_is_measured_with() -> None:
    for name in load().boundaries:
        if missing_of(resolve(name)) is None:
            assert isinstance(resolve(name).deliver(PROGRAM), Launch), name
