"""Objects of a hostile repository, read in memory within a budget.

Formats: https://git-scm.com/docs/gitformat-pack for packs and deltas, loose objects as `type size NUL body` in zlib.
Libraries inflate what an object claims before they look at its size, so inflating and applying deltas is done here.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_INFLATED_BYTES = 64 << 20
MAX_PACKED_OBJECTS = 20_000
MAX_DELTA_DEPTH = 60
"""git itself packs chains of at most 50."""

_PACK = re.compile(rb"objects/pack/pack-[0-9a-f]+\.pack")
_HEADER = re.compile(rb"(commit|tree|blob|tag) ([0-9]{1,12})\0")
_PACKED_KINDS = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_OFFSET_DELTA, _REFERENCE_DELTA = 6, 7


class GitError(Exception):
    """The repository can't be read; the text says what is wrong in it."""


@dataclass(frozen=True, slots=True)
class _Packed:
    """One entry of a pack: an object, or a delta against the object at an offset or with an id."""

    kind: int
    data: bytes = field(repr=False)
    base: int | str | None = None


class Objects:
    """Finds objects by id among the files of a `.git` directory (relative path to bytes)."""

    def __init__(self, files: Mapping[bytes, bytes]) -> None:
        self._budget = MAX_INFLATED_BYTES
        self._files = files
        self._packed: dict[str, tuple[bytes, bytes]] = {}
        self._packs_read = False

    def get(self, object_id: str, kind: bytes) -> bytes:
        """The body of an object of this kind; raises GitError where it is missing, broken or something else."""
        found_kind, body = self._loose(object_id) or self._from_packs(object_id)
        if found_kind != kind:
            raise GitError(f"{object_id} is a {found_kind.decode()}, not a {kind.decode()}")
        return body

    def _loose(self, object_id: str) -> tuple[bytes, bytes] | None:
        stored = self._files.get(f"objects/{object_id[:2]}/{object_id[2:]}".encode())
        if stored is None:
            return None
        raw, _ = self._inflate(stored, self._budget)
        header = _HEADER.match(raw)
        if header is None or len(raw) - header.end() != int(header[2]):
            raise GitError(f"the object file of {object_id} is broken")
        if hashlib.sha1(raw).hexdigest() != object_id:
            raise GitError(f"the object file of {object_id} holds another object")
        return header[1], raw[header.end() :]

    def _from_packs(self, object_id: str) -> tuple[bytes, bytes]:
        if not self._packs_read:
            self._packs_read = True
            for path in sorted(self._files):
                if _PACK.fullmatch(path):
                    self._read_pack(self._files[path])
        try:
            return self._packed[object_id]
        except KeyError:
            raise GitError(f"the object {object_id} is missing") from None

    def _inflate(self, data: bytes, most: int) -> tuple[bytes, int]:
        """The inflated bytes, at most `most`, and how many bytes of `data` they took."""
        stream = zlib.decompressobj()
        try:
            raw = stream.decompress(data, max(most, 1))
        except zlib.error as error:
            raise GitError(f"an object does not inflate ({error})") from None
        self._budget -= len(raw)
        if not stream.eof or self._budget < 0:
            raise GitError("an object is cut short, or the repository is too large to be read")
        return raw, len(data) - len(stream.unused_data)

    def _read_pack(self, pack: bytes) -> None:
        count = int.from_bytes(pack[8:12], "big")
        if pack[:4] != b"PACK" or pack[4:8] not in (b"\0\0\0\2", b"\0\0\0\3") or count > MAX_PACKED_OBJECTS:
            raise GitError("a pack has no known head, or too many objects")
        entries: dict[int, _Packed] = {}
        position = 12
        for _ in range(count):
            start = position
            entries[start], position = self._entry(pack, start)
        self._resolve_all(entries)

    def _entry(self, pack: bytes, position: int) -> tuple[_Packed, int]:
        start = position
        try:
            byte = pack[position]
            kind, size, shift = byte >> 4 & 7, byte & 15, 4
            position += 1
            while byte & 0x80:
                byte = pack[position]
                size |= (byte & 0x7F) << shift
                shift += 7
                position += 1
                if shift > 60:
                    raise GitError("a pack entry has an absurd size")
            base: int | str | None = None
            if kind == _OFFSET_DELTA:
                byte = pack[position]
                distance = byte & 0x7F
                position += 1
                while byte & 0x80 and distance < len(pack):
                    byte = pack[position]
                    distance = (distance + 1 << 7) | (byte & 0x7F)
                    position += 1
                base = start - distance
            elif kind == _REFERENCE_DELTA:
                base = pack[position : position + 20].hex()
                position += 20
            elif kind not in _PACKED_KINDS:
                raise GitError(f"a pack entry is of kind {kind}")
        except IndexError:
            raise GitError("a pack is cut short") from None
        if size > self._budget:
            raise GitError("the repository is too large to be read")
        # One byte more than claimed shows an object that is longer.
        data, taken = self._inflate(pack[position : position + size + (size >> 2) + 1024], size + 1)
        if len(data) != size:
            raise GitError("a pack entry is not as long as it says")
        return _Packed(kind, data, base), position + taken

    def _resolve_all(self, entries: Mapping[int, _Packed]) -> None:
        """Publishes every object of a pack, each after its base: an entry is looked at once, when its base is there."""
        dependents: dict[int | str, list[int]] = {}
        ready: list[tuple[int, bytes, bytes, int]] = []
        for offset, entry in entries.items():
            if entry.base is None:
                ready.append((offset, _PACKED_KINDS[entry.kind], entry.data, 0))
            elif isinstance(entry.base, int) and entry.base not in entries:
                raise GitError("a delta points between the objects of its pack")
            else:
                dependents.setdefault(entry.base, []).append(offset)
        # A base may also lie outside of its pack.
        outside = {base: self._packed.get(base) or self._loose(base) for base in dependents if isinstance(base, str)}
        for base, found in outside.items():
            if found is not None:
                ready += self._woken(dependents.pop(base), entries, found, 0)
        while ready:
            offset, kind, body, depth = ready.pop()
            name = self._publish((kind, body))
            woken = dependents.pop(offset, []) + dependents.pop(name, [])
            ready += self._woken(woken, entries, (kind, body), depth)
        if dependents:
            raise GitError("a pack has deltas without their bases")

    def _woken(
        self, offsets: list[int], entries: Mapping[int, _Packed], base: tuple[bytes, bytes], depth: int
    ) -> list[tuple[int, bytes, bytes, int]]:
        """Offset, kind, body and depth in its chain of each entry that is a delta against this base."""
        if offsets and depth >= MAX_DELTA_DEPTH:
            raise GitError("a chain of deltas is too long")
        kind, body = base
        return [(offset, kind, self._apply(body, entries[offset].data), depth + 1) for offset in offsets]

    def _publish(self, found: tuple[bytes, bytes]) -> str:
        kind, body = found
        name = hashlib.sha1(b"%b %d\0" % (kind, len(body)) + body).hexdigest()
        self._packed[name] = found
        return name

    def _apply(self, source: bytes, delta: bytes) -> bytes:
        """The object that a delta makes of its base."""
        source_size, position = _varint(delta, 0)
        target_size, position = _varint(delta, position)
        self._budget -= target_size
        if source_size != len(source) or self._budget < 0:
            raise GitError("a delta does not fit its base, or the repository is too large to be read")
        target = bytearray()
        end = len(delta)
        while position < end and len(target) <= target_size:
            code = delta[position]
            position += 1
            if code & 0x80:
                numbers = 0
                for index in range(7):
                    if code >> index & 1:
                        if position >= end:
                            raise GitError("a delta is cut short")
                        numbers |= delta[position] << 8 * index
                        position += 1
                start, length = numbers & 0xFFFFFFFF, numbers >> 32 or 0x10000
                target += source[start : start + min(length, target_size + 1)]
            elif code:
                target += delta[position : position + code]
                position += code
            else:
                raise GitError("a delta has an unknown instruction")
        if len(target) != target_size:
            raise GitError("a delta makes an object of another size")
        return bytes(target)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(data) and shift < 63:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, position
    raise GitError("a delta has no sizes")
