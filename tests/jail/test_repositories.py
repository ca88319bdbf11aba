"""Repositories of fixtures as git itself sees them, and what is read of those that git wrote."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qfuzz.jail.pool import Pool
from qfuzz.model.observation import GitState, Observation
from qfuzz.model.task import Fixture, FixtureCommit, FixtureFile, FixtureGit, FixtureSymlink
from tests.jail.hosts import execution

FIXTURE = Fixture(
    files=(
        FixtureFile(b"a.txt", b"one\n"),
        FixtureFile(b"dir/run me", b"#!/bin/sh\n", 0o755),
        FixtureFile(b"staged\n", b"two"),
        FixtureFile(b"loose", b""),
    ),
    symlinks=(FixtureSymlink(b"link", b"a.txt"),),
    git=FixtureGit(
        (FixtureCommit(b"first", (b"a.txt", b"link")), FixtureCommit("z\u00fcgig\n\nbody".encode(), (b"dir/run me",))),
        (b"staged\n",),
    ),
)


@pytest.fixture(scope="module")
def pool(user_namespaces: None) -> Iterator[Pool]:  # noqa: ARG001
    with Pool(1) as made:
        yield made


def run(pool: Pool, reply: str) -> Observation:
    return pool.run(execution(reply, FIXTURE))


def state(pool: Pool, reply: str) -> GitState:
    observation = run(pool, reply)
    assert observation.status.code == 0, observation
    assert observation.git is not None
    assert observation.git.error == ""
    return observation.git


def test_git_finds_the_repository_sound_and_clean(pool: Pool) -> None:
    observation = run(
        pool, "git status --porcelain -z; git fsck --strict; git log --format='%H %an %ae %at %s'; git stash list"
    )
    status, _, log = observation.stdout.data.rpartition(b"\0")
    assert status == b"A  staged\n\0?? loose"
    assert observation.stderr.data == b""
    git = observation.git
    assert git is not None
    subjects = [line.split(b" ", 1) for line in log.splitlines()]
    assert [commit.commit_id.encode() for commit in git.history] == [name for name, _ in subjects]
    assert {rest for _, rest in subjects} == {
        b"A User user@example.com 1700000000 first",
        "A User user@example.com 1700000000 z\u00fcgig".encode(),
    }


def test_what_git_says_is_what_is_read(pool: Pool) -> None:
    observation = run(
        pool,
        """
        echo more >> a.txt; git commit -qam 'both of them'; git rm -q 'dir/run me'; git mv a.txt b.txt
        git checkout -q -b topic; git commit -q --allow-empty -m empty; git add loose
        git log --format=%H; git rev-list --count HEAD; git symbolic-ref HEAD; git diff --cached --name-only -z
        """,
    )
    assert observation.git is not None
    *ids, count, branch, staged = observation.stdout.data.split(b"\n")
    assert [commit.commit_id.encode() for commit in observation.git.history] == ids
    assert observation.git.commits == int(count) == 4
    assert observation.git.branch == branch
    assert observation.git.staged == tuple(sorted(staged.split(b"\0")[:-1]))
    assert [commit.changed for commit in observation.git.history[:2]] == [
        (b"a.txt", b"b.txt", b"dir/run me"),
        (b"a.txt", b"staged\n"),
    ]


PACKED = """
for i in {1..40}; do seq 1 $((i * 40)) > numbers; git add numbers; git commit -qm "number $i"; done
"""


@pytest.fixture(scope="module")
def loose(pool: Pool) -> GitState:
    return state(pool, PACKED)


@pytest.mark.parametrize(
    "packing",
    [
        "git gc -q",
        "git gc -q --aggressive --prune=now",
        "git repack -adq --depth=50 --window=50",
        "git pack-refs --all; git repack -dq",
        "git config repack.usedeltabaseoffset false; git repack -adfq",
        "git config core.compression 0; git gc -q",
        "git checkout -q --detach; git gc -q",
        "git bundle create -q /tmp/b HEAD; rm -rf .git; git init -q; git fetch -q /tmp/b; git reset -q FETCH_HEAD",
        "rm -f .git/index.lock; git update-index --index-version 3; git read-tree HEAD",
    ],
)
def test_packed_repositories_read_like_loose_ones(pool: Pool, loose: GitState, packing: str) -> None:
    packed = state(pool, f"{PACKED}{packing}")
    assert packed.history == loose.history
    assert packed.commits == loose.commits == 42


def test_merges_count_all_parents_and_follow_the_first(pool: Pool) -> None:
    git = state(
        pool,
        """
        git commit -qm base; git checkout -q -b side; echo s > s; git add s; git commit -qm side
        git checkout -q main; echo m > m; git add m; git commit -qm main; git merge -q --no-ff -m merge side
        """,
    )
    assert [commit.message for commit in git.history[:3]] == [b"merge\n", b"main\n", b"base\n"]
    assert len(git.history[0].parents) == 2
    assert git.commits == len(git.history) + 1
    assert git.history[0].changed == (b"s",)


def test_a_conflict_is_staged_and_an_announced_file_is_not(pool: Pool) -> None:
    git = state(
        pool,
        """
        git commit -qm base; git checkout -q -b side; echo s > a.txt; git commit -qam side
        git checkout -q main; echo m > a.txt; git commit -qam main; git merge -q side > /dev/null 2>&1
        git add -N loose
        """,
    )
    assert git.staged == (b"a.txt",)


def test_refs_settings_and_index_are_part_of_the_state(pool: Pool) -> None:
    observation = run(
        pool,
        """
        git tag 'v$9'; git branch 'b$9'; git config alias.x 'log $9'; git update-index --chmod=+x a.txt
        git for-each-ref --format='%(refname) %(objectname)'; git ls-files -s -z
        """,
    )
    git = observation.git
    assert git is not None
    *refs, listed = observation.stdout.data.split(b"\n", 3)
    assert [name + b" " + value for name, value in git.refs] == refs
    assert [name for name, _ in git.refs] == [b"refs/heads/b$9", b"refs/heads/main", b"refs/tags/v$9"]
    assert (
        b"".join(
            b"%06o %s %d\t%s\0" % (each.mode, each.object_id.encode(), each.stage, each.path) for each in git.index
        )
        == listed
    )
    assert b"x = log $9" in git.config


def test_shallow_linked_and_bare_repositories(pool: Pool) -> None:
    shallow = run(pool, "cd /tmp; git clone -q --depth 1 file:///work c; rm -rf /work/.git; mv c/.git /work")
    assert shallow.git is not None
    assert (shallow.git.error, shallow.git.commits) == ("", 1)
    linked = run(pool, "rm -rf .git; git init -q --separate-git-dir /tmp/elsewhere")
    assert linked.git is None
    assert linked.tree.entries[b".git"].content == b"gitdir: /tmp/elsewhere\n"
    newer = run(pool, "rm -rf .git; git init -q --object-format=sha256; git add a.txt; git commit -qm x")
    assert newer.git is not None
    assert newer.git.error
    gone = run(pool, "rm -rf .git")
    assert gone.git is None
