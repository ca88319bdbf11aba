"""The other commands: transports, prompts, validate, and the command line itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import qfuzz as package
from qfuzz.collect.prompts import BASH_TOOL
from qfuzz.gen.public import load_public
from qfuzz.transports.loader import load
from tests.cli.command import qfuzz
from tests.cli.inside import Inside
from tests.cli.replies import TASK, write_set

GOLDEN = Path(__file__).parent / "golden"
SHOWN = {
    "transports.txt": ["transports"],
    "show-direct.txt": ["transports", "show", "direct"],
    "show-stack.txt": ["transports", "show", "json-naive > nested"],
    "show-script-file.txt": ["transports", "show", "script-file > sh", "--sample", "echo 'a\nb'"],
    "show-rejected.txt": ["transports", "show", "json-naive", "--sample", 'echo "$x"'],
    "prompts-raw.txt": ["prompts", "--tasks", "set.jsonl"],
    "prompts-native.txt": ["prompts", "--contract", "native", "--tasks", "set.jsonl"],
    "prompts-nested.txt": ["prompts", "--contract", "disclosed:nested", "--tasks", "set.jsonl"],
    "prompts-single.txt": ["prompts", "--contract", "disclosed:single", "--tasks", "set.jsonl"],
}
"""Golden file to the call that prints it."""


@pytest.mark.parametrize("name", SHOWN)
def test_printed_text(inside: Inside, name: str) -> None:
    write_set(Path("set.jsonl"))
    said = inside.call(*SHOWN[name])
    assert said.out == (GOLDEN / name).read_text()
    assert (said.status, said.err) == (0, "")


def test_every_golden_file_is_used() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {*SHOWN, "diff.txt"}


def test_transports_as_json(inside: Inside) -> None:
    records = inside.call("transports", "--json").records()
    assert [record["name"] for record in records] == load().names()
    assert all(list(record) == ["name", "faithful", "summary"] for record in records)
    faithful = [record["name"] for record in records if record["faithful"]]
    assert {"direct", "quoted", "json", "script-file"} <= set(faithful)
    assert not {"nested", "single", "json-naive", "double-nested"} & set(faithful)


@pytest.mark.parametrize("stack", load().names())
def test_every_transport_can_be_shown(inside: Inside, stack: str) -> None:
    for sample in ("true", "printf '%s\\n' \"$HOME\" `id`", "x" * 200, "é\t"):
        said = inside.call("transports", "show", stack, "--sample", sample)
        assert (said.status, said.err) == (0, "")
        assert said.out.startswith(f"{stack}\n")


def test_files_of_a_library_are_only_named(inside: Inside) -> None:
    said = inside.call("transports", "show", "jinja2", "--sample", "echo {{ 1 + 1 }}").out
    assert "/python/jinja2/parser.py, " in said
    assert "import" not in said
    assert ".j2\n    echo {{ 1 + 1 }}\n" in said


@pytest.mark.parametrize(
    "contract", ["raw", "native", "disclosed:nested", "disclosed:single", "disclosed:json-naive > nested"]
)
def test_prompts_of_the_public_tasks(inside: Inside, contract: str) -> None:
    records = inside.call("prompts", "--contract", contract).records()
    assert [record["task_id"] for record in records] == [task.task_id for task in load_public()]
    assert [record["user"] for record in records] == [task.instruction for task in load_public()]
    assert {record["contract"] for record in records} == {contract}
    assert len({record["system"] for record in records}) == 1
    keys = ["task_id", "contract", "system", "user", *(["tools"] if contract == "native" else [])]
    assert all(list(record) == keys for record in records)
    if contract == "native":
        assert records[0]["tools"] == [BASH_TOOL]


def test_prompts_do_not_tell_answers(inside: Inside) -> None:
    for record, task in zip(inside.call("prompts").records(), load_public(), strict=True):
        text = json.dumps(record)
        assert task.reference is not None
        assert json.dumps(task.reference.decode())[1:-1] not in text
        assert "canary" not in text


def test_a_contract_is_told_its_own_path_only(inside: Inside) -> None:
    system = {
        name: inside.call("prompts", "--contract", name).records()[0]["system"]
        for name in ("raw", "native", "disclosed:nested", "disclosed:single")
    }
    assert len(set(system.values())) == 4
    assert 'bash -c "R"' in str(system["disclosed:nested"])
    assert "bash -c 'R'" in str(system["disclosed:single"])
    for name in ("raw", "native"):
        assert "quotes" not in str(system[name])


def test_version_and_module(tmp_path: Path, inside: Inside) -> None:
    expected = f"qfuzz, version {package.__version__}\n"
    assert inside.call("--version").out == expected
    assert qfuzz(["--version"], tmp_path).out == expected


def test_a_command_line_without_a_command_is_told_the_commands(inside: Inside) -> None:
    said = inside.call()
    assert said.status == 2
    assert "qfuzz diff" in said.err + said.out


def test_validate_a_set(tmp_path: Path) -> None:
    write_set(tmp_path / "set.jsonl")
    said = qfuzz(["validate", "set.jsonl", "--jobs", "1"], tmp_path)
    assert said.status == 0, said
    assert said.out.splitlines()[-1] == "1 task, 0 faults"
    row = next(line.split() for line in said.out.splitlines() if line.startswith("note"))
    # tasks, references, naive passes, naive fails, constants, others, wrong states (many), faults
    assert [*row[1:7], row[8]] == ["1", "1", "0", "1", "7", "0", "0"]
    assert int(row[7]) >= 20
    assert [path.name for path in tmp_path.iterdir()] == ["set.jsonl"]


def test_validate_tells_each_fault_in_a_line(tmp_path: Path) -> None:
    lazy = {**TASK, "task_id": "note/t1-\x1blazy", "reference": "true", "naive": "printf %s 'cost: $5' > note.txt"}
    easy = {
        **TASK,
        "task_id": "note/t0-easy",
        "tier": 0,
        "expect": [{"kind": "file", "path": "kept.txt", "content": "kept\n"}],
    }
    alone = {key: value for key, value in TASK.items() if key not in ("reference", "naive")} | {
        "task_id": "note/t1-alone"
    }
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(task) + "\n" for task in (lazy, easy, alone)))
    said = qfuzz(["validate", "set.jsonl", "--jobs", "2"], tmp_path)
    assert said.status == 1
    faults = [line for line in said.out.splitlines() if line.startswith("note/t")]
    assert all(line.isprintable() for line in faults)
    lazy_faults = [line for line in faults if "lazy" in line]
    assert any("reference in style reference: silent-wrong, note.txt is missing" in line for line in lazy_faults)
    assert any("naive passes at tier 1" in line for line in lazy_faults)
    assert sum("note/t0-easy: passed by b'" in line for line in faults) >= 3
    assert any("note/t1-alone: has no reference" in line for line in faults)
    assert said.out.splitlines()[-1] == f"3 tasks, {len(faults)} faults"


def test_explain_reads_a_reply_from_standard_input(tmp_path: Path) -> None:
    said = qfuzz(["explain", "--reply", "-", "--transport", "nested"], tmp_path, b"echo '$5'")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("standard input over nested\n")
    works = qfuzz(["explain", "--reply", "-", "--transport", "nested"], tmp_path, b"echo 5")
    assert (works.status, works.out) == (1, "standard input works over nested as it does directly\n")


@pytest.mark.parametrize("last", [b"", b"\n", b'\n\n{"task_id": "t", "reply": "echo 5"}\n'])
def test_explain_takes_no_file_of_records_for_a_program(inside: Inside, last: bytes) -> None:
    Path("r.jsonl").write_bytes(b'{"reply": "echo 5"}' + last)
    said = inside.refuses("explain", "--reply", "r.jsonl", "--transport", "nested")
    assert said.startswith("r.jsonl: holds reply records, and not one program; give it to `qfuzz diff`")


def test_doctor_names_the_shell_behind_sh(tmp_path: Path) -> None:
    said = qfuzz(["doctor", "--json"], tmp_path)
    (shell,) = [record for record in said.records() if record["name"] == "sh"]
    assert str(shell["detail"]).startswith(Path("/bin/sh").resolve().name + " ")


def test_an_unknown_contract_is_warned_of_and_counted(tmp_path: Path) -> None:
    contracts = ("raw", "wrapped", "rwa", "disclosed:nestd")
    lines = "".join(json.dumps({"reply": "true", "contract": contract}) + "\n" for contract in contracts for _ in "ab")
    (tmp_path / "r.jsonl").write_text(lines)
    said = qfuzz(["diff", "r.jsonl", "--transport", "quoted"], tmp_path)
    assert said.status == 0
    warnings = [line for line in said.err.splitlines() if line.startswith("warning: unknown ")]
    assert ["rwa" in line or "nestd" in line for line in warnings] == [True, True]
    assert all("in 2 replies" in line for line in warnings)
