"""Why no jail can be made here, and what exactly to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qfuzz.model.errors import HostError

_ROOT = Path("/")
_BWRAP_PROFILE = "etc/apparmor.d/bwrap-userns-restrict"


def explain_failure(message: str, root: Path = _ROOT) -> HostError:
    """The rule of this machine that forbids jails. `message` is what bubblewrap or the agent said.

    `root` holds the machine's /proc and /etc. Where no known rule applies, the error carries the message alone.
    """
    for what, hint in _rules(message, root):
        return HostError(f"no jail can be made: {what}", hint=hint)
    return HostError(f"no jail can be made: {message}", hint="run bwrap --unshare-all --ro-bind / / true to see more")


def _rules(message: str, root: Path) -> Iterator[tuple[str, str]]:
    """Rules that are in force and fit the message, the most certain first: what forbids, and the remedy."""
    if _setting(root, "user/max_user_namespaces") == "0":
        yield (
            "user namespaces are off (user.max_user_namespaces is 0)",
            "allow them: sudo sysctl -w user.max_user_namespaces=10000",
        )
    if _setting(root, "kernel/unprivileged_userns_clone") == "0":
        yield (
            "user namespaces are for root only (kernel.unprivileged_userns_clone is 0)",
            "allow them: sudo sysctl -w kernel.unprivileged_userns_clone=1",
        )
    if "mount proc" in message:
        yield (
            "this container hides parts of /proc, so that no new /proc may be mounted",
            "start it with --security-opt systempaths=unconfined",
        )
    if "mount /work" in message and (root / _BWRAP_PROFILE).exists():
        # It lets bubblewrap make a namespace, and takes every capability there from what bubblewrap starts.
        yield (
            f"AppArmor's profile /{_BWRAP_PROFILE} forbids mounts in a jail",
            f"take it out: sudo apparmor_parser -R /{_BWRAP_PROFILE}",
        )
    if "namespace" not in message:
        return
    in_container = any((root / path).exists() for path in (".dockerenv", "run/.containerenv"))
    filtered = "\nSeccomp:\t2\n" in _read(root / "proc/self/status")
    if filtered and in_container:
        yield (
            "the container's seccomp profile forbids namespaces",
            "start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined",
        )
    if _setting(root, "kernel/apparmor_restrict_unprivileged_userns") == "1":
        yield (
            "AppArmor forbids user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)",
            "allow them: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        )
    if filtered:
        yield (
            "a seccomp filter on this process forbids namespaces",
            "run qfuzz outside the sandbox, container or service that set it",
        )


def _setting(root: Path, name: str) -> str:
    return _read(root / "proc/sys" / name).strip()


def _read(path: Path) -> str:
    """The text of a small file, empty where there is none."""
    try:
        return path.read_text()
    except OSError:
        return ""
