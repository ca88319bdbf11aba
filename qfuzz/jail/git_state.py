"""Reading what a run left in `.git`, in memory and within bounds, executing nothing of it.

Only what the final state of a repository is made of: HEAD, refs, packed refs, commits, trees, the index, and the bytes
of its configuration. Nothing here follows configuration, hooks, filters, alternates, replacement refs or file system
monitors.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dulwich.index import ConflictedIndexEntry, IndexEntry, read_index_dict

from qfuzz.jail.git_objects import GitError, Objects
from qfuzz.model.observation import GitCommit, GitIndexEntry, GitState, Kind, Tree

MAX_COMMITS = 2_000
MAX_TREE_ENTRIES = 50_000
MAX_TREE_DEPTH = 64
MAX_INDEX_BYTES = 4 << 20
MAX_REFS_BYTES = 1 << 20
"""Names and values of all refs together."""
MAX_CONFIG_BYTES = 64 << 10
_MAX_SYMBOLIC_REFS = 5

_OBJECT_ID = re.compile(rb"[0-9a-f]{40}")
_TREE_MODE = 0o40000
_INTENT_TO_ADD = 1 << 13

_Leaf = tuple[int, str]
"""Mode and object id of what is no directory."""
_Indexed = IndexEntry | ConflictedIndexEntry


@dataclass(frozen=True, slots=True)
class _Commit:
    tree: str
    parents: tuple[str, ...]
    message: bytes


def read_git_state(tree: Tree) -> GitState:
    """The state of the repository whose `.git` holds these entries; what can't be read is said in `error`."""
    if tree.truncated or any(entry.truncated for entry in tree.entries.values()):
        return GitState(error="the repository is larger than what is read of it")
    files = {path: entry.content for path, entry in tree.entries.items() if entry.kind is Kind.FILE}
    try:
        return _Repository(files).state()
    except GitError as error:
        return GitState(error=str(error))


class _Repository:
    def __init__(self, files: Mapping[bytes, bytes]) -> None:
        self._files = files
        self._objects = Objects(files)
        self._entries_left = MAX_TREE_ENTRIES
        shallow = files.get(b"shallow", b"").split()
        self._without_parents = {line.decode("ascii", "replace") for line in shallow}

    def state(self) -> GitState:
        branch, head = self._head()
        commits = {} if head is None else self._reachable(head)
        indexed = self._index()
        return GitState(
            branch=branch,
            history=tuple(self._first_parents(head, commits)),
            commits=len(commits),
            staged=self._staged(None if head is None else commits[head].tree, indexed),
            refs=self._refs(),
            config=self._config(),
            index=tuple(sorted(_index_entries(indexed))),
        )

    def _head(self) -> tuple[bytes | None, str | None]:
        """HEAD's branch, None where it is detached, and its commit, None where there is none yet."""
        text = self._files.get(b"HEAD")
        if text is None:
            raise GitError("there is no HEAD")
        if any(path.startswith(b"reftable/") for path in self._files):
            raise GitError("the repository keeps its refs in a reftable, which is not read here")
        branch: bytes | None = None
        packed = self._packed_refs()
        for _ in range(_MAX_SYMBOLIC_REFS):
            text = text.strip()
            if _OBJECT_ID.fullmatch(text):
                return branch, text.decode("ascii")
            if not text.startswith(b"ref:"):
                raise GitError("HEAD leads to something that is neither a ref nor an object id")
            name = text[4:].strip()
            branch = name if branch is None else branch
            found = self._files.get(name, packed.get(name))
            if found is None:
                return branch, None
            text = found
        raise GitError("HEAD leads through too many refs")

    def _packed_refs(self) -> dict[bytes, bytes]:
        lines = self._files.get(b"packed-refs", b"").splitlines()
        pairs = (line.split(b" ", 1) for line in lines if not line.startswith((b"#", b"^")))
        return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}

    def _refs(self) -> tuple[tuple[bytes, bytes], ...]:
        """All refs, those in files before those of the same name in packed-refs, as git looks them up."""
        loose = {path: text.strip() for path, text in self._files.items() if path.startswith(b"refs/")}
        refs = self._packed_refs() | loose
        if sum(len(name) + len(value) for name, value in refs.items()) > MAX_REFS_BYTES:
            raise GitError("the refs are too large to be read")
        return tuple(sorted(refs.items()))

    def _config(self) -> bytes:
        config = self._files.get(b"config", b"")
        if len(config) > MAX_CONFIG_BYTES:
            raise GitError("the configuration is too large to be read")
        return config

    def _reachable(self, head: str) -> dict[str, _Commit]:
        found: dict[str, _Commit] = {}
        waiting = [head]
        while waiting:
            commit_id = waiting.pop()
            if commit_id in found:
                continue
            if len(found) >= MAX_COMMITS:
                raise GitError(f"there are more than {MAX_COMMITS} commits")
            found[commit_id] = commit = self._commit(commit_id)
            waiting += commit.parents
        return found

    def _commit(self, commit_id: str) -> _Commit:
        head, _, message = self._objects.get(commit_id, b"commit").partition(b"\n\n")
        trees: list[str] = []
        parents: list[str] = []
        for line in head.split(b"\n"):
            name, _, value = line.partition(b" ")
            if name in (b"tree", b"parent"):
                if not _OBJECT_ID.fullmatch(value):
                    raise GitError(f"the commit {commit_id} names no valid {name.decode()}")
                (trees if name == b"tree" else parents).append(value.decode("ascii"))
        if len(trees) != 1:
            raise GitError(f"the commit {commit_id} has {len(trees)} trees")
        if commit_id in self._without_parents:
            parents = []
        return _Commit(trees[0], tuple(parents), message)

    def _first_parents(self, head: str | None, commits: Mapping[str, _Commit]) -> Iterator[GitCommit]:
        commit_id = head
        while commit_id is not None:
            commit = commits[commit_id]
            parent = commit.parents[0] if commit.parents else None
            before = None if parent is None else commits[parent].tree
            changed = sorted(self._changed(before, commit.tree))
            yield GitCommit(commit_id, commit.parents, commit.message, tuple(changed))
            commit_id = parent

    def _tree(self, tree_id: str | None) -> dict[bytes, _Leaf]:
        if tree_id is None:
            return {}
        data = self._objects.get(tree_id, b"tree")
        entries: dict[bytes, _Leaf] = {}
        position = 0
        while position < len(data):
            space = data.find(b" ", position, position + 8)
            end = data.find(b"\0", space)
            if space < 0 or end < 0 or end + 21 > len(data) or not data[position:space].isdigit():
                raise GitError(f"the tree {tree_id} is broken")
            try:
                mode = int(data[position:space], 8)
            except ValueError:
                raise GitError(f"the tree {tree_id} has a mode that is no number") from None
            entries[data[space + 1 : end]] = mode, data[end + 1 : end + 21].hex()
            position = end + 21
        self._entries_left -= len(entries)
        if self._entries_left < 0:
            raise GitError("the trees hold too many paths to be read")
        return entries

    def _changed(self, before: str | None, after: str | None) -> set[bytes]:
        """Paths of files whose mode or content differs between two trees; equal subtrees are not opened."""
        found: set[bytes] = set()
        waiting: list[tuple[bytes, str | None, str | None]] = [(b"", before, after)]
        while waiting:
            prefix, old_id, new_id = waiting.pop()
            if old_id == new_id:
                continue
            if prefix.count(b"/") > MAX_TREE_DEPTH:
                raise GitError("the trees are nested too deeply to be read")
            old, new = self._tree(old_id), self._tree(new_id)
            for name in old.keys() | new.keys():
                was, now = old.get(name), new.get(name)
                if was == now:
                    continue
                subtrees = [leaf[1] if leaf and leaf[0] == _TREE_MODE else None for leaf in (was, now)]
                if any(subtrees):
                    waiting.append((prefix + name + b"/", subtrees[0], subtrees[1]))
                if any(leaf and leaf[0] != _TREE_MODE for leaf in (was, now)):
                    found.add(prefix + name)
        return found

    def _leaves(self, tree_id: str | None) -> dict[bytes, _Leaf]:
        found: dict[bytes, _Leaf] = {}
        waiting = [(b"", tree_id)]
        while waiting:
            prefix, tree_id = waiting.pop()
            if prefix.count(b"/") > MAX_TREE_DEPTH:
                raise GitError("the trees are nested too deeply to be read")
            for name, (mode, object_id) in self._tree(tree_id).items():
                if mode == _TREE_MODE:
                    waiting.append((prefix + name + b"/", object_id))
                else:
                    found[prefix + name] = mode, object_id
        return found

    def _staged(self, head_tree: str | None, index: Mapping[bytes, _Indexed]) -> tuple[bytes, ...]:
        """Paths whose index entry differs from HEAD's tree, those in conflict and those only announced included."""
        committed = self._leaves(head_tree)
        indexed = {
            path: (entry.mode, entry.sha.decode("ascii")) if isinstance(entry, IndexEntry) else None
            for path, entry in index.items()
            if not _only_announced(entry)
        }
        paths = committed.keys() | indexed.keys()
        return tuple(sorted(path for path in paths if committed.get(path) != indexed.get(path)))

    def _index(self) -> dict[bytes, _Indexed]:
        data = self._files.get(b"index")
        if data is None:
            return {}
        # Version 4 shares path prefixes, so that a small file can hold any amount of path.
        if len(data) > MAX_INDEX_BYTES or data[:4] != b"DIRC" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
            raise GitError("the index is too large or of a version that is not read here")
        if int.from_bytes(data[8:12], "big") > len(data) // 62:
            raise GitError("the index is cut short")
        try:
            return read_index_dict(io.BytesIO(data))
        except Exception as error:
            # The library promises no exception type for a broken file.
            raise GitError(f"the index is broken ({type(error).__name__})") from None


def _only_announced(entry: _Indexed) -> bool:
    return isinstance(entry, IndexEntry) and bool(entry.extended_flags & _INTENT_TO_ADD)


def _index_entries(index: Mapping[bytes, _Indexed]) -> Iterator[GitIndexEntry]:
    for path, entry in index.items():
        stages = (entry,) if isinstance(entry, IndexEntry) else (None, entry.ancestor, entry.this, entry.other)
        for stage, found in enumerate(stages):
            if found is not None:
                yield GitIndexEntry(path, found.mode, found.sha.decode("ascii"), stage)
