"""Reading what a run left in `.git`, in memory, executing nothing of it."""

from __future__ import annotations

from qfuzz.model.observation import GitState, Tree


def read_git_state(files: Tree) -> GitState:
    raise NotImplementedError
