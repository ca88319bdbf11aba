"""The two messages of a run, field by field. The host packs a request and reads an answer; the agent the reverse.

A request: one `REQUEST`, then the executable, argv, stdin (if any), OWN and its words (if flagged), directories, file
paths, file contents, file modes (one field, `<I` each), symlink paths, symlink targets, side file paths, contents and
modes.

An answer: one `ANSWER`, stdout, stderr, arrived text or error text, paths of the tree, their META (one field each),
contents, then the same of the repository.
"""

from __future__ import annotations

import struct

REQUEST = struct.Struct("<dBBIIIII")
"""Timeout in seconds, REQUEST_* flags, inner shells, and counts: argv, directories, files, symlinks, side files."""

REQUEST_STDIN = 1
REQUEST_TAP = 2
REQUEST_STOP = 4
REQUEST_OWN = 8

OWN = struct.Struct("<IdII")
"""Of a path of the user's own: the number of the shell that matters (0: all that start), the seconds for a service to
be ready, the number of words that start it and of those that ask whether it is ready. The words follow, one a field."""

ANSWER = struct.Struct("<BBHdIII")
"""Outcome, value (exit status, signal or errno), ANSWER_* flags, seconds, counts: tree entries, repository files, and
shells that started on a path of the user's own."""

EXITED, SIGNALED, TIMED_OUT, NOT_STARTED, NOT_LAID, NOT_SERVED = range(6)

ANSWER_SPENT = 1
ANSWER_STDOUT_CUT = 2
ANSWER_STDERR_CUT = 4
ANSWER_TREE_CUT = 8
ANSWER_GIT = 16
ANSWER_GIT_CUT = 32
ANSWER_ARRIVED = 64
ANSWER_MEMORY = 128
ANSWER_OUTPUT = 256
ANSWER_LEFT = 512
ANSWER_EARLY = 1024
"""Spent: this jail must not be used again. Cut: the data is not all there was. Memory, output: this limit ended it.
Left: something was alive when the command had ended. Early: so was the shell that mattered."""
