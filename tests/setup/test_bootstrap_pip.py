"""The pip that is downloaded is the locked one, to the byte, or none."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from scripts import bootstrap_pip

WHEEL = b"a wheel"
DIGEST = hashlib.sha256(WHEEL).hexdigest()
PAGE = b"""<html><body>
<a href="../../files/pip-1.0.tar.gz#sha256=00">pip-1.0.tar.gz</a>
<a href="../../files/pip-1.0-py3-none-any.whl#sha256=00" data-x="1">pip-1.0-py3-none-any.whl</a>
</body></html>"""


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Addresses and what lies there."""
    pages = {
        "https://index.test/simple/pip/": PAGE,
        "https://index.test/files/pip-1.0-py3-none-any.whl": WHEEL,
    }
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.test/simple/")
    monkeypatch.setattr(bootstrap_pip, "fetch", pages.__getitem__)
    return pages


def test_the_locked_release_is_read(checkout: Path) -> None:
    version, digests = bootstrap_pip.locked_pip((checkout / "requirements-dev.lock").read_text())
    assert version[0].isdigit()
    assert len(digests) >= 2


def test_a_lock_without_pip() -> None:
    with pytest.raises(SystemExit, match="names no release of pip"):
        bootstrap_pip.locked_pip("pipx==1.0 \\\n    --hash=sha256:" + "0" * 64)


@pytest.mark.usefixtures("index")
def test_the_wheel_is_found() -> None:
    assert bootstrap_pip.fetch_wheel("1.0", frozenset({DIGEST})) == ("pip-1.0-py3-none-any.whl", WHEEL)


@pytest.mark.usefixtures("index")
def test_a_wheel_with_another_digest_is_refused() -> None:
    with pytest.raises(SystemExit, match="does not have a digest that the lock file names"):
        bootstrap_pip.fetch_wheel("1.0", frozenset({"0" * 64}))


@pytest.mark.usefixtures("index")
def test_a_release_that_is_not_offered() -> None:
    with pytest.raises(SystemExit, match=r"does not offer pip-2\.0"):
        bootstrap_pip.fetch_wheel("2.0", frozenset({DIGEST}))


def test_no_network_is_one_line(monkeypatch: pytest.MonkeyPatch, checkout: Path) -> None:
    def fail(url: str) -> bytes:
        raise OSError(f"no route to {url}")

    monkeypatch.setattr(bootstrap_pip, "fetch", fail)
    with pytest.raises(SystemExit, match="could not download pip: no route"):
        bootstrap_pip.main(str(checkout / "requirements-dev.lock"), "python")
