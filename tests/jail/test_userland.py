"""Another userland first in PATH: what a reply finds, and what it does not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from qfuzz.engine.machinery import context_of
from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.jail.userland import FOLDER, USERLANDS, find_userland
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HostError, UsageError
from qfuzz.model.task import Fixture
from qfuzz.store.keys import context_key

THERE = [name for name in USERLANDS if name != "gnu" and shutil.which(name, path="/usr/bin:/bin")]


@pytest.fixture(
    scope="module", params=THERE or [pytest.param("", marks=pytest.mark.skip("no busybox, no toybox here"))]
)
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    with Pool(1, userland=find_userland(request.param)) as opened:
        yield opened


def said(pool: Pool, program: bytes) -> str:
    launch = Launch(b"/bin/bash", (b"bash", b"-c", program), program)
    return pool.run(Execution(launch, Fixture(), 10.0)).stdout.data.decode()


def test_its_tools_come_first_and_shells_stay(pool: Pool) -> None:
    found = said(pool, b"type -p sed grep find bash sh git; readlink $(type -p sed)").split()
    assert pool.userland is not None
    tools = [
        f"{FOLDER}/{name}" if name in pool.userland.applets else f"/usr/bin/{name}" for name in ("sed", "grep", "find")
    ]
    assert found == [*tools, "/usr/bin/bash", "/usr/bin/sh", "/usr/bin/git", pool.userland.program]
    assert f"{FOLDER}/sed" in found


def test_they_work_and_are_not_gnus(pool: Pool) -> None:
    assert said(pool, b"printf 'a b\\n' | sed 's/a/x/'; sort --version >/dev/null 2>&1 || echo other") == "x b\nother\n"


def test_a_reply_can_not_put_another_tool_there(pool: Pool) -> None:
    program = f"cp /bin/true {FOLDER}/sed 2>/dev/null; rm -f {FOLDER}/sed 2>/dev/null; echo y | sed 's/y/z/'"
    assert said(pool, program.encode()) == "z\n"


def test_the_context_names_it_with_its_version(pool: Pool) -> None:
    context = context_of(pool, 10.0)
    userland = pool.userland
    assert userland is not None
    assert context["userland"] == {"name": userland.name, "version": userland.version, "applets": userland.digest}
    assert userland.name in userland.version.lower()
    # Another build with an applet more is another context.
    pool.userland = replace(userland, applets=(*userland.applets, "one-more"))
    assert context_key(context_of(pool, 10.0)) != context_key(context)
    pool.userland = userland


def test_the_machines_own_leaves_the_context_as_it_was() -> None:
    assert find_userland("gnu") is None
    with Pool(1) as plain:
        context = context_of(plain, 10.0)
    assert "userland" not in context
    assert context["environment"]["PATH"] == "/usr/bin:/bin"


def test_a_missing_one_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qfuzz.jail.userland.shutil.which", lambda *_, **__: None)
    with pytest.raises(HostError, match="--userland: toybox is missing; sudo apt-get install toybox"):
        find_userland("toybox")


@pytest.mark.skipif(not THERE, reason="no busybox, no toybox here")
def test_without_a_jail_it_is_refused() -> None:
    with pytest.raises(UsageError, match="can only be put into a jail"):
        Pool(1, isolation="none", userland=find_userland(THERE[0]))
