"""What is in a jail by our own hand is in the key of what ran there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qfuzz.engine.machinery import context_of
from qfuzz.jail import bubblewrap, id_mapped
from qfuzz.jail.pool import Pool
from qfuzz.store.keys import context_key


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as started:
        yield started


def key(pool: Pool) -> str:
    return context_key(context_of(pool, 10.0))


def test_the_rules_of_su_and_sudo_are(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(pool)
    rules = id_mapped._TEXTS["/etc/sudoers"]
    monkeypatch.setitem(id_mapped._TEXTS, "/etc/sudoers", rules.replace("umask=0777", "umask=0077"))
    assert key(pool) != before
    monkeypatch.setitem(id_mapped._TEXTS, "/etc/sudoers", rules)
    assert key(pool) == before


def test_the_accounts_are(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(pool)
    monkeypatch.setitem(bubblewrap.WRITTEN_FILES, "/etc/group", "root:x:0:\n")
    assert key(pool) != before


def test_the_plugin_of_sudo_is(pool: Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keys = set()
    monkeypatch.setattr(id_mapped, "_PLUGINS", (tmp_path,))
    for content in (None, b"one", b"another"):
        if content is not None:
            (tmp_path / "sudoers.so").write_bytes(content)
        keys.add(key(pool))
    assert len(keys) == 3
