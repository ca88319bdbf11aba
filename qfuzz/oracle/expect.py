"""Whether a final state meets a task's expectations. Each check answers with what is wrong, or with an empty string."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable

from qfuzz.model.content import JsonValue
from qfuzz.model.observation import GitState, Kind, Observation
from qfuzz.model.task import (
    CREATED_FILE_MODE,
    ExpectArgv,
    Expectation,
    ExpectFile,
    ExpectGitHead,
    ExpectJson,
    ExpectLines,
    ExpectTree,
    Fixture,
    Task,
)
from qfuzz.model.text import one_line
from qfuzz.oracle.git_ids import commit_ids, leaf_of
from qfuzz.oracle.laid import laid_entries


def expected_paths(task: Task) -> frozenset[bytes]:
    """Every path that an expectation speaks of; the audit leaves these to it."""
    paths: set[bytes] = set()
    for expectation in task.expect:
        match expectation:
            case ExpectTree(files, gone):
                paths.update(files)
                paths.update(gone)
            case ExpectGitHead():
                pass
            case ExpectFile(path) | ExpectArgv(path) | ExpectJson(path) | ExpectLines(path):
                paths.add(path)
    return frozenset(paths)


def unmet_expectation(task: Task, observation: Observation) -> str:
    """The first expectation that does not hold, in one line; empty if all hold."""
    for expectation in task.expect:
        problem = _problem(expectation, task.fixture, observation)
        if problem:
            return problem
    return ""


def _problem(expectation: Expectation, fixture: Fixture, observation: Observation) -> str:
    match expectation:
        case ExpectFile(path, content):
            return _file(path, fixture, observation, _Exactly(content))
        case ExpectArgv(path, args):
            recorded = b"".join(arg + b"\0" for arg in args)
            return _file(path, fixture, observation, _Exactly(recorded))
        case ExpectJson(path, value):
            return _file(path, fixture, observation, lambda data: _same_json(data, value))
        case ExpectLines(path, lines, strip_prefix):
            return _file(path, fixture, observation, lambda data: _same_lines(data, lines, strip_prefix))
        case ExpectTree(files, gone):
            for path, content in files.items():
                problem = _file(path, fixture, observation, _Exactly(content))
                if problem:
                    return problem
            left = [path for path in gone if path in observation.tree.entries]
            return f"{shown(left[0])} should be gone" if left else ""
        case ExpectGitHead():
            return _git_head(expectation, fixture, observation)


class _Exactly:
    """The content must be these bytes; of a long file the digest tells."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __call__(self, data: bytes) -> bool:
        return data == self._content

    def has_digest(self, digest: str) -> bool:
        return hashlib.sha256(self._content).hexdigest() == digest


def _file(path: bytes, fixture: Fixture, observation: Observation, right: Callable[[bytes], bool]) -> str:
    """One regular file: there, whole, with the mode it should have, and with the right content."""
    entry = observation.tree.entries.get(path)
    if entry is None:
        return f"{shown(path)} is missing"
    if entry.kind is not Kind.FILE:
        return f"{shown(path)} is a {entry.kind.value}, not a regular file"
    if entry.truncated or (entry.digest and not isinstance(right, _Exactly)):
        return f"{shown(path)} is too large to be right"
    if not (right.has_digest(entry.digest) if entry.digest and isinstance(right, _Exactly) else right(entry.content)):
        return f"{shown(path)} has the wrong content"
    mode = next((file.mode for file in fixture.files if file.path == path), CREATED_FILE_MODE)
    return f"{shown(path)} has mode {entry.mode:04o}, not {mode:04o}" if entry.mode != mode else ""


def _same_lines(data: bytes, lines: tuple[bytes, ...], strip_prefix: bytes) -> bool:
    if data and not data.endswith(b"\n"):
        return False
    found = data.split(b"\n")[:-1]
    return Counter(line.removeprefix(strip_prefix) for line in found) == Counter(lines)


def _same_json(data: bytes, value: JsonValue) -> bool:
    try:
        found = json.loads(data.decode("utf-8"), object_pairs_hook=_no_repeated_key, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return False
    return _equal(found, value)


class _NotStrict(ValueError):
    """JSON that parsers disagree about."""


def _no_repeated_key(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise _NotStrict
    return dict(pairs)


def _no_constant(name: str) -> JsonValue:
    raise _NotStrict(name)


def _equal(left: JsonValue, right: JsonValue) -> bool:
    # Python calls 1, 1.0 and True equal; a reader of the file does not.
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_equal(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)


def _git_head(expectation: ExpectGitHead, fixture: Fixture, observation: Observation) -> str:
    git = observation.git
    if git is None:
        return "there is no Git repository"
    if git.error:
        return f"the Git repository can't be read: {one_line(git.error)}"
    if not git.history:
        return "HEAD has no commit"
    head = git.history[0]
    if git.commits != expectation.commits:
        return f"the history has {git.commits} commits, not {expectation.commits}"
    if len(git.history) != git.commits:
        return "the history is not one line of commits"
    if head.message.removesuffix(b"\n") != expectation.message:
        return "HEAD has the wrong message"
    if head.changed != tuple(sorted(expectation.files)):
        return f"HEAD changes {shown_list(head.changed)}, not {shown_list(tuple(sorted(expectation.files)))}"
    if git.staged:
        return f"{shown(git.staged[0])} is still staged"
    if git.branch != b"refs/heads/main":
        return "HEAD is not on the branch main"
    if git.refs != ((git.branch, head.commit_id.encode()),):
        return "main is not the only ref"
    laid = laid_entries(fixture)
    before = commit_ids(fixture.git, laid) if fixture.git else ()
    kept = tuple(commit.commit_id for commit in reversed(git.history))[: len(before)]
    if kept != before:
        return "the commits that were there have been rewritten"
    committed = {path for commit in fixture.git.commits for path in commit.files} if fixture.git else set()
    return _committed_contents(committed.union(expectation.files), git, observation)


def _committed_contents(paths: set[bytes], git: GitState, observation: Observation) -> str:
    """Whether HEAD holds these paths, and all others that it has, as the work directory does.

    What the work directory should hold is judged beside this. With nothing staged, the index holds what HEAD does.
    """
    listed = {entry.path: (entry.mode, entry.object_id) for entry in git.index}
    for path in sorted(paths | listed.keys()):
        if listed.get(path) != leaf_of(observation.tree.entries.get(path)):
            return f"HEAD does not hold {shown(path)} as the work directory does"
    return ""


def shown(path: bytes) -> str:
    """A path for a message: as text where it is plain, else as a bytes literal."""
    if path and all(0x21 <= byte <= 0x7E for byte in path):
        return path.decode("ascii")
    return repr(path)[1:]


def shown_list(paths: tuple[bytes, ...]) -> str:
    return ", ".join(map(shown, paths)) or "nothing"
