"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from qfuzz.model.errors import UsageError


def refuse_other_kinds(*paths: Path) -> None:
    """Raises UsageError where something else than a regular file has one of the names.

    A rename would put a file in the place of a device, a pipe or a link, and fail half-way at a directory.
    """
    for path in paths:
        with suppress(OSError):
            if not stat.S_ISREG(path.lstat().st_mode):
                raise UsageError("can't be written (there is something else than a regular file)", where=str(path))


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream to a temporary file that takes the place of `path` when the block ends well; raises UsageError."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise UsageError(f"can't be written ({error.strerror})", where=str(path)) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(name)
        if isinstance(error, OSError):
            raise UsageError(f"can't be written ({error.strerror})", where=str(path)) from None
        raise
