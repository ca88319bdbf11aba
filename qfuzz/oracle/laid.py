"""What a fixture lays, as it would be observed."""

from __future__ import annotations

from qfuzz.model.observation import Entry, Kind, file_entry
from qfuzz.model.task import Fixture

DIRECTORY_MODE = 0o755
"""Mode of a directory that is made under the fixed umask 022."""
GIT_DIRECTORY = b".git"


def laid_entries(fixture: Fixture) -> dict[bytes, Entry]:
    """The tree of a fixture before anything runs, without the inside of `.git`."""
    laid: dict[bytes, Entry] = {}
    for path in fixture.dirs:
        laid[path] = Entry(Kind.DIR, DIRECTORY_MODE)
    for file in fixture.files:
        laid[file.path] = file_entry(file.mode, file.content)
    for link in fixture.symlinks:
        laid[link.path] = Entry(Kind.SYMLINK, 0, link.target)
    for path in list(laid):
        for parent in parents_of(path):
            laid.setdefault(parent, Entry(Kind.DIR, DIRECTORY_MODE))
    if fixture.git is not None:
        laid[GIT_DIRECTORY] = Entry(Kind.DIR, DIRECTORY_MODE)
    return laid


def parents_of(path: bytes) -> list[bytes]:
    """The directories above a path, the topmost first."""
    parts = path.split(b"/")
    return [b"/".join(parts[:depth]) for depth in range(1, len(parts))]
