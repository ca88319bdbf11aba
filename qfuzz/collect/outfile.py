"""The file that a collection writes: whole lines only, never two writers, and a torn end that is seen and mended."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from qfuzz.model.errors import InputError, UsageError
from qfuzz.model.jsonl import MAX_LINE_BYTES, read_records
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply, encode_reply

Identity = tuple[str | None, str, str, str | None, int]

_LOCK_SECONDS = 2.0
_FIRST_KEY = b'{"task_id":'


class ReplyOut:
    """A reply file that is added to, and what it held when it was opened.

    `kept` are the identities of its replies; `torn` is the number of bytes of a last line that a killed writer left
    half-written, and that were cut off. Raises InputError for a file whose other lines are no replies, and for one
    whose last line is neither a reply nor torn; then nothing in it is changed. Raises UsageError where somebody else
    is writing it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: set[Identity] = set()
        self.torn = 0
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise InputError(f"can't be written ({error.strerror})", where=str(path)) from None
        try:
            self._take()
        except BaseException:
            self.close()
            raise

    def _take(self) -> None:
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise InputError(
                "is no regular file, so that a collection could not be taken up again", where=str(self.path)
            )
        self._lock()
        size = os.fstat(self._file).st_size
        if not size:
            return
        last = self._unended(size)
        torn = bool(last) and self._is_torn(last)
        # The whole file is read before a byte of it is changed: it may be none of ours.
        bad: list[InputError] = []
        for record in read_records(self.path, decode_reply, bad.append if torn else None):
            self.kept.add(record.value.identity)
        if len(bad) > 1:
            raise bad[0]
        if torn and not self.kept and not _ours_begins(last):
            raise self._no_reply_file()
        if torn:
            self.torn = len(last)
            os.ftruncate(self._file, size - len(last))
        elif last:
            os.write(self._file, b"\n")

    def _lock(self) -> None:
        # A child of a killed collection holds its lock from the fork until it executes its program.
        until = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                return fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise UsageError("is being written by another collection", where=str(self.path)) from None
                time.sleep(0.05)

    def _unended(self, size: int) -> bytes:
        """What stands behind the last line end."""
        tail = b""
        while len(tail) < size and b"\n" not in tail:
            if len(tail) > MAX_LINE_BYTES:
                raise self._no_reply_file()
            begin = max(0, size - len(tail) - (1 << 16))
            tail = os.pread(self._file, size - len(tail) - begin, begin) + tail
        return tail[tail.rfind(b"\n") + 1 :]

    def _is_torn(self, last: bytes) -> bool:
        """Whether it is a beginning of an object; False for a whole reply. Raises InputError for anything else."""
        try:
            decode_reply(last)
        except InputError:
            if not last.lstrip().startswith(b"{") or _is_whole(last):
                # Not what a writer of ours leaves behind: somebody gave the name of another file.
                raise self._no_reply_file() from None
            return True
        return False

    def _no_reply_file(self) -> InputError:
        return InputError("its last line is no reply", where=str(self.path), hint="name a new file")

    def add(self, replies: Iterable[Reply]) -> None:
        """Appends one whole line a reply, and returns when they are on the disk."""
        data = b"".join(map(encode_reply, replies))
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> ReplyOut:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_whole(line: bytes) -> bool:
    """Whether a whole JSON value stands there, with or without more behind it."""
    try:
        json.JSONDecoder().raw_decode(line.decode("utf-8", "surrogateescape").lstrip())
    except (ValueError, RecursionError):
        return False
    return True


def _ours_begins(line: bytes) -> bool:
    """Whether a line of a collection can begin like this: each reply has a task, and that comes first."""
    return line.startswith(_FIRST_KEY) or _FIRST_KEY.startswith(line)
