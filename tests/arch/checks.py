"""The rules of the house. Each check reads a checkout and returns its faults, one line each; none is good."""

from __future__ import annotations

import ast
import graphlib
import sys
from pathlib import Path

from tests.arch.imports import Import, imports_below, parse, product_imports, product_modules, sources
from tests.arch.rooms import PACKAGES, Room, read_rooms

MAX_LINES = 400

SELF_CONTAINED = {
    "qfuzz.model": "so that everything can import it",
    "qfuzz.jail.agent": "for it runs in the jail, where qfuzz is not installed",
}
"""Packages that import the standard library and themselves, and nothing else."""

DOOR = "qfuzz.__main__"
"""The one module outside every room that may import the command line."""

STARTERS = frozenset({"subprocess", "socket", "multiprocessing", "asyncio", "pty", "concurrent", "socketserver"})
OS_STARTERS = frozenset({"fork", "forkpty", "system", "popen", "startfile"})
OS_STARTER_PREFIXES = ("exec", "spawn", "posix_spawn")

BANNED_NAMES = {
    "families": "a second copy of qfuzz_families would be loaded; import qfuzz_families",
    "corpus": "import qfuzz_corpus",
}


def rooms_of(root: Path) -> dict[str, Room]:
    return read_rooms((root / "ARCHITECTURE.md").read_text())


def room_faults(root: Path) -> list[str]:
    """Folders without a row in the table, and rows without a folder."""
    packages = {room.package for room in rooms_of(root).values()}
    modules = product_modules(root)
    homes = {_home(name) for name in modules} - {"qfuzz", DOOR}
    return [f"ARCHITECTURE.md: no row for {name}" for name in sorted(homes - packages)] + [
        f"ARCHITECTURE.md: no code for the row of {name}" for name in sorted(packages - homes)
    ]


def import_faults(root: Path) -> list[str]:
    """Imports between rooms that the table does not allow.

    A module called `loader` may import by name what a registry holds: the registry does not depend on its entries.
    """
    rooms = {room.package: room for room in rooms_of(root).values()}
    names = {room.package: room.name for room in rooms.values()}
    faults = []
    for found in product_imports(root):
        room = rooms.get(_home(found.importer))
        target = _home(found.target)
        if found.by_name and found.importer.endswith(".loader"):
            continue
        if room is None:
            if target in rooms and not (found.importer == DOOR and names[target] == "cli"):
                faults.append(f"{found.at(root)}: {found.importer} is in no room and imports {found.target}")
        elif target in rooms and names[target] not in room.may_import | {room.name}:
            faults.append(f"{found.at(root)}: {room.name} may not import {names[target]} ({found.target})")
    return faults


def self_containment_faults(root: Path) -> list[str]:
    faults = []
    for found in product_imports(root):
        for package, reason in SELF_CONTAINED.items():
            if _is_in(found.importer, package) and not _is_in(found.target, package) and not _is_standard(found.target):
                faults.append(
                    f"{found.at(root)}: {package} imports the standard library only, {reason}: {found.target}"
                )
    return faults


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _home(module: str) -> str:
    """The part of a module's name that can be a room: `qfuzz.model` of `qfuzz.model.task`."""
    top, *rest = module.split(".")
    return ".".join([top, *rest[:1]]) if top == "qfuzz" else top


def cycle_faults(root: Path) -> list[str]:
    """A circle of modules that import each other, deferred imports included."""
    modules = product_modules(root)
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for found in product_imports(root):
        graph[found.importer] |= _runs(found, modules)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return ["import cycle: " + " <- ".join(error.args[1])]
    return []


def _runs(found: Import, modules: dict[str, Path]) -> set[str]:
    """What an import executes: its target, and the packages around that which the importer is not itself in."""
    executed = _with_packages(found.target) & modules.keys()
    around = _with_packages(found.importer)
    return {name for name in executed if name not in around or (name == found.target and name != found.importer)}


def _with_packages(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def purity_faults(root: Path) -> list[str]:
    """Rooms that the table calls pure and that could start a process or open a socket."""
    pure = {room.package for room in rooms_of(root).values() if room.pure}
    faults = []
    for found in product_imports(root):
        if _home(found.importer) in pure and _starts(found.target):
            faults.append(f"{found.at(root)}: {found.importer} starts nothing, and imports {found.target}")
    for name, path in product_modules(root).items():
        if _home(name) in pure:
            faults += [
                f"{path.relative_to(root)}:{node.lineno}: {name} starts nothing, and uses os.{node.attr}"
                for node in ast.walk(parse(path))
                if isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and _starts(f"{node.value.id}.{node.attr}")
            ]
    return faults


def _starts(name: str) -> bool:
    top, _, rest = name.partition(".")
    return top in STARTERS or (top == "os" and (rest in OS_STARTERS or rest.startswith(OS_STARTER_PREFIXES)))


def name_faults(root: Path) -> list[str]:
    """Imports by the name of a folder, where the package is called otherwise."""
    found = imports_below(root, *PACKAGES, "tests", "scripts")
    return [
        f"{each.at(root)}: imports {each.target}: {BANNED_NAMES[top]}"
        for each in found
        if (top := each.target.partition(".")[0]) in BANNED_NAMES
    ]


def length_faults(root: Path) -> list[str]:
    faults = []
    for path in sources(root, *PACKAGES, "corpus", "tests", "scripts"):
        lines = len(path.read_bytes().splitlines())
        if lines > MAX_LINES:
            faults.append(f"{path.relative_to(root)}: {lines} lines, {MAX_LINES} at most: split it by meaning")
    return faults
