"""What differs between two observations, in words for one line."""

from __future__ import annotations

from qfuzz.model.observation import Capture, Ending, Entry, Kind, Observation, Status, Tree
from qfuzz.model.verdict import Channel
from qfuzz.oracle.expect import shown

MAX_PATHS = 2
"""Paths named in one line; the rest is counted."""


def describe_difference(direct: Observation, transported: Observation, channels: tuple[Channel, ...]) -> str:
    """One clause a channel: `status 0 -> 2; stdout 12 -> 0 bytes; out.txt 6 -> 4 bytes`."""
    clauses = {
        Channel.STATUS: lambda: f"status {_status(direct.status)} -> {_status(transported.status)}",
        Channel.STDOUT: lambda: f"stdout {_sizes(direct.stdout, transported.stdout)}",
        Channel.TREE: lambda: _trees(direct, transported),
    }
    return "; ".join(clauses[channel]() for channel in channels)


def _status(status: Status) -> str:
    if status.ending is Ending.TIMEOUT:
        return "timeout"
    return f"signal {status.value}" if status.ending is Ending.SIGNAL else str(status.value)


def _sizes(left: Capture, right: Capture) -> str:
    if len(left.data) == len(right.data):
        return f"{len(left.data)} bytes, other ones"
    return f"{len(left.data)} -> {len(right.data)} bytes"


def _trees(direct: Observation, transported: Observation) -> str:
    left, right = direct.tree, transported.tree
    changed = [
        path for path in sorted({*left.entries, *right.entries}) if left.entries.get(path) != right.entries.get(path)
    ]
    named = [_entry(path, left, right) for path in changed[:MAX_PATHS]]
    if len(changed) > MAX_PATHS:
        named.append(f"{len(changed) - MAX_PATHS} more paths")
    if direct.git != transported.git:
        named.append("Git state")
    return ", ".join(named) or "what could be read of the tree"


def _entry(path: bytes, left: Tree, right: Tree) -> str:
    before, after = left.entries.get(path), right.entries.get(path)
    name = shown(path)
    if before is None or after is None:
        return f"{name} {'missing' if after is None else 'extra'}"
    return f"{name} {_change(before, after)}"


def _change(before: Entry, after: Entry) -> str:
    if before.kind is not after.kind:
        return f"{before.kind.value} -> {after.kind.value}"
    if before.digest or after.digest:
        return "long, other content" if before.digest != after.digest else f"mode {before.mode:04o} -> {after.mode:04o}"
    if before.content == after.content:
        return f"mode {before.mode:04o} -> {after.mode:04o}"
    unit = "bytes" if before.kind is Kind.FILE else "bytes of target"
    if len(before.content) == len(after.content):
        return f"{len(before.content)} {unit}, other ones"
    return f"{len(before.content)} -> {len(after.content)} {unit}"
