"""The wheel carries what it must and works in an empty environment, away from the checkout."""

from __future__ import annotations

import subprocess
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

import qfuzz
from tests.packaging.empty_venv import build_wheel, make_venv

INSTALLED_AS = {"qfuzz": "qfuzz", "families": "qfuzz_families", "corpus": "qfuzz_corpus"}


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(checkout, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_venv(tmp_path_factory.mktemp("an empty venv"), wheel)


def run(programs: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of the environment in another folder, with nothing that could lead it back to the checkout."""
    program, *arguments = command
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    return subprocess.run(
        [programs / program, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )


def shipped_files(checkout: Path) -> set[str]:
    """Names in the wheel of everything under the three packages that is no by-product."""
    names = set()
    for folder, package in INSTALLED_AS.items():
        for path in (checkout / folder).rglob("*"):
            inside = path.relative_to(checkout / folder)
            if path.is_file() and "__pycache__" not in inside.parts:
                names.add(f"{package}/{inside}")
    return names


def test_wheel_holds_every_file_and_nothing_else(checkout, wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == shipped_files(checkout)


def test_wheel_holds_the_types_the_licence_and_the_corpus(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        info = f"qfuzz-{qfuzz.__version__}.dist-info"
        licence = archive.read(f"{info}/licenses/LICENSE")
        notice = archive.read(f"{info}/licenses/NOTICE")
    assert b"Apache License" in licence
    assert b"bashlex" in notice
    assert held >= {"qfuzz/py.typed", "qfuzz_families/py.typed", "qfuzz_corpus/public/tasks.jsonl"}
    assert any(name.startswith("qfuzz_corpus/replies/") and name.endswith(".jsonl") for name in held)


def test_metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        metadata = BytesParser().parsebytes(archive.read(f"qfuzz-{qfuzz.__version__}.dist-info/METADATA"))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    always = [text for text in metadata.get_all("Requires-Dist") if "extra ==" not in text]
    assert always
    assert not [text for text in always if text.startswith(("hypothesis", "bashlex", "pytest"))]


@pytest.mark.parametrize("command", [("qfuzz", "--version"), ("python", "-m", "qfuzz", "--version")])
def test_version(programs, tmp_path, command):
    done = run(programs, tmp_path, *command)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"qfuzz, version {qfuzz.__version__}\n", "")


@pytest.mark.parametrize("package", INSTALLED_AS.values())
def test_packages_are_the_installed_ones(programs, tmp_path, package):
    done = run(programs, tmp_path, "python", "-c", f"import {package}; print({package}.__file__)")
    assert done.stderr == ""
    assert Path(done.stdout.strip()).is_relative_to(programs.parent)


def test_development_tools_are_absent(programs, tmp_path):
    """Else the tests of this file would not notice that the product needs one of them."""
    done = run(programs, tmp_path, "python", "-c", "import hypothesis")
    assert "ModuleNotFoundError" in done.stderr


def test_families_make_tasks(programs, tmp_path):
    done = run(programs, tmp_path, "qfuzz", "gen", "--seed", "1", "--per-family", "1", "--out", "set.jsonl")
    assert done.returncode == 0, done.stderr


def test_public_tasks_are_found(checkout, programs, tmp_path):
    done = run(programs, tmp_path, "qfuzz", "tasks", "export")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (checkout / "corpus/public/tasks.jsonl").read_text()


def test_the_task_for_inspect_is_registered(wheel):
    with zipfile.ZipFile(wheel) as archive:
        registered = archive.read(f"qfuzz-{qfuzz.__version__}.dist-info/entry_points.txt").decode()
    assert "[inspect_ai]\nqfuzz = qfuzz.inspect.task\n" in registered


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("fuzz --escape shlex:quote --word a", "qfuzz fuzz needs hypothesis; pip install 'qfuzz[fuzz]'"),
        ("fuzz --transport nested --examples 1", "qfuzz fuzz needs hypothesis; pip install 'qfuzz[fuzz]'"),
        (
            "fuzz --escape shlex:quote --engine atheris",
            "qfuzz fuzz --engine atheris needs atheris and hypothesis; pip install 'qfuzz[atheris]'",
        ),
        ("score", "qfuzz score needs numpy and scipy; pip install 'qfuzz[score]'"),
        ("report", "qfuzz report needs numpy and scipy; pip install 'qfuzz[score]'"),
    ],
)
def test_a_command_without_its_extra_names_it(programs, tmp_path, command, said):
    done = run(programs, tmp_path, "qfuzz", *command.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"qfuzz: {said}\n")
    assert not list(tmp_path.iterdir())


def test_a_log_of_inspect_without_inspect_names_the_extra(programs, tmp_path):
    (tmp_path / "a.eval").write_bytes(b"PK\x03\x04")
    done = run(programs, tmp_path, "qfuzz", "diff", "a.eval")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "qfuzz: a.eval: Inspect's logs are read with inspect_ai, which is not installed; pip "
    )
