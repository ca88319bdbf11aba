"""Strategies for whatever the formats allow: arbitrary bytes in every place that holds bytes."""

from __future__ import annotations

from hypothesis import strategies as st

from qfuzz.model.content import JsonValue
from qfuzz.model.delivery import Launch, SideFile
from qfuzz.model.observation import (
    Capture,
    Ending,
    Entry,
    GitCommit,
    GitIndexEntry,
    GitState,
    Kind,
    Observation,
    Status,
    Tree,
)
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import QUOTEBENCH_CONTRACTS
from qfuzz.model.task import (
    ExpectArgv,
    Expectation,
    ExpectFile,
    ExpectGitHead,
    ExpectJson,
    ExpectLines,
    ExpectTree,
    Fixture,
    FixtureCommit,
    FixtureFile,
    FixtureGit,
    FixtureSymlink,
    Task,
)

contents = st.binary(max_size=24) | st.text(max_size=12).map(lambda text: text.encode())
words = st.text(min_size=1, max_size=12)
names = contents.filter(lambda name: name not in (b"", b".", b"..", b".git") and not set(name) & {0, 0x2F})
paths = st.lists(names, min_size=1, max_size=3).map(b"/".join)
modes = st.integers(0, 0o777)
commit_ids = st.text("0123456789abcdef", min_size=40, max_size=40)

json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)

entries = st.builds(Entry, st.sampled_from(Kind), modes, contents, st.booleans())
trees = st.builds(Tree, st.dictionaries(paths, entries, max_size=5), st.booleans())
statuses = st.one_of(
    st.builds(Status, st.just(Ending.EXIT), st.integers(0, 255)),
    st.builds(Status, st.just(Ending.SIGNAL), st.integers(1, 64)),
    st.just(Status(Ending.TIMEOUT, 0)),
)
captures = st.builds(Capture, contents, st.booleans())
git_commits = st.builds(
    GitCommit, commit_ids, st.lists(commit_ids, max_size=2).map(tuple), contents, st.lists(paths, max_size=2).map(tuple)
)
index_entries = st.builds(
    GitIndexEntry, paths, st.sampled_from([0o100644, 0o100755, 0o120000]), commit_ids, st.integers(0, 3)
)
git_states = st.builds(
    GitState,
    st.none() | contents,
    st.lists(git_commits, max_size=3).map(tuple),
    st.integers(0, 5),
    st.lists(paths, max_size=2).map(tuple),
    st.sampled_from(["", "HEAD is no link", "no object \x1b[31m\n"]),
    st.lists(st.tuples(paths, contents), max_size=2).map(tuple),
    contents,
    st.lists(index_entries, max_size=2).map(tuple),
)
observations = st.builds(
    Observation,
    status=statuses,
    stdout=captures,
    stderr=captures,
    tree=trees,
    git=st.none() | git_states,
    seconds=st.integers(0, 10**9).map(lambda micros: micros / 10**6),
    parses=st.none() | st.booleans(),
    arrived=st.none() | contents,
    tapped=st.booleans(),
    limit=st.sampled_from(["", "memory"]),
)


@st.composite
def fixtures(draw: st.DrawFn) -> Fixture:
    """A fixture that can be laid: no path twice, and nothing below a file or a link."""
    taken: dict[bytes, str] = {}
    for path in draw(st.lists(paths, max_size=6, unique=True)):
        parts = path.split(b"/")
        above = [b"/".join(parts[:depth]) for depth in range(1, len(parts))]
        free = all(taken.get(parent, "dir") == "dir" for parent in above)
        if free and path not in taken and not any(other.startswith(path + b"/") for other in taken):
            taken[path] = draw(st.sampled_from(["file", "dir", "link"]))
    files = [path for path, kind in taken.items() if kind == "file"]
    some_files = st.lists(st.sampled_from(files), unique=True).map(tuple) if files else st.just(())
    git = st.builds(FixtureGit, st.lists(st.builds(FixtureCommit, contents, some_files)).map(tuple), some_files)
    targets = contents.filter(lambda target: target and b"\0" not in target)
    return Fixture(
        files=tuple(FixtureFile(path, draw(contents), draw(modes)) for path in files),
        dirs=tuple(path for path, kind in taken.items() if kind == "dir"),
        symlinks=tuple(FixtureSymlink(path, draw(targets)) for path, kind in taken.items() if kind == "link"),
        git=draw(st.none() | git),
    )


expectations: st.SearchStrategy[Expectation] = st.one_of(
    st.builds(ExpectFile, paths, contents),
    st.builds(ExpectArgv, paths, st.lists(contents, max_size=3).map(tuple)),
    st.builds(ExpectJson, paths, json_values),
    st.builds(ExpectTree, st.dictionaries(paths, contents, max_size=3), st.lists(paths, max_size=2).map(tuple)),
    st.builds(ExpectLines, paths, st.lists(contents, max_size=3).map(tuple), contents),
    st.builds(ExpectGitHead, contents, st.lists(paths, max_size=2).map(tuple), st.integers(0, 5)),
)

tasks = st.builds(
    Task,
    task_id=words,
    family=words,
    tier=st.integers(0, 3),
    hazards=st.lists(words, max_size=3).map(tuple),
    instruction=st.text(),
    payloads=st.dictionaries(words, contents, max_size=3),
    fixture=fixtures(),
    expect=st.lists(expectations, min_size=1, max_size=3).map(tuple),
    may_create=st.lists(paths, max_size=2).map(tuple),
    reference=st.none() | contents,
    naive=st.none() | contents,
)

metadata = st.dictionaries(st.text(max_size=6).map(lambda name: f"x-{name}"), json_values, max_size=3)
replies = st.builds(
    Reply,
    program=contents.map(lambda program: program.replace(b"\0", b"")),
    task_id=st.none() | words,
    contract=words.filter(lambda name: name not in QUOTEBENCH_CONTRACTS),
    model=st.text(max_size=8),
    trial=st.integers(0, 1000),
    effort=st.none() | st.text(max_size=8),
    metadata=metadata,
)

side_files = st.builds(SideFile, paths.map(lambda path: b"/run/qfuzz/in/" + path), contents, modes)
launches = st.builds(
    Launch,
    executable=paths.map(lambda path: b"/" + path),
    argv=st.lists(contents, min_size=1, max_size=4).map(tuple),
    program=contents,
    stdin=st.none() | contents,
    files=st.lists(side_files, max_size=2).map(tuple),
    shell=st.sampled_from(["bash", "sh"]),
    inner_shells=st.integers(0, 3),
    id_mapped=st.booleans(),
    hides_arrival=st.booleans(),
)
