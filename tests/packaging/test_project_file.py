"""pyproject.toml names every package, and the lock file follows it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@pytest.fixture(scope="module")
def project(checkout: Path) -> dict:
    return tomllib.loads((checkout / "pyproject.toml").read_text())


def locked_versions(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", lock, re.MULTILINE))


def lock_faults(requirements: list[str], lock: str) -> list[str]:
    """Requirements that the lock file does not hold, or not in a version that they allow."""
    versions = locked_versions(lock)
    faults = []
    for requirement in map(Requirement, requirements):
        version = versions.get(canonicalize_name(requirement.name))
        if version is None or not requirement.specifier.contains(version):
            faults.append(f"{requirement} is locked as {version}; run `make lock`")
    return faults


def test_every_package_is_named(checkout, project):
    named = project["tool"]["setuptools"]["packages"]
    found = [".".join(path.parent.relative_to(checkout).parts) for path in (checkout / "qfuzz").rglob("__init__.py")]
    assert sorted(named) == sorted([*found, "qfuzz_families", "qfuzz_corpus"])


def test_lock_follows_the_project_file(checkout, project):
    requirements = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["dev"],
        "pip",
    ]
    assert lock_faults(requirements, (checkout / "requirements-dev.lock").read_text()) == []


def test_every_locked_release_has_a_digest(checkout):
    lock = (checkout / "requirements-dev.lock").read_text()
    entries = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]
    # A release that a Python version is too old for is locked beside the one for it.
    assert {canonicalize_name(re.split("[=;]", entry)[0]) for entry in entries} == set(locked_versions(lock))
    assert [entry.partition(" ")[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", ["click==8.0 \\\n    --hash=sha256:0\n", "clack==8.2\n", ""])
def test_a_lock_that_does_not_follow(lock):
    (fault,) = lock_faults(["click>=8.1"], lock)
    assert fault.startswith("click>=8.1 is locked as ")


def test_the_gpl_parser_is_nobodys_requirement(checkout, project):
    assert "bashlex" not in (checkout / "requirements-dev.lock").read_text()
    assert "bashlex" not in str(project["project"])
