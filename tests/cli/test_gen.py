"""`qfuzz gen`: sets, manifests, commitments, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from qfuzz.gen.public import PUBLIC_DIGEST
from qfuzz.gen.read import read_tasks
from qfuzz.gen.shape import Style
from tests.cli.command import call
from tests.cli.inside import Inside
from tests.unit.test_variants import GOLDEN

SEED = "0123456789abcdef0123"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    done = call("gen", "--seed", SEED, "--families", "write-file", "--out", "set.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"set.jsonl: 3 tasks\n")
    return tmp_path / "set.jsonl"


def test_standard_output_is_the_set(tmp_path: Path) -> None:
    done = call("gen", "--seed", "golden", "--style", "v2", "--controls", cwd=tmp_path)
    assert hashlib.sha256(done.stdout).hexdigest() == GOLDEN[Style.V2]
    assert list(tmp_path.iterdir()) == []


def test_public_set(tmp_path: Path) -> None:
    done = call("gen", "--public", cwd=tmp_path)
    assert (hashlib.sha256(done.stdout).hexdigest(), done.stderr) == (PUBLIC_DIGEST, b"")


def test_the_public_set_as_a_file_has_a_manifest_and_no_commitment(tmp_path: Path) -> None:
    assert call("gen", "--public", "--out", "p.jsonl", cwd=tmp_path).returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["p.jsonl", "p.jsonl.manifest.json"]
    manifest = json.loads((tmp_path / "p.jsonl.manifest.json").read_text())
    assert manifest["tasks"] == 56
    assert manifest["dataset_version"] == "1.0"
    assert manifest["sha256"] == PUBLIC_DIGEST


def test_a_drawn_seed_is_shown_once_and_gives_the_same_set_again(tmp_path: Path) -> None:
    first = call("gen", "--families", "git-commit", cwd=tmp_path)
    shown = re.fullmatch(rb"seed: ([0-9a-f]{32}) \(shown this once.*\)\n", first.stderr)
    assert shown is not None
    again = call("gen", "--families", "git-commit", "--seed", shown[1].decode(), cwd=tmp_path)
    assert again.stdout == first.stdout
    assert call("gen", "--families", "git-commit", cwd=tmp_path).stdout != first.stdout


def test_no_seed_is_shown_for_a_set_that_can_not_be_made(inside: Inside) -> None:
    assert "write-flie" in inside.refuses("gen", "--families", "write-flie")
    assert inside.refuses("gen", "--out", "missing/set.jsonl").startswith("missing/set.jsonl: ")


def test_a_guessable_seed_is_warned_of(tmp_path: Path) -> None:
    arguments = ("gen", "--families", "write-file", "--per-family", "1", "--seed")
    assert call(*arguments, "7", cwd=tmp_path).stderr.startswith(b"warning: ")
    assert call(*arguments, SEED, cwd=tmp_path).stderr == b""


def test_three_files_and_nothing_else_and_the_seed_in_none(written: Path) -> None:
    names = ["set.jsonl", "set.jsonl.commitment.json", "set.jsonl.manifest.json"]
    assert sorted(os.listdir(written.parent)) == names
    assert all(SEED.encode() not in (written.parent / name).read_bytes() for name in names)
    manifest = json.loads((written.parent / names[2]).read_text())
    assert manifest == {
        "set": "held-out",
        "style": "v1",
        "generator_version": "1",
        "tasks": 3,
        "families": {"write-file": 3},
        "tiers": {"1": 1, "2": 1, "3": 1},
        "sha256": hashlib.sha256(written.read_bytes()).hexdigest(),
    }


def test_a_commitment_binds_the_bytes_and_is_salted(written: Path, tmp_path: Path) -> None:
    commitment = json.loads((tmp_path / "set.jsonl.commitment.json").read_text())
    salt = bytes.fromhex(commitment["salt"])
    assert len(salt) == 32
    assert commitment["digest"] == hashlib.sha256(salt + written.read_bytes()).hexdigest()
    assert set(commitment) == {"schema", "rule", "salt", "digest"}
    call("gen", "--seed", SEED, "--families", "write-file", "--out", "other.jsonl", cwd=tmp_path)
    assert (tmp_path / "other.jsonl").read_bytes() == written.read_bytes()
    assert json.loads((tmp_path / "other.jsonl.commitment.json").read_text()) != commitment


def test_check(written: Path, tmp_path: Path) -> None:
    assert call("gen", "--check", written, cwd=tmp_path).returncode == 0
    content = written.read_bytes()
    for changed in (content + b"\n", content[:-1], content.replace(b"write", b"wrote", 1), b""):
        written.write_bytes(changed)
        done = call("gen", "--check", written, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, b"")
        assert b"differs from the set" in done.stdout
    written.unlink()
    assert call("gen", "--check", written, cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("commitment", [None, b"", b"[]", b'{"schema": 1}', b'{"schema":1,"salt":"zz","digest":""}'])
def test_check_needs_a_commitment(commitment: bytes | None, written: Path, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl.commitment.json"
    path.unlink() if commitment is None else path.write_bytes(commitment)
    done = call("gen", "--check", written, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"qfuzz: {path}: ".encode())
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--families", "write"), b"there is no family 'write'"),
        (("--families", ""), b"--families: names no family"),
        (("--families", "write-file,"), b"--families: names no family"),
        (("--force",), b"--force makes no sense with no --out"),
        (("--per-family", "0"), b"1 to 1000000 tasks"),
        (("--seed", "a\tb"), b"printable"),
        (("--public", "--style", "v2"), b"--style makes no sense with --public"),
        (("--public", "--per-family", "3"), b"--per-family makes no sense with --public"),
        (("--check", "set", "--out", "x"), b"--out makes no sense with --check"),
        (("--check", "set", "--public"), b"--public makes no sense with --check"),
        (("--out", "no/such/folder"), b"can't be written"),
        (("--out", ""), b".: is no name of a file"),
        (("--check", ""), b".: is no name of a file"),
        (("--style", "v3"), b"'v3' is not one of"),
    ],
)
def test_bad_requests_are_one_line_and_leave_nothing(
    arguments: tuple[str, ...], complaint: bytes, tmp_path: Path
) -> None:
    done = call("gen", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["", ".manifest.json", ".commitment.json"])
def test_a_set_is_replaced_only_when_told_to(written: Path, taken: str, tmp_path: Path) -> None:
    for path in list(tmp_path.iterdir()):
        if path.name != f"set.jsonl{taken}":
            path.unlink()
    before = (tmp_path / f"set.jsonl{taken}").read_bytes()
    again = ("gen", "--families", "git-commit", "--out", "set.jsonl")
    done = call(*again, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    # No seed is drawn in vain.
    assert done.stderr == b"qfuzz: set.jsonl%s: is there already; --force replaces a set and its commitment\n" % (
        taken.encode()
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {f"set.jsonl{taken}": before}
    assert call(*again, "--force", cwd=tmp_path).returncode == 0
    assert call("gen", "--check", written, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("taken", ["", ".manifest.json", ".commitment.json"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_only_a_regular_file_is_replaced(kind: str, taken: str, tmp_path: Path) -> None:
    path = tmp_path / f"set.jsonl{taken}"
    make = {"folder": path.mkdir, "pipe": lambda: os.mkfifo(path), "link": lambda: path.symlink_to("elsewhere")}
    make[kind]()

    def state(path: Path) -> tuple[Path, int, int, int]:
        # Not when it was read last: to look for a file follows a link.
        found = path.lstat()
        return path, found.st_mode, found.st_ino, found.st_mtime_ns

    before = state(path)
    done = call("gen", "--seed", SEED, "--out", "set.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"qfuzz: %s: can't be written (there is something else than a regular file)\n" % (
        path.name.encode()
    )
    assert [state(each) for each in tmp_path.iterdir()] == [before]


@pytest.mark.usefixtures("written")
def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    call = "sys.argv[0] = 'qfuzz'; from qfuzz.cli.main import main; main()"
    limited = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)); {call}"
    command = [sys.executable, "-c", limited, "gen", "--seed", SEED, "--out", "set.jsonl", "--force"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == b"qfuzz: set.jsonl: can't be written (File too large)\n"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "qfuzz", "gen", "--seed", SEED, "--per-family", "400"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_a_set_reads_back(written: Path) -> None:
    assert [record.value.tier for record in read_tasks(written)] == [1, 2, 3]
