"""The two messages of a run, field by field. The host packs a request and reads an answer; the agent the reverse.

A request: one `REQUEST`, then argv, stdin (if any), directories, file paths, file contents, file modes (one field,
`<I` each), symlink paths, symlink targets, side file paths, contents and modes, the shell, the arrived text (if any).

An answer: one `ANSWER`, stdout, stderr, arrived text or error text, paths of the tree, their META (one field each),
contents, then paths and contents of the repository's files.
"""

from __future__ import annotations

import struct

REQUEST = struct.Struct("<dBBIIIII")
"""Timeout in seconds, REQUEST_* flags, layers, and counts: argv, directories, files, symlinks, side files."""

REQUEST_STDIN = 1
REQUEST_SYNTAX = 2
REQUEST_TAP = 4
REQUEST_ARRIVED = 8

ANSWER = struct.Struct("<BBHdII")
"""Outcome, value (exit status, signal or errno), ANSWER_* flags, seconds, counts: tree entries, repository files."""

EXITED, SIGNALED, TIMED_OUT, NOT_STARTED, NOT_LAID = range(5)

ANSWER_SPENT = 1
ANSWER_STDOUT_CUT = 2
ANSWER_STDERR_CUT = 4
ANSWER_TREE_CUT = 8
ANSWER_GIT = 16
ANSWER_GIT_CUT = 32
ANSWER_PARSES = 64
ANSWER_DOES_NOT_PARSE = 128
ANSWER_ARRIVED = 256
ANSWER_MEMORY = 512
ANSWER_OUTPUT = 1024
"""Spent: this jail must not be used again. Cut: the data is not all there was."""
