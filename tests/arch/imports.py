"""Every import in a source tree, read from the syntax tree: top-level, deferred, type-checking and by string."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.arch.rooms import PACKAGES


@dataclass(frozen=True, slots=True)
class Import:
    """`importer` and `target` are full module names; `target` is a module of the tree as far down as one exists.

    `by_name` if no import statement does it: import_module is called with text that begins with the target.
    """

    importer: str
    target: str
    path: Path
    line: int
    by_name: bool

    def at(self, root: Path) -> str:
        return f"{self.path.relative_to(root)}:{self.line}"


def sources(root: Path, *folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (root / folder).rglob("*.py"))


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


def product_modules(root: Path) -> dict[str, Path]:
    """Import name and file of every module of the product; a package is its `__init__` file."""
    return {_module_name(root, path): path for path in sources(root, *PACKAGES)}


def _module_name(root: Path, path: Path) -> str:
    top, *rest = path.relative_to(root).with_suffix("").parts
    parts = [PACKAGES.get(top, top), *rest]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def product_imports(root: Path) -> list[Import]:
    """What the product's modules import, of the product and of anything else."""
    modules = product_modules(root)
    return [found for name, path in modules.items() for found in _imports_of(name, path, frozenset(modules))]


def imports_below(root: Path, *folders: str) -> list[Import]:
    """What the files in these folders of the checkout import."""
    modules = frozenset(product_modules(root))
    return [found for path in sources(root, *folders) for found in _imports_of(_module_name(root, path), path, modules)]


def _imports_of(importer: str, path: Path, modules: frozenset[str]) -> Iterator[Import]:
    for node in ast.walk(parse(path)):
        for name in _imported_names(node, importer, is_package=path.name == "__init__.py"):
            yield Import(
                importer, _deepest(name, modules), path, getattr(node, "lineno", 0), isinstance(node, ast.Call)
            )


def _imported_names(node: ast.AST, importer: str, *, is_package: bool) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = importer.split(".")
            kept = len(parts) - node.level + is_package
            base = ".".join([*parts[:kept], *([base] if base else [])])
        yield from (f"{base}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and node.args and _called(node) in {"import_module", "__import__"}:
        first = node.args[0]
        text = first.values[0] if isinstance(first, ast.JoinedStr) and first.values else first
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield text.value.rstrip(".")


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _deepest(name: str, modules: frozenset[str]) -> str:
    """`qfuzz.model.task.Task` is an import of `qfuzz.model.task`. Names outside the product stay as they are."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if ".".join(parts[:length]) in modules:
            return ".".join(parts[:length])
    return name
