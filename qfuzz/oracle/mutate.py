"""Wrong final states made from a right one: the judge has to refuse every one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from qfuzz.model.content import JsonValue
from qfuzz.model.observation import Entry, GitCommit, GitIndexEntry, GitState, Kind, Observation
from qfuzz.model.task import (
    ExpectArgv,
    ExpectFile,
    ExpectGitHead,
    ExpectJson,
    ExpectLines,
    ExpectTree,
    Task,
)
from qfuzz.oracle.expect import expected_paths

STRANGER = b"left-behind.tmp"
"""A path that no task speaks of."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A final state that differs from a right one in one respect. `what` says in which."""

    what: str
    observation: Observation


def mutants(task: Task, right: Observation) -> Iterator[Mutant]:
    """Every mutant of a right final state: of each expectation, then of what lies beside.

    `right` must pass. The states are what a reply could leave; none of them may pass.
    """
    for expectation in task.expect:
        match expectation:
            case ExpectFile(path):
                yield from _file_mutants(right, path)
            case ExpectLines(path):
                yield from _file_mutants(right, path)
                yield from _lines_mutants(right, path)
            case ExpectArgv(path, args):
                yield from _file_mutants(right, path)
                yield from _argv_mutants(right, path, args)
            case ExpectJson(path, value):
                yield from _file_mutants(right, path, trailing=b"x")
                yield from _json_mutants(right, path, value)
            case ExpectTree(files, gone):
                for path in files:
                    yield from _file_mutants(right, path)
                for path in gone:
                    yield _with_entry(right, path, Entry(Kind.FILE, 0o644, b""), "a path that should be gone")
            case ExpectGitHead():
                assert right.git is not None, "a right final state has the repository"
                yield from _git_mutants(right, right.git)
    yield from _bystander_mutants(task, right)


def _with_entry(right: Observation, path: bytes, entry: Entry | None, what: str) -> Mutant:
    entries = dict(right.tree.entries)
    if entry is None:
        entries.pop(path, None)
    else:
        entries[path] = entry
    return Mutant(f"{what}: {path!r}", replace(right, tree=replace(right.tree, entries=entries)))


def _file_mutants(right: Observation, path: bytes, trailing: bytes = b"\n") -> Iterator[Mutant]:
    """`trailing` is a byte whose addition at the end must matter (a blank after JSON does not)."""
    entry = right.tree.entries[path]
    content = entry.content

    def changed(what: str, data: bytes) -> Mutant:
        return _with_entry(right, path, replace(entry, content=data), what)

    yield changed("a byte more at the end", content + trailing)
    yield changed("a byte more at the start", b"x" + content)
    if content:
        # A final newline of JSON is a blank too, so the last byte that is not one is left out.
        kept = content.rstrip(b"\n") if trailing != b"\n" else content
        yield changed("a byte less at the end", kept[:-1])
        yield changed("a byte less at the start", content[1:])
        middle = len(kept) // 2
        yield changed("another byte in the middle", _other_byte(content, middle))
        yield changed("no content", b"")
        yield changed("twice the content", content + content)
    yield _with_entry(right, path, None, "missing")
    yield _with_entry(right, path, replace(entry, mode=0o600 if entry.mode != 0o600 else 0o644), "only for its owner")
    yield _with_entry(right, path, replace(entry, mode=entry.mode ^ 0o111), "other execute bits")
    yield _with_entry(right, path, replace(entry, truncated=True), "not read to the end")
    for kind in (Kind.SYMLINK, Kind.DIR, Kind.FIFO, Kind.SOCKET):
        body = content if kind is Kind.SYMLINK else b""
        yield _with_entry(right, path, Entry(kind, entry.mode, body), f"a {kind.value} instead of a file")


def _other_byte(content: bytes, index: int) -> bytes:
    other = b"x" if content[index : index + 1] != b"x" else b"y"
    return content[:index] + other + content[index + 1 :]


def _argv_mutants(right: Observation, path: bytes, args: tuple[bytes, ...]) -> Iterator[Mutant]:
    entry = right.tree.entries[path]

    def recorded(what: str, changed: list[bytes]) -> Mutant:
        content = b"".join(arg + b"\0" for arg in changed)
        return _with_entry(right, path, replace(entry, content=content), what)

    listed = list(args)
    yield recorded("an empty argument more", [*listed, b""])
    if listed:
        yield recorded("an argument less", listed[:-1])
    yield recorded("the arguments joined", [b" ".join([*listed, b"more"])])
    if len(set(listed)) > 1:
        yield recorded("the arguments in another order", listed[1:] + listed[:1])
    if any(b" " in arg for arg in listed):
        yield recorded("the arguments split at blanks", [word for arg in listed for word in arg.split(b" ")])


def _json_mutants(right: Observation, path: bytes, value: JsonValue) -> Iterator[Mutant]:
    entry = right.tree.entries[path]

    def written(what: str, changed: JsonValue) -> Mutant:
        content = json.dumps(changed).encode()
        return _with_entry(right, path, replace(entry, content=content), what)

    yield written("wrapped in a list", [value])
    yield written("written as a string", json.dumps(value))
    yield _with_entry(right, path, replace(entry, content=b"\xef\xbb\xbf" + entry.content), "a byte order mark")
    if isinstance(value, dict):
        yield written("a key more", {**value, "left-behind": 1})
        for key, item in value.items():
            yield written(f"without {key!r}", {name: other for name, other in value.items() if name != key})
            yield written(f"another value under {key!r}", {**value, key: [item]})
            yield written(f"null under {key!r}", {**value, key: None if item is not None else 0})
        pairs = "".join(f"{json.dumps(name)}:{json.dumps(item)}," for name, item in [*value.items(), *value.items()])
        twice = f"{{{pairs[:-1]}}}".encode()
        yield _with_entry(right, path, replace(entry, content=twice), "every key twice")


def _lines_mutants(right: Observation, path: bytes) -> Iterator[Mutant]:
    entry = right.tree.entries[path]
    lines = entry.content.splitlines(keepends=True)
    variants = {
        "a line more": [*lines, b"left-behind\n"],
        "an empty line more": [*lines, b"\n"],
    }
    if lines:
        variants |= {"a line less": lines[1:], "a line twice": [*lines, *lines[:1]]}
    for what, changed in variants.items():
        yield _with_entry(right, path, replace(entry, content=b"".join(changed)), what)


def _git_mutants(right: Observation, git: GitState) -> Iterator[Mutant]:
    head = git.history[0]

    def state(what: str, changed: GitState | None) -> Mutant:
        return Mutant(f"Git: {what}", replace(right, git=changed))

    def with_head(what: str, changed: GitCommit) -> Mutant:
        return state(what, replace(git, history=(changed, *git.history[1:])))

    second = GitCommit("0" * 40, (head.commit_id,), head.message, head.changed)
    yield state("a second commit", replace(git, history=(second, *git.history), commits=git.commits + 1))
    yield state("no new commit", replace(git, history=git.history[1:], commits=git.commits - 1))
    yield state("a side branch merged", replace(git, commits=git.commits + 1))
    yield state("no commit at all", replace(git, history=(), commits=0))
    yield state("no repository", None)
    yield state("not readable", replace(git, error="the object is corrupt"))
    yield state("something still staged", replace(git, staged=(STRANGER,)))
    yield state("another branch", replace(git, branch=b"refs/heads/other"))
    yield state("HEAD detached", replace(git, branch=None))
    yield with_head("a byte more in the message", replace(head, message=b"x" + head.message))
    yield with_head("a line more in the message", replace(head, message=head.message + b"\n\nSigned-off-by: x\n"))
    yield with_head("an empty message", replace(head, message=b""))
    yield with_head("another file committed too", replace(head, changed=tuple(sorted((*head.changed, STRANGER)))))
    yield with_head("nothing committed", replace(head, changed=()))
    if len(git.history) > 1:
        older = replace(git.history[1], commit_id="0" * 40)
        child = replace(head, parents=(older.commit_id,))
        yield state(
            "an older commit rewritten under its message", replace(git, history=(child, older, *git.history[2:]))
        )
    name = head.commit_id.encode()
    for ref in (b"refs/heads/other", b"refs/tags/v1", b"refs/stash"):
        yield state(f"the ref {ref!r} more", replace(git, refs=tuple(sorted((*git.refs, (ref, name))))))
    yield state("no ref", replace(git, refs=()))
    for place, entry in enumerate(git.index):

        def listed(what: str, *entries: GitIndexEntry, place: int = place) -> Mutant:
            return state(what, replace(git, index=(*git.index[:place], *entries, *git.index[place + 1 :])))

        path = f"{entry.path!r}"
        yield listed(f"other content committed: {path}", replace(entry, object_id="0" * 40))
        yield listed(f"other execute bits committed: {path}", replace(entry, mode=entry.mode ^ 0o111))
        yield listed(f"a link committed: {path}", replace(entry, mode=0o120000))
        yield listed(f"removed from HEAD: {path}")
        yield listed(f"a file more in HEAD, beside {path}", entry, replace(entry, path=STRANGER))


def _bystander_mutants(task: Task, right: Observation) -> Iterator[Mutant]:
    """What no expectation speaks of: something extra, and each fixture path changed or gone."""
    yield _with_entry(right, STRANGER, Entry(Kind.FILE, 0o644, b""), "an extra file")
    yield _with_entry(right, STRANGER, Entry(Kind.DIR, 0o755), "an extra directory")
    yield _with_entry(right, STRANGER, Entry(Kind.SYMLINK, 0, b"/etc/passwd"), "an extra link")
    yield _with_entry(right, b"\xff\n", Entry(Kind.FILE, 0o644, b""), "an extra file with an odd name")
    yield Mutant("more than can be read", replace(right, tree=replace(right.tree, truncated=True)))
    fixed = {file.path for file in task.fixture.files} | set(task.fixture.dirs)
    fixed |= {link.path for link in task.fixture.symlinks}
    spoken_of = expected_paths(task)
    for path in sorted(fixed - spoken_of):
        entry = right.tree.entries[path]
        yield _with_entry(right, path, None, "a bystander gone")
        yield _with_entry(right, path, replace(entry, mode=entry.mode ^ 0o011), "a bystander with another mode")
        if entry.kind is not Kind.DIR:
            yield _with_entry(right, path, replace(entry, content=entry.content + b"x"), "a bystander with a byte more")
