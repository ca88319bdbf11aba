"""Asks cron: each text is the command of a crontab of its own, every minute, and the shell is the recorder."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.models import get, sandbox
from tests.models.vectors import Outcome, Vectors, shortened

_PAM = "account required pam_permit.so\nsession required pam_permit.so\nauth required pam_permit.so\n"
_SPOOL = "var/spool/cron/crontabs"
_MINUTE_SECONDS = 75
"""A minute, and the time for all of them to start."""


def unavailable() -> str | None:
    """Why cron can't be asked here, or None."""
    return None if os.getuid() == 0 else "a daemon that changes users takes root"


def cronie(texts: Sequence[bytes]) -> Vectors:
    root = get.get("cronie") / "root"
    title = f"cronie {get.version('cronie', 'cronie')} (Debian)"
    return Vectors(title, _observed(texts, root, ["/usr/bin/crontab", "-T"], ["/usr/sbin/crond", "-n", "-m", "off"]))


def debian(texts: Sequence[bytes]) -> Vectors:
    root = get.get("cron") / "root"
    title = f"Debian's cron {get.version('cron', 'cron')}"
    return Vectors(title, _observed(texts, root, ["/usr/bin/crontab", "-n"], ["/usr/sbin/cron", "-f"]))


def _observed(
    texts: Sequence[bytes], root: Path, check: list[str], daemon: list[str]
) -> tuple[tuple[bytes, Outcome], ...]:
    with sandbox.folder() as folder:
        _make(folder, texts)
        outcomes = {}
        for number, text in enumerate(texts):
            (folder / "crontab").write_bytes(_crontab(number, text))
            told = subprocess.run([*_words(folder, root), *check, "/crontab"], capture_output=True, check=False)
            if told.returncode:
                outcomes[number] = Outcome(error=shortened((told.stdout + told.stderr).decode("latin-1")))
                (folder / _SPOOL / f"u{number}").unlink()
        sandbox.empty(folder / "out")
        _minute(folder, [*_words(folder, root), *daemon], len(texts) - len(outcomes))
        for record in sandbox.records(folder / "out"):
            number = int(record.mark)
            assert number not in outcomes, f"{texts[number]!r} ran more than once, or was no crontab"
            outcomes[number] = Outcome(argv=record.words, stdin=record.stdin)
    return tuple((text, outcomes.get(number, Outcome(error="did not run"))) for number, text in enumerate(texts))


def _crontab(number: int, text: bytes) -> bytes:
    return b"RECORD=%d\n* * * * * %s\n" % (number, text)


def _make(folder: Path, texts: Sequence[bytes]) -> None:
    """The files of a small machine with one user a text."""
    for name in ("etc/pam.d", "etc/cron.d", _SPOOL, "var/run"):
        (folder / name).mkdir(parents=True)
    users = ["root", "nobody", *(f"u{number}" for number in range(len(texts)))]
    (folder / "etc" / "passwd").write_text("".join(f"{user}:x:0:0::/tmp:/bin/sh\n" for user in users))
    (folder / "etc" / "group").write_text("root:x:0:\ncrontab:x:0:\n")
    for service in ("cron", "cronie", "crond", "other"):
        (folder / "etc" / "pam.d" / service).write_text(_PAM)
    for number, text in enumerate(texts):
        path = folder / _SPOOL / f"u{number}"
        path.write_bytes(_crontab(number, text))
        path.chmod(0o600)
    (folder / _SPOOL).chmod(0o1730)


def _words(folder: Path, root: Path) -> list[str]:
    binds = [(root / "usr", "/usr"), (folder / "etc", "/etc"), (folder / "crontab", "/crontab")]
    (folder / "crontab").touch()
    options = ["--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--dir", "/run"]
    options += ["--bind", str(folder / "var"), "/var", "--setenv", "PATH", "/usr/bin:/bin"]
    return sandbox.words(folder / "out", binds, *options, users=True)


def _minute(folder: Path, line: list[str], expected: int) -> None:
    """Runs the daemon until a minute began and what it started has ended."""
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(line, **silent) as daemon:
        deadline = time.monotonic() + _MINUTE_SECONDS
        while time.monotonic() < deadline and len(os.listdir(folder / "out")) < expected:
            assert daemon.poll() is None, "cron ended"
            time.sleep(0.5)
        time.sleep(1)
        daemon.kill()
