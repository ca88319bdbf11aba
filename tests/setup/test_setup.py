"""scripts/setup.sh on machines that have and lack things: what it installs, what it says, when it does nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.setup.machine import Machine


@pytest.fixture
def machine(tmp_path: Path, checkout: Path) -> Machine:
    return Machine(tmp_path, checkout)


INSTALLS = [
    "python -m pip install -qq --no-input --disable-pip-version-check --no-warn-script-location"
    " --require-hashes --requirement requirements-dev.lock",
    "python -m pip install -qq --no-input --disable-pip-version-check --no-warn-script-location"
    " --no-deps --no-build-isolation --editable .",
]
MAKES = ["setup: making .venv with ", "setup: installing the locked tools and qfuzz into .venv"]
NPM = "setup: installing the packages of scripts/npm/package-lock.json into .venv/node"
EXAMPLES = "setup: installing the packages of docs/own-path/requirements.lock into .venv/examples"
EXAMPLES_CALLS = [
    "python -m venv --without-pip .venv/examples",
    "python -m pip --python .venv/examples/bin/python install -qq --no-input --disable-pip-version-check --no-deps"
    " --only-binary :all: --require-hashes --requirement docs/own-path/requirements.lock",
]
NPM_CI = "npm ci --prefix .venv/node --ignore-scripts --no-audit --no-fund --silent"


def test_a_machine_that_has_everything(machine):
    assert machine.setup() == (
        0,
        [*MAKES, NPM, EXAMPLES],
        ["python --version", "python -m venv --clear .venv", *INSTALLS, NPM_CI, *EXAMPLES_CALLS],
    )
    assert machine.setup() == (0, [], [])


@pytest.mark.parametrize("changed", ["pyproject.toml", "requirements-dev.lock"])
def test_a_change_is_installed_into_the_same_environment(machine, changed):
    machine.setup()
    with (machine.checkout / changed).open("a") as file:
        file.write("# more\n")
    assert machine.setup() == (0, MAKES[1:], INSTALLS)
    assert machine.setup() == (0, [], [])


def test_a_moved_checkout_is_set_up_anew(machine):
    machine.setup()
    machine.checkout = machine.checkout.rename(machine.folder / "moved")
    status, lines, calls = machine.setup()
    assert (status, lines) == (0, [*MAKES, NPM, EXAMPLES])
    assert "python -m venv --clear .venv" in calls


def test_a_broken_environment_is_made_anew(machine):
    machine.setup()
    (machine.checkout / ".venv/bin/pip").unlink()
    assert machine.setup()[:2] == (0, [*MAKES, NPM, EXAMPLES])


def test_an_environment_made_by_hand_is_kept(machine):
    machine.setup()
    (machine.checkout / ".venv/setup-stamp").unlink()
    assert machine.setup() == (0, MAKES[1:], INSTALLS)
    (machine.checkout / ".venv/setup-stamp").unlink()
    machine.have("old-python")
    assert machine.setup()[0] == 2


def test_what_was_interrupted_is_taken_up(machine):
    machine.have("offline")
    status, lines, _ = machine.setup()
    assert status == 2
    assert lines[-1].startswith("setup: pip could not install")
    machine.lack("offline")
    assert machine.setup() == (0, [*MAKES[1:], NPM, EXAMPLES], [*INSTALLS, NPM_CI, *EXAMPLES_CALLS])


def test_a_change_of_the_packages_from_npm_is_installed(machine):
    machine.setup()
    with (machine.checkout / "scripts/npm/package-lock.json").open("a") as file:
        file.write("\n")
    machine.have("offline")
    status, lines, _ = machine.setup()
    assert (status, lines[0]) == (2, NPM)
    assert lines[-1].startswith("setup: npm could not install what scripts/npm/package-lock.json names")
    machine.lack("offline")
    assert machine.setup() == (0, [NPM], [NPM_CI])
    assert machine.setup() == (0, [], [])


def test_a_change_of_the_examples_packages_is_installed(machine):
    machine.setup()
    with (machine.checkout / "docs/own-path/requirements.lock").open("a") as file:
        file.write("\n")
    machine.have("offline")
    status, lines, _ = machine.setup()
    assert (status, lines[0]) == (2, EXAMPLES)
    assert lines[-1].startswith("setup: pip could not install what docs/own-path/requirements.lock names")
    machine.lack("offline")
    assert machine.setup() == (0, [EXAMPLES], EXAMPLES_CALLS)
    assert machine.setup() == (0, [], [])


def test_another_place_for_the_environment(machine):
    machine.setup(VENV="other env")
    assert (machine.checkout / "other env/bin/python").exists()
    assert not (machine.checkout / ".venv").exists()


def test_another_interpreter(machine):
    machine.setup()
    assert machine.setup(PYTHON="python3") == (0, [], [])
    other = machine.bin / "python4"
    other.write_text((machine.bin / "python3").read_text().replace("echo here", "echo elsewhere"))
    other.chmod(0o755)
    assert machine.setup(PYTHON="python4")[:2] == (0, [*MAKES, NPM, EXAMPLES])


def test_an_interpreter_that_will_not_do(machine):
    machine.have("old-python")
    (no_python,) = machine.setup()[1]
    assert no_python.startswith(
        "setup: no Python 3.11 or newer on PATH; install python3, or name one: make setup PYTHON="
    )
    assert machine.setup(PYTHON="python3")[:2] == (2, ["setup: PYTHON=python3 is not a Python 3.11 or newer"])
    assert machine.setup(PYTHON="/nowhere")[:2] == (2, ["setup: PYTHON=/nowhere is not a Python 3.11 or newer"])


def test_a_missing_venv_package_is_installed(machine):
    machine.lack("ensurepip")
    status, lines, calls = machine.setup()
    assert (status, lines) == (0, [MAKES[0], "setup: installing python3.11-venv with apt-get", MAKES[1], NPM, EXAMPLES])
    # The first try finds no lists of packages, as on a machine that is new.
    apt = [call.rpartition("Timeout=300 ")[2] for call in calls if call.startswith("apt-get")]
    install = "install -y --no-install-recommends python3.11-venv"
    assert apt == [install, "update", install]


def test_without_the_venv_package_pip_is_downloaded(machine):
    machine.lack("ensurepip")
    machine.remove("apt-get")
    status, lines, calls = machine.setup()
    assert (status, lines[1]) == (0, "setup: Python has no ensurepip (package python3.11-venv): downloading pip")
    assert calls[1:3] == [
        "python -m venv --clear --without-pip .venv",
        "python scripts/bootstrap_pip.py requirements-dev.lock .venv/bin/python",
    ]


def test_no_way_to_an_environment_is_said_in_one_line_and_leaves_none(machine):
    machine.lack("ensurepip")
    machine.have("offline")
    status, lines, _ = machine.setup()
    assert status == 2
    assert lines[-1] == ("setup: no virtual environment can be made; install it: sudo apt-get install python3.11-venv")
    assert not (machine.checkout / ".venv").exists()


def test_a_missing_program_is_installed(machine):
    machine.remove("bwrap")
    assert machine.setup()[:2] == (0, [*MAKES, "setup: installing bubblewrap with apt-get", NPM, EXAMPLES])


@pytest.mark.parametrize("condition", ["no apt-get", "no network"])
def test_a_missing_program_that_cannot_be_installed(machine, condition):
    machine.setup()
    machine.remove("bwrap", "dash")
    if condition == "no apt-get":
        machine.remove("apt-get")
    else:
        machine.have("offline")
    status, lines, _ = machine.setup()
    assert status == 2
    assert lines[-1] == "setup: missing: bubblewrap dash; install: sudo apt-get install bubblewrap dash"
    assert machine.setup("--tools") == (0, [], [])


def test_a_missing_program_that_only_some_transports_need(machine):
    machine.setup()
    machine.remove("zsh", "apt-get")
    hint = "setup: some transports are not available without: zsh; install: sudo apt-get install zsh"
    assert machine.setup()[:2] == (0, [hint])
    machine.remove("dash")
    status, (line,), _ = machine.setup()
    assert (status, line) == (2, "setup: missing: dash zsh; install: sudo apt-get install dash zsh")


def test_a_server_is_found_where_only_root_has_it_on_the_path(machine):
    machine.setup()
    (machine.bin / "sshd").rename(machine.servers / "sshd")
    machine.remove("apt-get")
    assert machine.setup() == (0, [], [])


def test_a_forbidden_sandbox(machine):
    machine.setup()
    machine.have("forbidden")
    status, (line,), _ = machine.setup()
    assert status == 2
    assert line.startswith("setup: ")
    assert machine.setup("--tools") == (0, [], [])


def test_an_unknown_argument(machine):
    assert machine.setup("--jail")[:2] == (2, ["setup: unknown argument: --jail"])


def test_scripts_are_well_formed(checkout):
    for script in [*checkout.glob("scripts/*.sh"), checkout / ".ci/run"]:
        subprocess.run(["bash", "-n", script], check=True)
        assert script.stat().st_mode & 0o111, f"{script} is not executable"
