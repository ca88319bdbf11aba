"""Starting qfuzz stays cheap: what is heavy is loaded by the command that needs it, when it needs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = frozenset(
    {"bashlex", "dulwich", "hypothesis", "inspect_ai", "numpy", "rich", "scipy", "sqlite3", "sqlite_utils"}
)

REPORT = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
"""


def loaded_by(code: str) -> set[str]:
    """Top-level names of the modules that a fresh interpreter holds after running this code."""
    done = subprocess.run([sys.executable, "-c", REPORT + code], check=True, capture_output=True, text=True, timeout=60)
    return {name.partition(".")[0] for name in json.loads(done.stderr)}


@pytest.mark.parametrize(
    "code",
    [
        "import qfuzz",
        "import sys; sys.argv = ['qfuzz', '--help']; from qfuzz.cli.main import main; main()",
        "import sys; sys.argv = ['qfuzz', '--version']; from qfuzz.cli.main import main; main()",
        "import qfuzz.cli.lint",
        "import sys; sys.argv = ['qfuzz', 'gen', '--public']; from qfuzz.cli.main import main; main()",
        "import sys; sys.argv = ['qfuzz', 'tasks']; from qfuzz.cli.main import main; main()",
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    loaded = loaded_by(code)
    assert "qfuzz" in loaded
    assert loaded & HEAVY == set()


def test_a_store_takes_no_numbers_along_and_hides_them_from_nobody() -> None:
    loaded = loaded_by("import qfuzz.cli.diff, qfuzz.cli.fuzz_transport")
    assert "sqlite_utils" in loaded
    assert loaded & {"numpy", "pandas", "scipy"} == set()
    assert "numpy" in loaded_by("import qfuzz.store.store, numpy")


def test_a_heavy_module_would_be_seen() -> None:
    assert loaded_by("import qfuzz\ndef late():\n    import sqlite_utils\nlate()") & HEAVY >= {"sqlite_utils"}
