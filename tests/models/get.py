"""Gets the programs that models follow into a folder of their own; nothing of them is installed on the machine.

Debian's packages come through apt, with lists and a cache of its own, and are unpacked; others through pip and npm.
`python -m tests.models.get NAME` does it. What is there already is not asked for again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "build" / "models"
SOURCES = Path(__file__).resolve().parent / "programs"

_SUITES = ("bookworm", "trixie")
_SOURCE = """Types: deb deb-src
URIs: http://deb.debian.org/debian
Suites: {suites}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
_GO = ("golang-1.24-go/trixie", "golang-1.24-src/trixie")
_HCL = (
    "golang-github-hashicorp-hcl-v2-dev/trixie",
    "golang-github-zclconf-go-cty-dev/trixie",
    "golang-github-agext-levenshtein-dev/trixie",
    "golang-github-apparentlymart-go-textseg-dev/trixie",
    "golang-github-mitchellh-go-wordwrap-dev/trixie",
    "golang-github-google-go-cmp-dev/trixie",
    "golang-golang-x-text-dev/trixie",
)
_CRON = (
    "libc6/trixie",
    "libpam0g/trixie",
    "libselinux1/trixie",
    "libaudit1/trixie",
    "libcap-ng0/trixie",
    "libpcre2-8-0/trixie",
    "libpam-modules/trixie",
    "libpam-runtime/trixie",
)
DEBIAN: Mapping[str, tuple[str, ...]] = {
    "go": _GO,
    "hcl": _HCL,
    "shlex": ("librust-shlex-dev/bookworm",),
    "compose": ("docker-compose/trixie", "libc6/trixie"),
    "cronie": ("cronie/trixie", *_CRON),
    "cron": ("cron/trixie", *_CRON),
}
"""Folders, and the packages with their suites that are unpacked into them."""
KUBERNETES = "1.20.5+really1.20.2-1.1+deb12u1"
"""The last source package in Debian that has the kubelet's own expansion of variables in it."""
PNPM = "9.15.4"
"""The last release that quotes so."""
ANSIBLE = "2.19.3"
NEEDS: Mapping[str, tuple[str, ...]] = {
    "compose-model": ("compose",),
    "crontab-model": ("cronie",),
    "crontab-debian-model": ("cron",),
    "go-template-model": ("go",),
    "kubernetes-model": ("go", "kubernetes"),
    "package-script-model": ("pnpm",),
    "rust-shlex-model": ("shlex",),
    "terraform-model": ("go", "hcl"),
    "ansible-shell-model": ("ansible",),
    "systemd-model": (),
}
"""What each model is recorded from."""


def missing(model: str) -> list[str]:
    """The folders that are not there."""
    return [name for name in NEEDS[model] if not (PROGRAMS / name / "done").exists()]


def get(name: str) -> Path:
    """The folder `name` of programs, filled where it is not."""
    folder = PROGRAMS / name
    if (folder / "done").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if name in DEBIAN:
        _unpack(folder, DEBIAN[name])
    elif name == "kubernetes":
        _source(folder, f"kubernetes={KUBERNETES}", "*/third_party/forked/golang/expansion/expand.go")
    elif name == "pnpm":
        _run("npm", "install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", f"pnpm@{PNPM}")
    elif name == "ansible":
        _run(sys.executable, "-m", "pip", "install", "-q", "--target", folder / "site", f"ansible-core=={ANSIBLE}")
    else:
        raise KeyError(name)
    (folder / "done").touch()
    return folder


def version(name: str, package: str) -> str:
    """The version of a Debian package that was unpacked into the folder `name`."""
    return (PROGRAMS / name / f"{package}.version").read_text().strip()


def _unpack(folder: Path, packages: tuple[str, ...]) -> None:
    debs = folder / "debs"
    debs.mkdir()
    _run("apt-get", "-qq", "download", *packages, config=_apt(), cwd=debs)
    for deb in sorted(debs.glob("*.deb")):
        _run("dpkg-deb", "-x", deb, folder / "root")
        package, version = (_run("dpkg-deb", "-f", deb, field).strip() for field in ("Package", "Version"))
        (folder / f"{package}.version").write_text(f"{version}\n")
    shutil.rmtree(debs)


def _source(folder: Path, package: str, pattern: str) -> None:
    _run("apt-get", "-qq", "source", "--download-only", package, config=_apt(), cwd=folder)
    (archive,) = folder.glob("*.orig.tar.*")
    _run("tar", "-xf", archive, "-C", folder, "--strip-components=1", "--wildcards", pattern)
    for path in folder.iterdir():
        if path.is_file():
            path.unlink()


def _apt() -> Path:
    """The configuration of an apt with its own lists of packages, which are brought up to date once."""
    home = PROGRAMS / "apt"
    config = home / "apt.conf"
    if not config.exists():
        (home / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (home / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        (home / "debian.sources").write_text(_SOURCE.format(suites=" ".join(_SUITES)))
        lines = {
            "Dir::Etc::sourcelist": home / "debian.sources",
            "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": home / "lists",
            "Dir::Cache": home / "cache",
            "Acquire::Languages": "none",
            "APT::Sandbox::User": "root",
        }
        text = "".join(f'{key} "{value}";\n' for key, value in lines.items())
        (home / "new.conf").write_text(text)
        _run("apt-get", "-qq", "update", config=home / "new.conf")
        (home / "new.conf").rename(config)
    return config


def _run(*words: object, config: Path | None = None, cwd: Path | None = None) -> str:
    environment = {**os.environ, **({"APT_CONFIG": str(config)} if config else {})}
    return subprocess.run(
        [str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, cwd=cwd, env=environment
    ).stdout


if __name__ == "__main__":
    for model in sys.argv[1:] or NEEDS:
        for name in NEEDS[model]:
            print(get(name))
