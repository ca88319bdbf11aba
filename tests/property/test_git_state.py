"""A repository is read without raising, whatever is in it, and in bounded space."""

from __future__ import annotations

import hashlib
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.jail import git_objects, git_state
from qfuzz.jail.git_fixture import repository_files
from qfuzz.jail.git_state import read_git_state
from qfuzz.model.errors import InputError
from qfuzz.model.observation import Entry, GitIndexEntry, GitState, Kind, Tree
from qfuzz.model.task import Fixture, FixtureCommit, FixtureFile, FixtureGit, FixtureSymlink

FIXTURE = Fixture(
    files=(
        FixtureFile(b"a", b"one"),
        FixtureFile(b"d/b", b"two", 0o755),
        FixtureFile(b"d/e/c", b"three"),
        FixtureFile(b"new", b"four"),
    ),
    symlinks=(FixtureSymlink(b"l", b"a"),),
    git=FixtureGit((FixtureCommit(b"first", (b"a", b"l")), FixtureCommit(b"second\n", (b"d/b", b"d/e/c"))), (b"new",)),
)


def files_of(fixture: Fixture) -> dict[bytes, bytes]:
    return {path.removeprefix(b".git/"): content for path, content, _ in repository_files(fixture).files}


def state_of(files: dict[bytes, bytes]) -> GitState:
    return read_git_state(Tree({path: Entry(Kind.FILE, 0o644, content) for path, content in files.items()}))


def loose(kind: bytes, body: bytes) -> tuple[bytes, bytes]:
    raw = kind + b" %d\0" % len(body) + body
    name = hashlib.sha1(raw).hexdigest().encode()
    return name, zlib.compress(raw)


def with_object(files: dict[bytes, bytes], kind: bytes, body: bytes) -> bytes:
    name, stored = loose(kind, body)
    files[b"objects/" + name[:2] + b"/" + name[2:]] = stored
    return name


def pack(*entries: bytes) -> bytes:
    body = b"PACK" + (2).to_bytes(4, "big") + len(entries).to_bytes(4, "big") + b"".join(entries)
    return body + hashlib.sha1(body).digest()


def packed(kind: int, data: bytes, base: bytes = b"", claimed: int | None = None) -> bytes:
    size = len(data) if claimed is None else claimed
    head = [kind << 4 | size & 15]
    size >>= 4
    while size:
        head[-1] |= 0x80
        head.append(size & 0x7F)
        size >>= 7
    return bytes(head) + base + zlib.compress(data)


def test_the_fixtures_repository_is_read_as_it_was_made() -> None:
    state = state_of(files_of(FIXTURE))
    assert (state.error, state.branch, state.commits) == ("", b"refs/heads/main", 2)
    assert [(commit.message, commit.changed) for commit in state.history] == [
        (b"second\n", (b"d/b", b"d/e/c")),
        (b"first\n", (b"a", b"l")),
    ]
    assert state.staged == (b"new",)
    # The same on every machine and in every year.
    assert state.history[0].commit_id == "d8a7f5907bd395a078293d38b6c19ce4a0aafe4c"


def test_a_repository_without_commits() -> None:
    files = files_of(Fixture(files=(FixtureFile(b"a", b""),), git=FixtureGit((), (b"a",))))
    blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert state_of(files) == GitState(
        branch=b"refs/heads/main",
        staged=(b"a",),
        config=files[b"config"],
        index=(GitIndexEntry(b"a", 0o100644, blob),),
    )


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (b"refs/tags/v", b"1" * 40 + b"\n"),
        (b"refs/heads/b$9", b"1" * 40 + b"\n"),
        (b"refs/remotes/o/HEAD", b"ref: refs/remotes/o/main\n"),
        (b"packed-refs", b"# pack-refs with: peeled\n" + b"1" * 40 + b" refs/tags/v\n^" + b"2" * 40 + b"\n"),
        (b"config", b"[alias]\n\tx = log $9\n"),
        (b"index", files_of(Fixture(files=FIXTURE.files, git=FixtureGit((), (b"a",))))[b"index"]),
    ],
)
def test_what_lies_outside_heads_history_is_told_apart(path: bytes, content: bytes) -> None:
    files = files_of(FIXTURE)
    other = state_of({**files, path: content})
    assert other.error == ""
    assert other != state_of(files)


def test_a_ref_in_a_file_hides_the_packed_one() -> None:
    files = files_of(FIXTURE)
    head = files[b"refs/heads/main"].strip()
    files[b"packed-refs"] = b"1" * 40 + b" refs/heads/main\n" + b"2" * 40 + b" refs/tags/v\n"
    assert state_of(files).refs == ((b"refs/heads/main", head), (b"refs/tags/v", b"2" * 40))


@pytest.mark.parametrize(
    ("path", "size"), [(b"config", git_state.MAX_CONFIG_BYTES), (b"refs/tags/v", git_state.MAX_REFS_BYTES)]
)
def test_settings_and_refs_beyond_their_bounds_are_refused(path: bytes, size: int) -> None:
    assert "too large" in state_of({**files_of(FIXTURE), path: b"x" * (size + 1)}).error


def test_a_repository_that_names_no_file_of_the_fixture() -> None:
    with pytest.raises(InputError, match="no file of the fixture"):
        repository_files(Fixture(git=FixtureGit((FixtureCommit(b"m", (b"missing",)),))))


@given(st.data())
def test_damaged_files_never_raise(data: st.DataObject) -> None:
    files = files_of(FIXTURE)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(sorted(files)))
        content = bytearray(files[path])
        how = data.draw(st.sampled_from(["byte", "cut", "grow", "other"]))
        if how == "byte" and content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        elif how == "cut":
            del content[data.draw(st.integers(0, len(content))) :]
        elif how == "grow":
            content += data.draw(st.binary(max_size=40))
        else:
            content = bytearray(files[data.draw(st.sampled_from(sorted(files)))])
        files[path] = bytes(content)
    assert isinstance(state_of(files), GitState)


@given(st.binary(max_size=80), st.sampled_from([b"tree", b"commit"]))
def test_any_object_behind_head_never_raises(body: bytes, kind: bytes) -> None:
    files = files_of(FIXTURE)
    name = with_object(files, kind, body)
    if kind == b"tree":
        name = with_object(files, b"commit", b"tree " + name + b"\n\nmessage")
    files[b"HEAD"] = name
    assert isinstance(state_of(files), GitState)


@given(st.binary(max_size=120))
def test_any_index_never_raises(body: bytes) -> None:
    files = files_of(FIXTURE)
    files[b"index"] = b"DIRC\0\0\0\2" + body
    assert isinstance(state_of(files), GitState)


@given(st.lists(st.binary(max_size=30), max_size=4), st.integers(0, 6))
def test_any_pack_never_raises(entries: list[bytes], count: int) -> None:
    files = {b"HEAD": b"ref: refs/heads/main", b"refs/heads/main": b"1" * 40}
    body = b"PACK\0\0\0\2" + count.to_bytes(4, "big") + b"".join(entries)
    files[b"objects/pack/pack-00.pack"] = body
    assert state_of(files).error


def test_packs_with_both_kinds_of_deltas() -> None:
    base = b"tree " + b"0" * 40 + b"\n\nfirst message"
    tree_name, _ = loose(b"tree", b"")
    commit = b"tree " + tree_name + b"\n\nfirst message"
    # A copy of the start of the base, then new bytes.
    delta = bytes([len(base), len(commit), 0x90, 5, 40]) + tree_name + bytes([0x91, 45, len(base) - 45])
    first = packed(1, base)
    by_offset = packed(6, delta, bytes([len(first)]))
    by_name = packed(7, delta, bytes.fromhex(loose(b"commit", base)[0].decode()))
    for second in (by_offset, by_name):
        files = {b"HEAD": loose(b"commit", commit)[0], b"objects/pack/pack-1.pack": pack(first, second, packed(2, b""))}
        state = state_of(files)
        assert (state.error, state.commits, state.history[0].message) == ("", 1, b"first message")


def chain(kind: int, length: int, reverse: bool = False) -> dict[bytes, bytes]:
    """A pack whose last object is `length` deltas away from its base; HEAD is that object."""
    body = b"tree " + loose(b"tree", b"")[0] + b"\n\n"
    entries = [packed(1, body)]
    for _ in range(length):
        size = len(body)
        delta = bytes([size, size + 1, 0x90, size, 1]) + b"x"
        base = bytes.fromhex(loose(b"commit", body)[0].decode()) if kind == 7 else bytes([len(entries[-1])])
        entries.append(packed(kind, delta, base))
        body += b"x"
    entries.append(packed(2, b""))
    ordered = entries[::-1] if reverse else entries
    return {b"HEAD": loose(b"commit", body)[0], b"objects/pack/pack-1.pack": pack(*ordered)}


@pytest.mark.parametrize(("kind", "reverse"), [(6, False), (7, False), (7, True)])
def test_chains_of_deltas_are_read_up_to_a_depth(kind: int, reverse: bool) -> None:
    most = git_objects.MAX_DELTA_DEPTH
    state = state_of(chain(kind, most, reverse))
    assert (state.error, state.history[0].message) == ("", b"x" * most)
    assert "too long" in state_of(chain(kind, most + 1, reverse)).error


def test_a_reversed_chain_takes_a_step_for_each_object(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    find = git_objects.Objects._loose

    def counted(self: git_objects.Objects, object_id: str) -> tuple[bytes, bytes] | None:
        looked_up.append(object_id)
        return find(self, object_id)

    monkeypatch.setattr(git_objects.Objects, "_loose", counted)
    length = git_objects.MAX_DELTA_DEPTH
    assert state_of(chain(7, length, reverse=True)).error == ""
    # Once for each base, and for the commit and its tree.
    assert len(looked_up) <= length + 5


def cyclic() -> dict[bytes, bytes]:
    name = bytes(20)
    return {
        b"HEAD": b"1" * 40,
        b"objects/pack/pack-1.pack": pack(packed(7, b"\1\1\1x", name), packed(7, b"\1\1\1x", name)),
    }


def bomb_of_zeros() -> dict[bytes, bytes]:
    raw = b"commit 2000000000\0" + bytes(200_000_000)
    return {b"HEAD": b"1" * 40, b"objects/11/" + b"1" * 38: zlib.compress(raw)}


def bomb_in_a_pack() -> dict[bytes, bytes]:
    return {b"HEAD": b"1" * 40, b"objects/pack/pack-1.pack": pack(packed(1, bytes(200_000_000), claimed=100))}


def bomb_of_copies() -> dict[bytes, bytes]:
    base = bytes(60_000)
    copy = bytes([0xB0, 0x60, 0xEA])
    size = b"\xff\xff\xff\xff\x0f"
    delta = bytes([0xE0, 0xD4, 0x03]) + size + copy * 60_000
    first = packed(3, base)
    distance = len(first)
    encoded = [distance & 0x7F]
    while distance := distance >> 7:
        distance -= 1
        encoded.insert(0, 0x80 | distance & 0x7F)
    return {b"HEAD": b"1" * 40, b"objects/pack/pack-1.pack": pack(first, packed(6, delta, bytes(encoded)))}


def bomb_of_trees() -> dict[bytes, bytes]:
    files: dict[bytes, bytes] = {}
    name = with_object(files, b"blob", b"")
    body = b"100644 f\0" + bytes.fromhex(name.decode())
    for _ in range(20):
        name = with_object(files, b"tree", body)
        body = b"".join(b"40000 %d\0" % index + bytes.fromhex(name.decode()) for index in range(10))
    files[b"HEAD"] = with_object(files, b"commit", b"tree " + with_object(files, b"tree", body) + b"\n\nx")
    return files


def endless_refs() -> dict[bytes, bytes]:
    return {b"HEAD": b"ref: refs/heads/a", b"refs/heads/a": b"ref: refs/heads/a"}


def index_of_shared_prefixes() -> dict[bytes, bytes]:
    return {b"HEAD": b"ref: refs/heads/a", b"index": b"DIRC\0\0\0\4\0\0\xff\xff" + bytes(4_000_000)}


@pytest.mark.parametrize(
    "made",
    [cyclic, bomb_of_zeros, bomb_in_a_pack, bomb_of_copies, bomb_of_trees, endless_refs, index_of_shared_prefixes],
)
def test_bombs_are_refused_in_bounded_space(made: Callable[[], dict[bytes, bytes]]) -> None:
    files = made()
    tracemalloc.start()
    try:
        state = state_of(files)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert state.error
    assert peak < 3 * git_objects.MAX_INFLATED_BYTES


def test_too_many_commits_are_refused() -> None:
    files: dict[bytes, bytes] = {}
    tree_name = with_object(files, b"tree", b"")
    parents = b""
    for _ in range(git_state.MAX_COMMITS + 1):
        name = with_object(files, b"commit", b"tree " + tree_name + b"\n" + parents + b"\nx")
        parents = b"parent " + name + b"\n"
    files[b"HEAD"] = name
    assert "commits" in state_of(files).error


def test_an_object_under_a_wrong_name_is_refused() -> None:
    files = files_of(FIXTURE)
    _, stored = loose(b"commit", b"tree " + b"1" * 40 + b"\n\nforged")
    head = files[b"refs/heads/main"].strip()
    files[b"objects/" + head[:2] + b"/" + head[2:]] = stored
    assert "another object" in state_of(files).error


def test_a_repository_that_was_not_read_whole_is_an_error() -> None:
    assert read_git_state(Tree({}, truncated=True)).error
    assert read_git_state(Tree({b"HEAD": Entry(Kind.FILE, 0o644, b"x", truncated=True)})).error
