"""Breaker files as tests."""

from __future__ import annotations

import pytest

from tests.plugin.project import BROKEN, FAULTY, GOOD, Project

NO_BUBBLEWRAP = """
import shutil
found = shutil.which
shutil.which = lambda name, *rest, **named: None if name == "bwrap" else found(name, *rest, **named)
"""

COUNT_POOLS = """
import os
from qfuzz.jail.pool import Pool
def logged(name):
    real = getattr(Pool, name)
    def call(self, *arguments, **named):
        with open("pools.log", "a") as log:
            log.write(f"{name} {os.getpid()}\\n")
        return real(self, *arguments, **named)
    return call
for name in ("__init__", "close"):
    setattr(Pool, name, logged(name))
"""


def test_each_case_is_a_test_with_a_readable_name(project: Project) -> None:
    project.cases("shell", GOOD, BROKEN, FAULTY | {"reply": "printf '%s' '`a`'\n"})
    project.write("test_own.py", "def test_own(): pass\n")
    ran = project.run("--collect-only", "-q")
    assert ran.out.splitlines()[:4] == [
        "shell.breakers.jsonl::echo '$5' over quoted",
        "shell.breakers.jsonl::echo '$5' over nested",
        r"shell.breakers.jsonl::printf '%s' '`a`'\n over nested",
        "test_own.py::test_own",
    ]
    chosen = project.run("-q", "--collect-only", "-k", "quoted").out
    assert "over quoted" in chosen
    assert "1/4 tests collected (3 deselected)" in chosen
    assert "3/4 tests collected (1 deselected)" in project.run("-q", "--collect-only", "-m", "qfuzz").out
    one = project.run("-q", "shell.breakers.jsonl::echo '$5' over nested")
    assert one.outcomes == {"passed": 1}


def test_what_is_not_as_expected_fails_with_the_explain_view(project: Project) -> None:
    project.cases("shell", GOOD, BROKEN, FAULTY | {"reply": "echo '$6'"}, BROKEN | {"transport": "json"})
    ran = project.run("-q")
    assert (ran.status, ran.outcomes) == (1, {"passed": 2, "failed": 2})
    assert "shell.breakers.jsonl:3: echo '$6' over nested: should survive, and breaks: silent (stdout)" in ran.out
    assert "starts an expansion between double quotes" in ran.out
    assert "To deliver it whole" in ran.out
    assert "shell.breakers.jsonl:4: echo '$5' over json: is known as broken, and survives" in ran.out
    assert 'write "expect":"survives" at shell.breakers.jsonl:4' in ran.out
    assert "Traceback" not in ran.out
    assert "items.py" not in ran.out


def test_one_pool_a_process_also_with_xdist(project: Project) -> None:
    project.write("conftest.py", COUNT_POOLS)
    project.cases("shell", GOOD, BROKEN, *(GOOD | {"reply": f"echo {n}"} for n in range(6)))
    for workers in ((), ("-n", "2")):
        log = project.write("pools.log", "")
        ran = project.run("-q", *workers)
        assert ran.outcomes == {"passed": 8}, ran.out
        lines = log.read_text().splitlines()
        opened = [line.split()[1] for line in lines if line.startswith("__init__")]
        closed = [line.split()[1] for line in lines if line.startswith("close")]
        assert len(opened) == (2 if workers else 1)
        assert sorted(opened) == sorted(closed)
        assert len(set(opened)) == len(opened)


def test_another_transport_takes_all_programs(project: Project) -> None:
    project.cases("shell", FAULTY, BROKEN | {"transport": "single"}, GOOD | {"reply": {"base64": "cHJpbnRmICf/Jw=="}})
    ran = project.run("-q", "--qfuzz-transport", "json")
    assert (ran.status, ran.outcomes) == (0, {"passed": 1, "skipped": 1}), ran.out
    assert "JSON can't hold bytes that are not UTF-8" in ran.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "bad.breakers.jsonl:2: is not JSON"),
        (
            '{"schema":1,"transport":"nested","expect":"survive","reply":"x"}',
            "bad.breakers.jsonl:2: key 'expect' must be",
        ),
    ],
)
def test_a_bad_line_stops_the_collection_and_is_named(project: Project, line: str, said: str) -> None:
    path = project.cases("bad", GOOD)
    path.write_text(path.read_text() + line)
    ran = project.run("-q")
    assert ran.status == 2
    assert said in ran.out
    assert "Traceback" not in ran.out


def test_what_else_is_wrong_fails_in_one_line(project: Project) -> None:
    project.cases("empty")
    assert "empty.breakers.jsonl: holds no breaker" in project.run("-q").out
    project.cases("empty", GOOD | {"transport": "pigeon"}, GOOD | {"reply": "echo $RANDOM$RANDOM$RANDOM"})
    ran = project.run("-q")
    assert (ran.status, ran.outcomes) == (1, {"failed": 2})
    assert "unknown transport 'pigeon'; `qfuzz transports` lists the known ones; no qfuzz.toml is in " in ran.out
    assert "does not do the same twice" in ran.out
    assert "Traceback" not in ran.out
    assert "During handling" not in ran.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--qfuzz-transport", "pigeon"], "ERROR: --qfuzz-transport: unknown transport 'pigeon'; "),
        (["--qfuzz-config", "none.toml"], "none.toml: can't be read (No such file or directory)"),
        (["--qfuzz-config", "bad.toml"], "bad.toml:2: transports.x.templat: unknown key"),
        (["--qfuzz-jobs", "0"], "argument --qfuzz-jobs: must be 1 to 256, not '0'"),
        (["--qfuzz-jobs", "257"], "argument --qfuzz-jobs: must be 1 to 256, not '257'"),
    ],
)
def test_a_bad_option_is_one_usage_error_and_not_one_a_test(project: Project, options: list[str], said: str) -> None:
    project.cases("two", GOOD, BROKEN)
    project.write("bad.toml", "[transports.x]\ntemplat = 'x {}'\n")
    ran = project.run("-q", *options)
    assert ran.status == pytest.ExitCode.USAGE_ERROR, ran.out
    assert ran.out.count(said) == 1
    assert "Traceback" not in ran.out


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_bad_file_of_the_root_folder_is_said_once(project: Project, workers: tuple[str, ...]) -> None:
    project.cases("two", GOOD, BROKEN)
    project.write("qfuzz.toml", "[transports.x]\ntemplat = 'x {}'\n")
    ran = project.run("-q", *workers)
    assert ran.status == pytest.ExitCode.USAGE_ERROR, ran.out
    assert ran.out.count("qfuzz.toml:2: transports.x.templat: unknown key") == 1
    assert "Traceback" not in ran.out


def test_without_a_jail_a_developer_is_told_and_ci_fails(project: Project) -> None:
    project.write("conftest.py", NO_BUBBLEWRAP)
    project.cases("shell", GOOD)
    said = "bubblewrap is missing; sudo apt-get install bubblewrap"
    ran = project.run("-q")
    assert (ran.status, ran.outcomes) == (0, {"skipped": 1})
    assert said in ran.out
    for value in ("true", "1"):
        ran = project.run("-q", env={"CI": value})
        assert (ran.status, ran.outcomes) == (1, {"failed": 1})
        assert said in ran.out
        assert "a case that is not run is no pass" in ran.out
    assert project.run("-q", env={"CI": "false"}).outcomes == {"skipped": 1}


def test_reviewed_files_run_without_a_jail_and_nothing_else_does(project: Project) -> None:
    project.write("conftest.py", NO_BUBBLEWRAP)
    project.cases("shell", GOOD, BROKEN)
    project.write("test_own.py", "def test_own(qfuzz_replay):\n    qfuzz_replay('touch ran; false', 'nested')\n")
    ran = project.run("-q", "--qfuzz-isolation", "none", env={"CI": "true"})
    assert ran.outcomes == {"passed": 2, "failed": 1}
    assert "--qfuzz-isolation none is for breaker files that somebody has read" in ran.out
