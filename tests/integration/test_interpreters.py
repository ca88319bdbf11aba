"""Other Python versions generate the same bytes. Interpreters that are not here are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from qfuzz.gen.public import PUBLIC_DIGEST
from qfuzz.gen.shape import Style
from tests.unit.test_variants import GOLDEN

DIGESTS = """
from qfuzz.gen.public import public_digest
from qfuzz.gen.shape import Style
from qfuzz.gen.variants import task_set_digest, variant_tasks
print(public_digest())
for style in Style:
    print(task_set_digest(variant_tasks("golden", style, controls=True)))
"""


def interpreter(version: str) -> str | None:
    """A Python of this version on PATH or below ~/.pyenv, or None."""
    homes = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    candidates = [str(path) for path in homes] + [found for found in [shutil.which(f"python{version}")] if found]
    for candidate in candidates:
        check = f"import sys; sys.exit(sys.version_info[:2] != {tuple(map(int, version.split('.')))})"
        if subprocess.run([candidate, "-I", "-c", check], capture_output=True, timeout=60).returncode == 0:
            return candidate
    return None


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_golden_digests(version: str, checkout: Path, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on PATH or in ~/.pyenv")
    # Generating needs the standard library alone, so a bare interpreter will do, with the packages under their names.
    for name, folder in (("qfuzz", "qfuzz"), ("qfuzz_families", "families"), ("qfuzz_corpus", "corpus")):
        (tmp_path / name).symlink_to(checkout / folder)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "7"}
    done = subprocess.run([python, "-c", DIGESTS], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [PUBLIC_DIGEST, *(GOLDEN[style] for style in Style)]
