"""The framing that host and agent share: one message is a list of byte strings.

A frame is `<II` (bytes after this header, number of fields), then one `<I` length a field, then the fields' bytes.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

HEADER = struct.Struct("<II")
MAX_FRAME_BYTES = 128 << 20
CHUNK_BYTES = 1 << 16


class FrameError(Exception):
    """The bytes are no frame: a length that does not add up, or more than MAX_FRAME_BYTES."""


def pack(fields: Sequence[bytes]) -> bytes:
    """One frame that holds the fields."""
    count = len(fields)
    lengths = list(map(len, fields))
    size = 4 * count + sum(lengths)
    if size > MAX_FRAME_BYTES:
        raise FrameError(f"a message of {size} bytes is over the limit of {MAX_FRAME_BYTES}")
    return b"".join((HEADER.pack(size, count), struct.pack(f"<{count}I", *lengths), *fields))


def unpack(body: bytes, count: int) -> list[bytes]:
    """The fields of a frame without its header; raises FrameError."""
    start = 4 * count
    if start > len(body):
        raise FrameError(f"{count} fields do not fit into {len(body)} bytes")
    lengths = struct.unpack_from(f"<{count}I", body)
    if start + sum(lengths) != len(body):
        raise FrameError("field lengths do not add up to the frame's length")
    fields = []
    for length in lengths:
        fields.append(body[start : start + length])
        start += length
    return fields


def receive(channel: socket.socket) -> list[bytes] | None:
    """The next message, or None at the end of the stream; raises FrameError and what `recv` raises."""
    data = channel.recv(CHUNK_BYTES)
    if not data:
        return None
    while len(data) < HEADER.size:
        data += _more(channel)
    size, count = HEADER.unpack_from(data)
    if size > MAX_FRAME_BYTES:
        raise FrameError(f"a frame of {size} bytes is over the limit of {MAX_FRAME_BYTES}")
    missing = HEADER.size + size - len(data)
    if missing < 0:
        raise FrameError("bytes after the end of the frame")
    if missing:
        parts = [data]
        while missing:
            part = _more(channel)
            missing -= len(part)
            parts.append(part)
        if missing < 0:
            raise FrameError("bytes after the end of the frame")
        data = b"".join(parts)
    return unpack(data[HEADER.size :], count)


def _more(channel: socket.socket) -> bytes:
    data = channel.recv(CHUNK_BYTES)
    if not data:
        raise FrameError("the stream ended inside a frame")
    return data
