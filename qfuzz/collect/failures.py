"""The failures of a collection, in a file of their own beside its replies."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from qfuzz.collect.collection import Failed, Operator
from qfuzz.model.errors import InputError, UsageError
from qfuzz.model.fields import parse_json_line
from qfuzz.model.jsonl import read_records

_FIRST_KEY = b'{"task_id": '
_KEYS = {"task_id", "contract", "model", "effort", "trial", "attempts", "failure", "stderr"}


class FailureList:
    """The failures of one collection, in a file that is there only if there are any.

    One that an earlier collection left is replaced when this one begins. Raises UsageError where something else is
    there: it is left alone.
    """

    def __init__(self, path: Path, operator: Operator) -> None:
        self.path = path
        self.count = 0
        self._operator = operator
        self._refuse_foreign()

    def begin(self) -> None:
        """Takes away what an earlier collection left."""
        self._refuse_foreign()
        self.path.unlink(missing_ok=True)

    def add(self, failed: Failed) -> None:
        record = {
            "task_id": failed.ask.prompt.task_id,
            "contract": failed.ask.prompt.contract,
            "model": self._operator.model,
            "effort": self._operator.effort,
            "trial": failed.ask.trial,
            "attempts": failed.attempts,
            "failure": failed.reason,
            "stderr": failed.errors.decode("utf-8", "backslashreplace"),
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.count += 1

    def _refuse_foreign(self) -> None:
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"failures can't be listed there ({error.strerror})", where=str(self.path)) from None
        if stat.S_ISREG(found.st_mode) and (not found.st_size or self._is_ours()):
            return
        what = "a directory" if stat.S_ISDIR(found.st_mode) else "not a list of failed asks"
        raise UsageError(
            f"failed asks are listed there, but it is {what}",
            where=str(self.path),
            hint="move it away, or give another --out",
        )

    def _is_ours(self) -> bool:
        """Whether every line is one of a list like this; the last may be torn."""
        torn: list[bytes] = []

        def check(line: bytes) -> None:
            if torn:
                raise InputError("is no failed ask")
            try:
                if parse_json_line(line).keys() != _KEYS:
                    raise InputError("is no failed ask")
            except InputError:
                if not line.startswith(_FIRST_KEY) and not _FIRST_KEY.startswith(line):
                    raise
                torn.append(line)

        try:
            for _ in read_records(self.path, check):
                pass
        except InputError:
            return False
        return not torn or not self._ends_a_line()

    def _ends_a_line(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read() == b"\n"
