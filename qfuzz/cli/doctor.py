"""`qfuzz doctor`: what this machine has, and what to do about the rest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from itertools import chain
from pathlib import Path

import click

from qfuzz.cli.config import FILE_NAME, chosen
from qfuzz.engine.here import require_here
from qfuzz.engine.services import check_services
from qfuzz.escape.loader import ADAPTERS, lack
from qfuzz.jail.interpreter import find_interpreter
from qfuzz.jail.pool import Pool
from qfuzz.model.errors import HarnessError, HostError, QfuzzError
from qfuzz.model.extras import EXTRAS, hint_for, lacking
from qfuzz.model.tools import PACKAGES as TOOLS
from qfuzz.own.load import own_transports
from qfuzz.transports.available import PACKAGES, SEARCH_PATH, missing, version_of
from qfuzz.transports.loader import load, resolve

_PACKAGES = {"bash": "bash", "coreutils": "coreutils", "git": "git", "python3": "python3", "sed": "sed", "grep": "grep"}
"""What replies of the public tasks use, and the Debian packages that hold it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `remedy` is empty where nothing is to be done; what is `absent` is nobody's
    fault, since all else can do without it."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    absent: bool = False

    @property
    def label(self) -> str:
        if not self.ok:
            return "NOT OK"
        return "absent" if self.absent else "ok"


@click.command()
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Look at the transports of your own in FILE. Default: {FILE_NAME}, if it is here.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a finding, on stdout.")
def command(config: Path | None, as_json: bool) -> int:
    """Look at what qfuzz needs of this machine, and say how to get what is missing.

    Exit status: 0 replies can run in a jail and find their programs, 2 something is to be done.

    \b
    Example:
        qfuzz doctor
    """
    sound = True
    for finding in chain(_own(config), examine()):
        sound &= finding.ok
        if as_json:
            print(json.dumps(asdict(finding), ensure_ascii=False))
            continue
        print(f"{finding.label:<7} {finding.name:<12} {finding.detail}")
        if finding.remedy:
            print(f"{'':<20} {finding.remedy}")
    return 0 if sound else 2


def examine() -> Iterator[Finding]:
    """All findings; one that others rest on comes first, and ends the list where it is bad."""
    began = time.monotonic()
    try:
        yield Finding("agent", True, f"runs under {find_interpreter().path}")
        pool = Pool(1)
    except HostError as error:
        yield Finding("jail", False, error.what, error.hint)
        return
    with pool:
        took = (time.monotonic() - began) * 1000
        yield Finding("jail", True, f"made in {took:.0f} ms")
        try:
            versions = pool.versions
        except HarnessError as error:
            yield Finding("programs", False, str(error))
            return
        yield from _programs(versions)
        yield from _libraries()
        yield from _boundaries(pool)
        yield from _adapters()
        yield from _extras()


def _programs(versions: Mapping[str, str]) -> Iterator[Finding]:
    """What replies and boundaries use, as far as it is here."""
    for name, version in versions.items():
        if not version and (name in TOOLS or (name in PACKAGES and name not in _PACKAGES)):
            continue
        lacking = not version and name in _PACKAGES
        yield Finding(
            name,
            not lacking,
            _version(name, version) or "there, without a version",
            f"apt-get install {_PACKAGES[name]}" if lacking else "",
        )


def _libraries() -> Iterator[Finding]:
    """The packages from PyPI and npm that boundaries use, as far as they are here; the rest is said of boundaries."""
    boundaries = load().boundaries.values()
    for module in sorted({module for boundary in boundaries for module in boundary.modules}):
        # A module may be there as plain files, without the record of an installation.
        for name in metadata.packages_distributions().get(module, ()):
            yield Finding(name, True, metadata.version(name))
    for package in sorted({package for boundary in boundaries for package in boundary.node_packages}, key=str):
        found = version_of(package)
        if found:
            yield Finding(package.name, True, found)


def _adapters() -> Iterator[Finding]:
    """Adapters for escaping functions of other languages; what they lack is no fault either."""
    lacking = {name: error for name, error in ((name, lack(name)) for name in ADAPTERS) if error is not None}
    for name, error in lacking.items():
        yield Finding("adapters", True, f"{name} can't be used, because {error.what}", absent=True)
    detail = f"{len(ADAPTERS) - len(lacking)} of {len(ADAPTERS)} are available"
    yield Finding("adapters", True, detail, " && ".join(sorted({error.hint for error in lacking.values()})))


def _extras() -> Iterator[Finding]:
    """What is asked for when qfuzz is installed, and can be added later."""
    absent = {name: modules for name in EXTRAS if (modules := lacking(name))}
    for name, modules in absent.items():
        lacks = " and ".join(modules)
        detail = f"{name} is not here, because {lacks} can't be imported; needed by {EXTRAS[name].serves}"
        yield Finding("extras", True, detail, absent=True)
    there = ", ".join(name for name in EXTRAS if name not in absent) or "none"
    yield Finding("extras", True, f"here: {there}", hint_for(*absent) if absent else "")


def _own(named: Path | None) -> Iterator[Finding]:
    """The file with transports of the user's own: a mistake stops commands, what one of them lacks does not."""
    file = chosen(named)
    if file is None:
        return
    try:
        with own_transports(file) as names:
            yield Finding("config", True, f"{file} has {', '.join(names)}")
            for name in names:
                try:
                    require_here(resolve(name), "bwrap")
                except QfuzzError as error:
                    yield Finding("config", True, f"{name} can't be used: {error.what}", error.hint, absent=True)
    except QfuzzError as error:
        yield Finding("config", False, str(error))


def _version(name: str, version: str) -> str:
    """What a program says of itself. dash and sudo say nothing in a jail, so their packages do; their digest is
    what runs are kept under."""
    if name not in ("sh", "dash", "sudo") or not version:
        return version
    target = os.path.realpath(shutil.which(name, path=SEARCH_PATH) or name)
    named = os.path.basename(target)
    try:
        asked = subprocess.run(
            ["dpkg-query", "--showformat=${Version}", "--show", named], capture_output=True, text=True, check=False
        )
    except OSError:
        return f"{named}, sha256 {version}"
    package = asked.stdout.strip() if asked.returncode == 0 else ""
    return f"{named} {package}" if package else f"{named}, sha256 {version}"


def _boundaries(pool: Pool) -> Iterator[Finding]:
    """What boundaries lack here: no fault, for all others can be had; and one command for all that Debian has."""
    boundaries = load().boundaries
    lacking = [found for found in map(missing, boundaries.values()) if found is not None]
    unfit = {name: error for name in boundaries if (error := _unfit(pool, name)) is not None}
    told = {found.remedy for found in lacking}
    for name, error in unfit.items():
        # The last line has what a missing program or library needs; another remedy is said where it is first needed.
        remedy = "" if error.hint in told else error.hint
        told.add(error.hint)
        yield Finding(name, True, error.what.removeprefix(f"{name} is "), remedy, absent=True)
    detail = f"{len(boundaries) - len(unfit)} of {len(boundaries)} are available"
    packages = sorted({name for found in lacking for name in found.packages})
    commands = [f"sudo apt-get install {' '.join(packages)}"] if packages else []
    commands += sorted({found.other for found in lacking if not found.packages})
    yield Finding("transports", True, detail, " && ".join(commands))


def _unfit(pool: Pool, name: str) -> HostError | None:
    """Why a transport can't be had here: what `qfuzz diff` would say of it."""
    transport = resolve(name)
    try:
        require_here(transport, pool.isolation)
        check_services(pool, [transport])
    except HostError as error:
        return error
    return None
