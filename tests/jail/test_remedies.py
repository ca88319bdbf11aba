"""Where no jail can be made, the error names the rule and the remedy; `doctor` says the same."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from qfuzz.cli import doctor
from qfuzz.engine.here import require_here
from qfuzz.jail import bubblewrap
from qfuzz.jail.probe import explain_failure
from qfuzz.model.errors import HostError
from qfuzz.transports.loader import load, resolve
from tests.jail.hosts import ORDINARY_USER

NO_NAMESPACE = "the agent ended: bwrap: No permissions to create new namespace"


def machine(root: Path, settings: dict[str, str], *, container: bool = False, filtered: bool = False) -> Path:
    for name, value in {f"proc/sys/{name}": value for name, value in settings.items()}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{value}\n")
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/status").write_text(f"Name:\tx\nSeccomp:\t{2 if filtered else 0}\nThreads:\t1\n")
    if container:
        (root / ".dockerenv").touch()
    return root


@pytest.mark.parametrize(
    ("settings", "surroundings", "message", "remedy"),
    [
        ({"user/max_user_namespaces": "0"}, {}, NO_NAMESPACE, "sudo sysctl -w user.max_user_namespaces=10000"),
        (
            {"kernel/unprivileged_userns_clone": "0", "user/max_user_namespaces": "9"},
            {},
            NO_NAMESPACE,
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            {"kernel/apparmor_restrict_unprivileged_userns": "1"},
            {},
            NO_NAMESPACE,
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ({}, {"container": True, "filtered": True}, NO_NAMESPACE, "--security-opt seccomp=unconfined"),
        ({}, {"container": True}, "bwrap: Can't mount proc on /newroot/proc", "systempaths=unconfined"),
        ({}, {"filtered": True}, NO_NAMESPACE, "run qfuzz outside the sandbox"),
        ({}, {}, "bwrap: execvp: No such file", "run bwrap --unshare-all"),
    ],
)
def test_the_rule_is_told_from_the_machines_settings(
    tmp_path: Path, settings: dict[str, str], surroundings: dict[str, bool], message: str, remedy: str
) -> None:
    error = explain_failure(message, machine(tmp_path, settings, **surroundings))
    assert remedy in error.hint
    assert "\n" not in str(error)


def test_apparmors_profile_for_bubblewrap_is_named(tmp_path: Path) -> None:
    profile = tmp_path / "etc/apparmor.d/bwrap-userns-restrict"
    profile.parent.mkdir(parents=True)
    profile.touch()
    error = explain_failure("the agent ended: PermissionError: mount /work: Permission denied", machine(tmp_path, {}))
    assert "apparmor_parser -R /etc/apparmor.d/bwrap-userns-restrict" in error.hint


FORBID = {
    "max_user_namespaces": """
libc = ctypes.CDLL(None, use_errno=True)
user = os.getuid()
assert libc.prctl(4, 1, 0, 0, 0) == 0  # dumpable again, so that the maps can be written
assert libc.unshare(0x10000000) == 0
open("/proc/self/setgroups", "w").write("deny")
open("/proc/self/uid_map", "w").write(f"1000 {user} 1")
open("/proc/sys/user/max_user_namespaces", "w").write("0")
""",
    "seccomp": """
clone = 56 if os.uname().machine == "x86_64" else 220
code = [
    (0x20, 0, 0, 0), (0x15, 0, 3, clone),  # not clone: allow
    (0x20, 0, 0, 16), (0x45, 0, 1, 0x10000000),  # without CLONE_NEWUSER: allow
    (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7FFF0000),
]
linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1, "no_new_privs")
linux.install_filter(b"".join(struct.pack("<HBBI", *each) for each in code))
""",
}


@pytest.mark.parametrize("rule", FORBID)
@pytest.mark.usefixtures("user_namespaces")
def test_a_real_rule_is_found(rule: str) -> None:
    program = f"""
import ctypes, os, struct
from qfuzz.jail.agent import linux
from qfuzz.jail.interpreter import find_interpreter
from qfuzz.jail.pool import Pool
from qfuzz.model.errors import HostError
find_interpreter()
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid({ORDINARY_USER}, {ORDINARY_USER}, {ORDINARY_USER})
    os.setresuid({ORDINARY_USER}, {ORDINARY_USER}, {ORDINARY_USER})
{FORBID[rule]}
try:
    Pool(1)
except HostError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=60
    )
    assert rule in done.stdout, done
    assert "no jail can be made" in done.stdout


@pytest.mark.usefixtures("user_namespaces")
def test_doctor_finds_a_sound_machine_sound() -> None:
    done = CliRunner().invoke(doctor.command, ["--json"], standalone_mode=False)
    assert done.return_value == 0, done.output
    findings = {finding["name"]: finding for finding in map(json.loads, done.output.splitlines())}
    assert all(finding["ok"] for finding in findings.values())
    # A boundary may be missing on a sound machine, and has a remedy then.
    assert {name for name, finding in findings.items() if finding["remedy"]} <= {*load().boundaries, "transports"}
    assert findings["git"]["detail"].startswith("git version")
    assert findings["kernel"]["detail"].startswith(os.uname().release)


def test_doctor_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda *_, **__: None)
    done = CliRunner().invoke(doctor.command, [], standalone_mode=False)
    assert done.return_value == 2
    assert "bubblewrap is missing" in done.output
    assert "sudo apt-get install bubblewrap" in done.output


def test_a_machine_without_unused_user_ids_is_told_to_use_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "user_ranges", lambda: [(0, 1)])
    with pytest.raises(HostError, match="as an ordinary user"):
        bubblewrap.unprivileged_user(0)


@pytest.mark.parametrize(("ranges", "first"), [([(0, 1 << 32)], 1_879_048_193), ([(0, 65_536)], 64_536)])
def test_unprivileged_users_are_mapped_and_differ(
    monkeypatch: pytest.MonkeyPatch, ranges: list[tuple[int, int]], first: int
) -> None:
    monkeypatch.setattr(bubblewrap, "user_ranges", lambda: ranges)
    users = [bubblewrap.unprivileged_user(slot) for slot in range(256)]
    assert users[0] == first
    assert len(set(users)) == 256
    assert all(any(start <= user < start + count for start, count in ranges) for user in users)


def test_a_user_without_a_name_can_have_no_jail_of_several_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers often start programs so."""
    nobody = next(number for number in range(65_533, 0, -1) if not _has_name(number))
    monkeypatch.setattr("os.geteuid", lambda: nobody)
    with pytest.raises(HostError) as caught:
        require_here(resolve("su-command"), "bwrap")
    assert str(caught.value) == (
        f"su-command is not available here, because the user {nobody}, who has no entry in /etc/passwd, can have no "
        "jail of several users; run qfuzz as a user with an entry in /etc/passwd, or as root"
    )


def _has_name(number: int) -> bool:
    try:
        pwd.getpwuid(number)
    except KeyError:
        return False
    return True
