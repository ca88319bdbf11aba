"""An environment as `pip install qfuzz` leaves it, made without a network: the wheel and what it requires."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

SHIPPED = ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "qfuzz", "families", "corpus")
"""All that a wheel is built from."""


def build_wheel(checkout: Path, work: Path) -> Path:
    """Builds in a copy, for a build leaves folders behind in the source and takes up what an earlier one left there."""
    source = work / "source"
    source.mkdir()
    for name in SHIPPED:
        if (checkout / name).is_dir():
            shutil.copytree(checkout / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(checkout / name, source / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(work / "dist"), str(source)]
    subprocess.run(command, check=True, capture_output=True, cwd=work, timeout=120)
    (wheel,) = (work / "dist").glob("*.whl")
    return wheel


def make_venv(folder: Path, wheel: Path) -> Path:
    """Makes an environment with this wheel and its requirements, and returns the folder of its programs."""
    venv.create(folder, symlinks=True)
    programs = folder / "bin"
    target = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    for each in requirements_of("qfuzz"):
        _copy(each, target)
    command = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet"]
    subprocess.run([*command, "--no-deps", "--no-index", str(wheel)], check=True, capture_output=True, timeout=120)
    return programs


def requirements_of(project: str) -> list[Distribution]:
    """The installed distributions that a project needs on this machine, itself and its extras left out."""
    found: dict[str, Distribution] = {}
    waiting = [project]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = distribution(name)
        for text in found[name].requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    del found[project]
    return list(found.values())


def _copy(package: Distribution, target: Path) -> None:
    for file in package.files or ():
        # Programs lie outside of the library, and nobody here starts them.
        if ".." not in file.parts and file.suffix != ".pyc":
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(package.locate_file(file), target / file)
