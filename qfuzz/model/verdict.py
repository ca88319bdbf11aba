"""The judgement of one execution, and the comparison of two."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Outcome(enum.Enum):
    """Pass, or a failure class. Order of the failure classes is the order in which they are tried."""

    PASS = "pass"
    REFUSED = "refused"
    REJECTED = "rejected"
    TIMEOUT = "timeout"
    SHELL_SYNTAX = "shell-syntax"
    ENVIRONMENT = "environment"
    RUNTIME_ERROR = "runtime-error"
    SILENT_WRONG = "silent-wrong"
    HARNESS_ERROR = "harness-error"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`detail` says in one line, for a reader, what was wrong first; it is empty for a pass."""

    outcome: Outcome
    detail: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASS


class Channel(enum.Enum):
    """The channels that decide a divergence. stderr is kept and shown and decides nothing."""

    STATUS = "status"
    STDOUT = "stdout"
    TREE = "tree"
