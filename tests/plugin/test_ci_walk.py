"""The way that docs/ci.md goes: red, green, and red again when the fix is lost, whatever the green days have left."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "ci"
FILES = ("harness.py", "qfuzz.toml", "commands.jsonl", "fix.patch", "harness.breakers.jsonl")


class Sample:
    """The sample project of docs/ci in a folder of its own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester
        self.folder = pytester.path
        for name in FILES:
            (self.folder / name).write_bytes((SAMPLE / name).read_bytes())

    def apply(self, *options: str) -> None:
        subprocess.run(["git", "apply", "-p0", *options, "fix.patch"], cwd=self.folder, check=True, timeout=30)

    def test(self, *arguments: str) -> pytest.RunResult:
        return self._pytester.runpytest_subprocess("-p", "qfuzz.pytest_plugin", *arguments)

    def qfuzz(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "qfuzz", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)


@pytest.fixture
def sample(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Sample:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("CI", raising=False)
    return Sample(pytester)


def test_from_red_to_green_and_back(sample: Sample) -> None:
    red = sample.test()
    red.assert_outcomes(failed=2)
    said = red.stdout.str()
    assert "harness.breakers.jsonl:1: " in said
    assert "should survive, and breaks: " in said
    assert "To see it without qfuzz" in said

    sample.apply()
    sample.test().assert_outcomes(passed=2)
    # Stores and caches of the green days stay where they are.
    green = sample.qfuzz("diff", "commands.jsonl", "--transport", "harness", "--no-shrink")
    assert green.returncode == 0, green.stderr
    assert (sample.folder / "qfuzz.db").exists()
    assert sample.qfuzz("regress", "harness.breakers.jsonl").returncode == 0

    sample.apply("--reverse")
    sample.test().assert_outcomes(failed=2)
    lost = sample.qfuzz("regress", "harness.breakers.jsonl", "--explain", "0")
    assert (lost.returncode, lost.stdout.splitlines()[-1]) == (1, "2 cases: 0 as expected, 2 broke")


def test_the_committed_file_is_what_export_writes(sample: Sample) -> None:
    assert sample.qfuzz("diff", "commands.jsonl", "--transport", "harness").returncode == 1
    assert sample.qfuzz("export", "--breakers", "new.breakers.jsonl").returncode == 0
    assert (sample.folder / "new.breakers.jsonl").read_bytes() == (SAMPLE / "harness.breakers.jsonl").read_bytes()


def test_own_transports_are_there_for_fixtures_and_options(sample: Sample) -> None:
    sample.apply()
    (sample.folder / "elsewhere").mkdir()
    (sample.folder / "qfuzz.toml").rename(sample.folder / "elsewhere" / "paths.toml")
    (sample.folder / "harness.py").rename(sample.folder / "elsewhere" / "harness.py")
    (sample.folder / "test_own.py").write_text(
        "def test_own(qfuzz_replay, qfuzz_transport):\n"
        "    assert qfuzz_transport('harness').name == 'harness'\n"
        "    assert qfuzz_replay('echo \"$HOME\"', 'harness').survived\n"
    )
    without = sample.test()
    without.assert_outcomes(failed=3)
    assert "unknown transport 'harness'" in without.stdout.str()
    sample.test("--qfuzz-config", "elsewhere/paths.toml").assert_outcomes(passed=3)
    sample.test("--qfuzz-config", "elsewhere/paths.toml", "--qfuzz-transport", "json > harness").assert_outcomes(
        passed=3
    )


def test_a_bad_config_is_named_with_its_line(sample: Sample) -> None:
    (sample.folder / "qfuzz.toml").write_text('[transports.harness]\ntemplate = "bash -c"\n')
    ran = sample.test()
    said = ran.stdout.str() + ran.stderr.str()
    assert (ran.ret, said.count("qfuzz.toml:2: ")) == (pytest.ExitCode.USAGE_ERROR, 1)
    assert "Traceback" not in said


def test_the_page_shows_the_files_as_they_are() -> None:
    page = (SAMPLE.parent / "ci.md").read_text()
    shown = dict(re.findall(r"<!-- file: docs/ci/(\S+) -->\n```yaml\n(.*?)```", page, re.DOTALL))
    assert set(shown) == {"github-actions.yml", "gitlab-ci.yml"}
    for name, text in shown.items():
        assert text == (SAMPLE / name).read_text()


def test_the_workflows_hold_the_remedies_that_qfuzz_names() -> None:
    from qfuzz.jail import probe

    source = Path(probe.__file__).read_text()
    github, gitlab = ((SAMPLE / name).read_text() for name in ("github-actions.yml", "gitlab-ci.yml"))
    for remedy in ("sysctl -w kernel.apparmor_restrict_unprivileged_userns=0", "apparmor_parser -R /"):
        assert remedy in source
        assert remedy in github
    assert "security-opt seccomp=unconfined --security-opt systempaths=unconfined" in source
    assert '["seccomp=unconfined", "systempaths=unconfined"]' in gitlab
    for text in (github, gitlab):
        assert "bubblewrap" in text
        assert "pytest --junitxml" in text
