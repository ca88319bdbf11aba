"""The plugin costs a project nothing that does not use it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.plugin.project import GOOD, Project

HEAVY = {"click", "dulwich", "hypothesis", "rich", "sqlite3", "sqlite_utils"}
LIGHT = {"qfuzz", "qfuzz.pytest_plugin", "qfuzz.pytest_plugin.fixtures", "qfuzz.pytest_plugin.lab"}
LIST = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded_by(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", f"{code}; {LIST}"], check=True, capture_output=True, timeout=60)
    return set(json.loads(done.stdout))


def test_importing_the_plugin_loads_nothing_heavy() -> None:
    loaded = loaded_by("import qfuzz.pytest_plugin")
    assert {name for name in loaded if name.startswith("qfuzz")} == LIGHT
    assert loaded & HEAVY == set()


def test_a_run_without_breakers_loads_nothing_more(project: Project) -> None:
    project.write("test_own.py", "def test_own(): pass\n")
    project.write("data.jsonl", "no breakers\n")
    project.write(
        "conftest.py",
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    print('loaded:', *sorted(name for name in sys.modules if name.startswith('qfuzz')))\n"
        f"    print('heavy:', *sorted({HEAVY!r} & set(sys.modules)))\n",
    )
    # Hypothesis' own plugin loads it for its own reasons.
    ran = project.run("-q", "-s", "-p", "no:hypothesispytest", autoload=True)
    assert ran.status == 0, ran.out
    assert f"loaded: {' '.join(sorted(LIGHT))}\n" in ran.out
    assert "heavy:\n" in ran.out


def test_the_suffix_is_that_of_the_format() -> None:
    import qfuzz.pytest_plugin
    from qfuzz.model.case import SUFFIX

    assert qfuzz.pytest_plugin.SUFFIX == SUFFIX


def test_the_marker_and_the_options_are_known(project: Project) -> None:
    said = project.run("--markers", "--strict-markers").out
    assert "@pytest.mark.qfuzz: " in said
    options = project.run("--help").out
    for name in ("config", "transport", "jobs", "timeout", "isolation"):
        assert f"--qfuzz-{name}" in options


@pytest.mark.parametrize("seconds", ["nan", "-5", "0", "0.04", "1e300", "inf", "3601", "soon"])
def test_a_timeout_out_of_bounds_is_refused_in_one_line(project: Project, seconds: str) -> None:
    project.cases("c", GOOD)
    ran = project.run(f"--qfuzz-timeout={seconds}")
    assert ran.status == 4
    assert ran.out.count("--qfuzz-timeout: must be 0.05 to 3600 seconds, not ") == 1
    assert "Traceback" not in ran.out


def test_the_bounds_of_the_timeout_are_allowed(project: Project) -> None:
    for seconds in ("0.05", "3600"):
        assert project.run("--qfuzz-timeout", seconds, "--collect-only").status == 5
