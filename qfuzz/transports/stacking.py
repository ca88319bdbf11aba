"""Which layer can't follow which in a stack: where the machinery, and not the path, would break every reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from qfuzz.model.delivery import Launch, SideFile
from qfuzz.model.errors import UsageError


class Layer(Protocol):
    """What is asked of a boundary here; `qfuzz.transports.base.Boundary` says what it means."""

    name: str
    needs_jail: bool
    id_mapped: bool
    expands: bool
    tools: tuple[str, ...]
    runs_reply: bool

    @property
    def own(self) -> object: ...

    def embed(self, text: bytes) -> object: ...

    def files(self) -> tuple[SideFile, ...]: ...


def check_stack(layers: Sequence[Layer], text: str) -> None:
    """Raises UsageError where a layer of the stack `text` can't follow one before it."""
    last = next((layer for layer in layers[:-1] if layer.runs_reply), None)
    if last is not None:
        raise UsageError(f"{last.name} runs the reply itself, so no layer can follow it in {text!r}")
    for index, layer in enumerate(layers):
        for later in layers[index + 1 :]:
            reason = _obstacle(layer, later)
            if reason:
                turned = layer.id_mapped and not (later.id_mapped or later.runs_reply)
                hint = f"{later.name} > {layer.name} works" if turned else ""
                raise UsageError(f"{later.name} can't follow {layer.name} in {text!r}, because {reason}", hint=hint)


def _obstacle(layer: Layer, later: Layer) -> str:
    if layer.id_mapped:
        return _obstacle_to_root(layer, later)
    shared = _own_programs(layer) & _own_programs(later)
    if shared:
        return f"both are made by one program, {min(shared).decode()}, and it can be there once in a run"
    return ""


def _obstacle_to_root(layer: Layer, later: Layer) -> str:
    """A later layer is started first. Only root of the jail can change users there, so it would be started by root,
    who may write nothing that a reply may."""
    started = f"{layer.name} is started by root of its jail, and {later.name}, which comes before it then,"
    if later.own is not None:
        return f"{started} is not known to write nothing"
    if later.needs_jail and not later.tools:
        return f"{started} is at home with the reply's user"
    if later.expands:
        return f"{started} may run parts of the reply, which are the user's to run"
    return ""


def _own_programs(layer: Layer) -> frozenset[bytes]:
    """Programs of this package that a service has laid beside the reply; they keep what they know in one place."""
    if not layer.needs_jail:
        return frozenset()
    made = layer.embed(b"true")
    files = (*layer.files(), *(made.files if isinstance(made, Launch) else ()))
    return frozenset(file.path for file in files if file.mode & 0o111)


def merged(files: Iterable[SideFile]) -> tuple[SideFile, ...]:
    """The files of all layers, each once: two layers of a kind bring the same ones."""
    found: dict[bytes, SideFile] = {}
    for file in files:
        known = found.setdefault(file.path, file)
        assert known == file, f"two layers have different files at {file.path!r}"
    return tuple(found.values())
