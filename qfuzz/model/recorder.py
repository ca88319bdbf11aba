"""What a shell that begins somewhere else has to do itself: go to the work directory, and note what it was given.

The recorders of the jail (qfuzz/jail/agent/tap.py) stand in front of shells that are found by name. A login shell is
started by its whole path, but reads a file first; this text in that file does as a recorder does.
"""

from __future__ import annotations

PLACE_FILES = ("/etc/qfuzz/work", "/etc/qfuzz/path")
"""Where a jail says its work directory and its search path, for programs that begin anew somewhere else."""

BEGIN = 'cd "$(< {})"\nPATH=$(< {})\n'.format(*PLACE_FILES)
"""Bash, for a shell that a program has started elsewhere: goes on where every reply begins."""

TAP = "/run/qfuzz/tap"
"""Where recorders and what they write are in the jail, in runs that are recorded."""

NOTE_ARRIVAL = rf"""
if [[ -d {TAP}/log ]]; then
    PATH={TAP}/bin:$PATH
    printf '%s\0' "$EPOCHREALTIME" 1 2 -c "$BASH_EXECUTION_STRING" >> {TAP}/log/$$
    if [[ $_QFUZZ_SHELLS_LEFT ]]; then
        ((--_QFUZZ_SHELLS_LEFT)) || exit 0
    fi
fi
"""
"""Bash. Whoever started the shell need not be a recorded one, so that it counts as an orphan: init's child."""
