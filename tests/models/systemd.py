"""Asks systemd: it is the first process of a sandbox, a text is in a service of its own, the recorder is the shell."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.models import sandbox
from tests.models.vectors import Outcome, Vectors

PROGRAM = Path("/usr/lib/systemd/systemd")
_UNIT = (
    b"[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nSlice=system.slice\nEnvironment=RECORD=%d\n"
    b"ExecStart=/bin/bash -c '%s'\n"
)
_MANAGER = "[Manager]\nDefaultEnvironment=PATH=/usr/bin:/bin LANG=C.UTF-8\n"
_FILES = {
    "machine-id": "00000000000000000000000000000002\n",
    "hostname": "qfuzz\n",
    "os-release": "ID=debian\nVERSION_ID=12\n",
    "passwd": "root:x:0:0:root:/root:/bin/bash\n",
    "group": "root:x:0:\n",
}
_QUIET_SECONDS = 2
_MOST_SECONDS = 90


def unavailable() -> str | None:
    """Why systemd can't be asked here, or None."""
    if not PROGRAM.exists():
        return "no systemd"
    return None if os.getuid() == 0 and _groups() else "takes root, and control groups of version 2"


def systemd(texts: Sequence[bytes]) -> Vectors:
    reason = unavailable()
    if reason:
        raise RuntimeError(reason)
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    with sandbox.folder() as folder, _group() as group:
        _make(folder, texts)
        _run(folder, group)
        found: dict[int, list[sandbox.Record]] = {}
        for record in sandbox.records(folder / "out"):
            found.setdefault(int(record.mark), []).append(record)
    rows = tuple((text, _outcome(number, found.get(number, []))) for number, text in enumerate(texts))
    return Vectors(f"{version}, as the first process of a sandbox", rows)


def _outcome(number: int, records: list[sandbox.Record]) -> Outcome:
    if len(records) > 1:
        return Outcome(error="started more than one command")
    if not records:
        return Outcome(error="did not start")
    words = tuple(_as_modelled(number, word) for word in records[0].words)
    return Outcome(argv=words, stdin=records[0].stdin)


def _as_modelled(number: int, word: bytes) -> bytes:
    """A word with what is a matter of this machine and this unit written as the model has it."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "").encode()
    word = word.replace(boot, b"00000000000000000000000000000001").replace(os.uname().release.encode(), b"6.1.0")
    return word.replace(_name(number).encode(), b"run")


def _name(number: int) -> str:
    return f"runof{number:05d}"


def _make(folder: Path, texts: Sequence[bytes]) -> None:
    units = folder / "etc" / "systemd" / "system"
    units.mkdir(parents=True)
    (folder / "etc" / "systemd" / "system.conf").write_text(_MANAGER)
    for name, content in _FILES.items():
        (folder / "etc" / name).write_text(content)
    for number, text in enumerate(texts):
        (units / f"{_name(number)}.service").write_bytes(_UNIT % (number, text))
    wanted = "".join(f"Wants={_name(number)}.service\n" for number in range(len(texts)))
    (units / "default.target").write_text(f"[Unit]\nDefaultDependencies=no\n{wanted}")


def _run(folder: Path, group: Path) -> None:
    """Runs the manager until no service has started for a while."""
    hidden = ("system", "system-generators", "system-environment-generators", "system-preset")
    options = [word for name in hidden for word in ("--tmpfs", f"/usr/lib/systemd/{name}")]
    options += ["--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--tmpfs", "/run"]
    options += ["--dir", "/var/tmp", "--dir", "/root", "--bind", str(group), "/sys/fs/cgroup", "--hostname", "qfuzz"]
    options += ["--setenv", "container", "other", "--unshare-cgroup", "--as-pid-1", "--cap-add", "ALL"]
    binds = [("/usr/lib", "/usr/lib"), ("/usr/lib64", "/usr/lib64"), (folder / "etc", "/etc")]
    line = sandbox.words(folder / "out", binds, *options, users=True)
    line += [str(PROGRAM), "--system", "--log-target=null", "--show-status=0"]
    # The manager takes the group that it is in for the root of all.
    enter = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"'
    quiet_streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(["sh", "-c", enter, "sh", group, *line], **quiet_streams) as running:
        begun = quiet = time.monotonic()
        seen = 0
        while time.monotonic() - quiet < _QUIET_SECONDS and time.monotonic() - begun < _MOST_SECONDS:
            time.sleep(0.2)
            assert running.poll() is None, "systemd ended"
            now = len(os.listdir(folder / "out"))
            if now != seen or not now:
                seen, quiet = now, time.monotonic()
        running.kill()


def _groups() -> Path | None:
    """The folder of this process's own control group of version 2."""
    own = next(
        (line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")), None
    )
    for mount in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if own is not None and (Path(mount) / "cgroup.procs").exists():
            return Path(mount + own)
    return None


@contextmanager
def _group() -> Iterator[Path]:
    """A control group below the own one, gone afterwards."""
    parent = _groups()
    assert parent is not None
    made = parent / f"qfuzz-models-{os.getpid()}"
    made.mkdir()
    try:
        yield made
    finally:
        deadline = time.monotonic() + 10
        while (made / "cgroup.events").read_text().startswith("populated 1") and time.monotonic() < deadline:
            time.sleep(0.1)
        for folder, _, _ in os.walk(made, topdown=False):
            os.rmdir(folder)
