"""Keys: equal only for what is equal, whatever bytes it is made of."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qfuzz.model.delivery import Launch, OwnRun
from qfuzz.model.reply import Reply
from qfuzz.model.task import Fixture, FixtureCommit, FixtureFile, FixtureGit, FixtureSymlink
from qfuzz.store.keys import (
    context_key,
    digest_parts,
    fixture_key,
    judged_key,
    launch_key,
    observation_key,
    sample_key,
    task_key,
)
from tests import wild

# Few different bytes, and the words that mark parts inside keys: whoever wants two things to share a key tries these.
tags = st.sampled_from(
    [b"", b"a", b"file", b"dir", b"symlink", b"commit", b"staged", b"argv", b"null", b"stdin", b"420"]
)
tag_lists = st.lists(tags, max_size=4).map(tuple)
tagged_launches = st.builds(
    Launch, st.just(b"/bin/bash"), tag_lists, st.just(b"p"), st.none() | tags, inner_shells=st.integers(0, 1)
)
tagged_fixtures = st.builds(
    Fixture,
    st.lists(st.builds(FixtureFile, tags, tags, st.just(0o644)), max_size=2).map(tuple),
    tag_lists,
    st.lists(st.builds(FixtureSymlink, tags, tags), max_size=2).map(tuple),
    st.none()
    | st.builds(FixtureGit, st.lists(st.builds(FixtureCommit, tags, tag_lists), max_size=3).map(tuple), tag_lists),
)


@given(st.lists(st.binary(max_size=3), max_size=4), st.lists(st.binary(max_size=3), max_size=4))
def test_lists_of_parts_share_a_digest_only_if_equal(left: list[bytes], right: list[bytes]) -> None:
    assert (digest_parts(left) == digest_parts(right)) == (left == right)


@given(tagged_launches | wild.launches, tagged_launches | wild.launches)
def test_launches_share_a_key_only_if_equal(left: Launch, right: Launch) -> None:
    assert (launch_key(left) == launch_key(right)) == (left == right)


@given(tagged_fixtures | wild.fixtures(), tagged_fixtures | wild.fixtures())
def test_fixtures_share_a_key_only_if_equal(left: Fixture, right: Fixture) -> None:
    assert (fixture_key(left) == fixture_key(right)) == (left == right)


def test_words_that_mark_parts_are_told_from_contents() -> None:
    one = FixtureGit((FixtureCommit(b"m", (b"a", b"commit", b"b", b"c")),))
    two = FixtureGit((FixtureCommit(b"m", (b"a",)), FixtureCommit(b"b", (b"c",))))
    assert fixture_key(Fixture(git=one)) != fixture_key(Fixture(git=two))
    argument = Launch(b"/bin/bash", (b"bash", b"-s", b"stdin"), b"")
    stdin = Launch(b"/bin/bash", (b"bash", b"-s"), b"", b"null")
    assert launch_key(argument) != launch_key(stdin)


def flipped(data: bytes, index: int) -> bytes:
    return data[:index] + bytes([data[index] ^ 1]) + data[index + 1 :]


@given(wild.launches, st.data())
def test_any_changed_byte_of_a_launch_changes_its_key(launch: Launch, data: st.DataObject) -> None:
    places = {
        "executable": launch.executable,
        **{f"argv {index}": argument for index, argument in enumerate(launch.argv)},
        "stdin": launch.stdin or b"",
        **{f"file {index}": file.content for index, file in enumerate(launch.files)},
    }
    place = data.draw(st.sampled_from([name for name, content in places.items() if content]))
    index = data.draw(st.integers(0, len(places[place]) - 1))
    new = flipped(places[place], index)
    kind, _, number = place.partition(" ")
    if kind == "argv":
        changed = replace(launch, argv=(*launch.argv[: int(number)], new, *launch.argv[int(number) + 1 :]))
    elif kind == "file":
        file = replace(launch.files[int(number)], content=new)
        changed = replace(launch, files=(*launch.files[: int(number)], file, *launch.files[int(number) + 1 :]))
    else:
        changed = replace(launch, **{kind: new})
    assert launch_key(changed) != launch_key(launch)


@given(wild.launches)
def test_every_field_of_a_launch_is_in_its_key(launch: Launch) -> None:
    others: dict[str, object] = {
        "executable": launch.executable + b"x",
        "argv": (*launch.argv, b""),
        "program": launch.program + b"x",
        "stdin": b"" if launch.stdin is None else None,
        "files": (*launch.files, wild.SideFile(b"/run/qfuzz/in/new", b"")),
        "shell": "zsh",
        "inner_shells": launch.inner_shells + 1,
        "id_mapped": not launch.id_mapped,
        "hides_arrival": not launch.hides_arrival,
        "own": OwnRun() if launch.own is None else None,
    }
    assert set(others) == {field.name for field in fields(Launch)}
    keys = {launch_key(replace(launch, **{name: value})) for name, value in others.items()}  # type: ignore[arg-type]
    assert len(keys | {launch_key(launch)}) == len(others) + 1


@settings(max_examples=20)
@given(wild.tasks, wild.tasks)
def test_tasks_share_a_key_only_if_equal(left: wild.Task, right: wild.Task) -> None:
    assert task_key(left) != task_key(right) or left == right


@given(wild.replies, wild.replies)
def test_samples_share_a_key_only_if_equal(left: Reply, right: Reply) -> None:
    assert (sample_key(left) == sample_key(right)) == (left == right)


@given(st.dictionaries(st.text(max_size=4), wild.json_values, max_size=3), st.randoms(use_true_random=False))
def test_the_order_of_a_context_does_not_matter_and_its_values_do(context: dict[str, object], random: object) -> None:
    items = list(context.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert context_key(dict(items)) == context_key(context)
    assert context_key({**context, "further": 1}) != context_key(context)


@pytest.mark.parametrize("position", range(4))
def test_every_part_of_an_observation_key_counts(position: int) -> None:
    parts: list[object] = ["c", "f", "l", 0]
    changed = [*parts]
    changed[position] = 1 if position == 3 else "x"
    assert observation_key(*changed) != observation_key(*parts)  # type: ignore[arg-type]


@pytest.mark.parametrize("position", range(5))
def test_every_part_of_a_judged_key_counts(position: int) -> None:
    parts = ["sample", "context", "transport", "task", "fixture"]
    changed = [*parts]
    changed[position] = ""
    assert judged_key(*changed) != judged_key(*parts)
