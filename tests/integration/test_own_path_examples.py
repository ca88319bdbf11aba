"""The worked examples of docs/own-path.md: two agent packages from PyPI, with the breakers that are told there."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.docs import transcripts

RUN_HERE = "console not-run: the example's own test runs it, with the packages that are locked for it"
SECONDS = 300
"""Each run of SWE-ReX waits more than a second for its terminal."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Path:
    """docs/own-path with the environment of the two packages in it."""
    packages = Path(sys.prefix) / "examples"
    if not (packages / "stamp").exists():
        why = f"{packages} lacks the packages of docs/own-path/requirements.lock; `make setup` installs them"
        if os.environ.get("CI"):
            pytest.fail(why)
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("examples")
    folder.chmod(0o755)
    shutil.copytree(checkout / "docs" / "own-path", folder, dirs_exist_ok=True)
    (folder / "venv").symlink_to(packages)
    return folder


def steps(checkout: Path) -> dict[str, transcripts.Step]:
    document = (checkout / "docs" / "own-path.md").read_text()
    text = document.replace(RUN_HERE, "console")
    found = [step for step in transcripts.read_steps(text) if step not in transcripts.read_steps(document)]
    return {re.split(r"\s+", step.command)[1]: step for step in found}


@pytest.mark.long
@pytest.mark.parametrize("command", [pytest.param("diff", marks=pytest.mark.nightly), "regress"])
def test_what_the_document_tells_of_the_packages_is_so(
    folder: Path, checkout: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcripts, "TIMEOUT_SECONDS", SECONDS)
    told = steps(checkout)
    assert set(told) == {"diff", "regress"}
    assert transcripts.run_step(told[command], folder, Path(sys.executable).parent) == ""


def test_the_document_names_the_releases_and_breakers_that_are_tested(checkout: Path) -> None:
    document = (checkout / "docs" / "own-path.md").read_text()
    lock = (checkout / "docs" / "own-path" / "requirements.lock").read_text()
    for package, title in (("mini-swe-agent", "mini-swe-agent"), ("swe-rex", "SWE-ReX")):
        (version,) = re.findall(rf"^{package}==(\S+)", lock, re.MULTILINE)
        assert re.search(rf"\[{title}\]\(own-path/\w+\.py\) {re.escape(version)} ", document)
    known = (checkout / "docs" / "own-path" / "known.breakers.jsonl").read_text()
    assert len(known.splitlines()) == document.count("\n| mini-swe-agent |") + document.count("\n| swe-rex |")
