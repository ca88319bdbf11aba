"""The ids that the judge computes are those of the repository that is laid."""

from __future__ import annotations

from qfuzz.gen.public import load_public
from qfuzz.jail.git_fixture import BRANCH
from qfuzz.model.task import Fixture, FixtureCommit, FixtureFile, FixtureGit, FixtureSymlink
from qfuzz.oracle.git_ids import commit_ids, leaf_of
from qfuzz.oracle.laid import laid_entries
from tests.examples import committed

# `a.txt` sorts before the directory `a` and `a0` after it.
TANGLED = Fixture(
    files=(
        FixtureFile(b"a.txt", b"one"),
        FixtureFile(b"a/b", b"two", 0o755),
        FixtureFile(b"a/c/d", b"three"),
        FixtureFile(b"a0", b"\xff\0"),
    ),
    symlinks=(FixtureSymlink(b"l", b"a.txt"),),
    git=FixtureGit((FixtureCommit(b"first", (b"a.txt", b"l")), FixtureCommit(b"second\n", (b"a/b", b"a/c/d", b"a0")))),
)


def test_ids_are_those_of_the_laid_repository() -> None:
    fixtures = [TANGLED, *(task.fixture for task in load_public() if task.fixture.git)]
    assert len(fixtures) > 4
    for fixture in fixtures:
        assert fixture.git is not None
        *older, head = fixture.git.commits
        state = committed(Fixture(fixture.files, (), fixture.symlinks, FixtureGit(tuple(older))), head)
        laid = laid_entries(fixture)
        ids = commit_ids(fixture.git, laid)
        assert ids == tuple(commit.commit_id for commit in reversed(state.history))
        assert state.refs == ((BRANCH, ids[-1].encode()),)
        assert {each.path: (each.mode, each.object_id) for each in state.index} == {
            path: leaf_of(laid[path]) for commit in fixture.git.commits for path in commit.files
        }
