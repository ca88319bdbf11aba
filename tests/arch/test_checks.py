"""Every check of the house finds the fault that it is for, planted in a small checkout, and passes without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.arch import checks
from tests.arch.rooms import read_rooms

TABLE = """
| room | what it holds | may import |
|---|---|---|
| `qfuzz/model/` | data | nothing of qfuzz |
| `qfuzz/gen/` | choices | model |
| `families/` (imported as `qfuzz_families`) | tasks | model, gen |
| `qfuzz/oracle/` | judge: pure, starts nothing | model |
| `qfuzz/engine/` | runs | all above except families |
| `qfuzz/cli/` | commands | everything; nobody imports cli |
"""

ROOMS = ("qfuzz/model", "qfuzz/gen", "families", "qfuzz/oracle", "qfuzz/engine", "qfuzz/cli")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout without a fault: one module in each room, and every kind of import that is allowed."""
    (tmp_path / "ARCHITECTURE.md").write_text(TABLE)
    for room in ("qfuzz", *ROOMS):
        plant(tmp_path, f"{room}/__init__.py", "")
    plant(tmp_path, "qfuzz/__main__.py", "from qfuzz.cli.main import main")
    plant(tmp_path, "qfuzz/model/task.py", "import json, os.path")
    plant(tmp_path, "qfuzz/model/codec.py", "from .task import Task")
    plant(tmp_path, "qfuzz/gen/draw.py", "import numpy\nfrom qfuzz.model import task")
    plant(tmp_path, "families/sed.py", "from qfuzz.gen.draw import Draw")
    plant(tmp_path, "qfuzz/oracle/judge.py", "import os\nfrom qfuzz.model.task import Task\nos.fspath(b'')")
    plant(tmp_path, "qfuzz/engine/run.py", "import subprocess\nfrom qfuzz.oracle import judge")
    plant(tmp_path, "qfuzz/cli/main.py", "import qfuzz_families.sed\nimport qfuzz\nfrom qfuzz.engine.run import run")
    plant(tmp_path, "tests/test_sed.py", "from qfuzz_families.sed import f\nimport tests.helpers")
    return tmp_path


def plant(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text + "\n")


ALL_CHECKS = [getattr(checks, name) for name in dir(checks) if name.endswith("_faults")]


@pytest.mark.parametrize("check", ALL_CHECKS)
def test_a_sound_tree_passes(check, tree):
    assert check(tree) == []


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("qfuzz/gen/x.py", "import qfuzz.oracle.judge", "qfuzz/gen/x.py:1: gen may not import oracle"),
        ("qfuzz/gen/x.py", "from qfuzz import oracle", "gen may not import oracle"),
        ("qfuzz/gen/x.py", "from ..oracle.judge import judge", "gen may not import oracle"),
        ("qfuzz/gen/x.py", "def f():\n    from qfuzz.oracle.judge import judge", "x.py:2: gen may not import oracle"),
        ("qfuzz/gen/x.py", "if TYPE_CHECKING:\n    import qfuzz.oracle", "gen may not import oracle"),
        ("qfuzz/gen/x.py", "import_module('qfuzz_families.sed')", "gen may not import families"),
        ("qfuzz/gen/x.py", "importlib.import_module(f'qfuzz_families.{name}')", "gen may not import families"),
        ("qfuzz/gen/__init__.py", "from .. import engine", "gen may not import engine"),
        ("families/x.py", "from qfuzz.cli.main import main", "families may not import cli"),
        ("qfuzz/engine/x.py", "import qfuzz_families.sed", "engine may not import families"),
        ("qfuzz/plugin.py", "import qfuzz.cli.main", "qfuzz.plugin is in no room"),
        ("qfuzz/__init__.py", "from qfuzz.model import task", "qfuzz is in no room"),
        ("qfuzz/__main__.py", "import qfuzz.engine.run", "qfuzz.__main__ is in no room"),
    ],
)
def test_forbidden_import(tree, path, text, fault):
    plant(tree, path, text)
    assert any(fault in line for line in checks.import_faults(tree))


def test_a_registry_loads_its_entries_by_name(tree):
    by_name = "import_module(f'qfuzz_families.{name}')"
    plant(tree, "qfuzz/gen/loader.py", by_name)
    assert checks.import_faults(tree) == []
    plant(tree, "qfuzz/gen/loader.py", "import qfuzz_families.sed")
    plant(tree, "qfuzz/gen/reloader.py", by_name)
    assert [fault.partition(":")[0] for fault in checks.import_faults(tree)] == [
        "qfuzz/gen/loader.py",
        "qfuzz/gen/reloader.py",
    ]


@pytest.mark.parametrize("package", checks.SELF_CONTAINED)
@pytest.mark.parametrize("text", ["import click", "import qfuzz", "from ...gen import draw", "def f(): import numpy.x"])
def test_what_must_stand_alone(tree, package, text):
    folder = package.replace(".", "/")
    plant(tree, f"{folder}/__init__.py", "")
    plant(tree, f"{folder}/a/__init__.py", "from .x import y")
    plant(tree, f"{folder}/a/x.py", "import json, os.path\nfrom . import y\nfrom .. import z\nfrom xml.etree import q")
    assert checks.self_containment_faults(tree) == []
    plant(tree, f"{folder}/x.py", text)
    (fault,) = checks.self_containment_faults(tree)
    assert fault.startswith(f"{folder}/x.py:1: {package} imports the standard library only")


def test_room_without_a_row_and_row_without_a_room(tree):
    plant(tree, "qfuzz/attic/old.py", "")
    table = TABLE.replace("`qfuzz/gen/`", "`qfuzz/generators/`").replace("gen |", "generators |")
    plant(tree, "ARCHITECTURE.md", table)
    assert checks.room_faults(tree) == [
        "ARCHITECTURE.md: no row for qfuzz.attic",
        "ARCHITECTURE.md: no row for qfuzz.gen",
        "ARCHITECTURE.md: no code for the row of qfuzz.generators",
    ]


@pytest.mark.parametrize(
    "modules",
    [
        {"qfuzz/gen/a.py": "from qfuzz.gen import b", "qfuzz/gen/b.py": "from qfuzz.gen.a import x"},
        {"qfuzz/gen/a.py": "import qfuzz.gen.b", "qfuzz/gen/b.py": "def f():\n    from .a import x"},
        # A package that gathers its members is run by whoever imports one of them from outside.
        {"qfuzz/gen/__init__.py": "from qfuzz.oracle import a", "qfuzz/oracle/a.py": "from qfuzz.gen.draw import x"},
    ],
)
def test_cycle(tree, modules):
    for path, text in modules.items():
        plant(tree, path, text)
    (fault,) = checks.cycle_faults(tree)
    assert fault.startswith("import cycle: ")


def test_a_package_that_gathers_its_own_members_is_no_cycle(tree):
    plant(tree, "qfuzz/gen/__init__.py", "from qfuzz.gen.draw import Draw\nfrom qfuzz.gen.a import x")
    plant(tree, "qfuzz/gen/a.py", "from qfuzz.gen.draw import Draw")
    assert checks.cycle_faults(tree) == []


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess",
        "from subprocess import run",
        "def f():\n    import socket",
        "import asyncio.subprocess",
        "from concurrent.futures import ProcessPoolExecutor",
        "from os import fork",
        "from os import execve as run",
        "import os\ndef f(): return os.posix_spawnp('x', [], {})",
        "import os\nos.system('x')",
    ],
)
def test_pure_room_that_starts_something(tree, text):
    plant(tree, "qfuzz/oracle/x.py", text)
    assert len(checks.purity_faults(tree)) == 1
    (tree / "qfuzz/oracle/x.py").unlink()
    plant(tree, "qfuzz/engine/x.py", text)
    assert checks.purity_faults(tree) == []


@pytest.mark.parametrize("path", ["tests/unit/test_x.py", "scripts/x.py", "qfuzz/cli/x.py"])
@pytest.mark.parametrize("text", ["import families", "from families import sed", "import_module('families.sed')"])
def test_families_by_the_name_of_their_folder(tree, path, text):
    plant(tree, path, text)
    (fault,) = checks.name_faults(tree)
    assert fault.startswith(f"{path}:1: imports families")


@pytest.mark.parametrize("path", ["qfuzz/gen/x.py", "families/x.py", "tests/x.py"])
def test_long_file(tree, path):
    plant(tree, path, "\n" * (checks.MAX_LINES - 1))
    assert checks.length_faults(tree) == []
    plant(tree, path, "\n" * checks.MAX_LINES)
    assert checks.length_faults(tree) == [f"{path}: 401 lines, 400 at most: split it by meaning"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("| model |\n| `fam", "| modle |\n| `fam", "unknown rooms in the table: \\['modle'\\]"),
        ("| model |\n| `fam", "| engine |\n| `fam", "gen may import \\['engine'\\]: no row above it"),
        ("except families", "except familys", "unknown rooms in the table: \\['familys'\\]"),
        ("| `", "| ", "no table of rooms"),
    ],
)
def test_table_with_an_error(old, new, complaint):
    assert old in TABLE
    with pytest.raises(ValueError, match=complaint):
        read_rooms(TABLE.replace(old, new))
