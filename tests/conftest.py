"""What holds for every test: a clean environment, and examples that are the same in every CI run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Set by git when tests run from a hook, by login profiles and by terminals: each changes what programs under test do.
LEAKY_VARIABLES = ("BASH_ENV", "ENV", "CDPATH", "POSIXLY_CORRECT", "COLUMNS", "FORCE_COLOR", "NO_COLOR")
LEAKY_PREFIXES = ("GIT_", "QFUZZ_")

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="run the tests marked nightly as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is marked nightly runs only where it is asked for, and is counted as left out elsewhere.

    What is long comes first, so that no worker is left with it when the others have nothing more to do.
    """
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    if config.getoption("--nightly"):
        return
    nightly = [item for item in items if item.get_closest_marker("nightly")]
    if nightly:
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def pytest_configure() -> None:
    """No variable of the developer's shell decides a test, not even in a fixture that lives for the whole session."""
    for name in list(os.environ):
        if name in LEAKY_VARIABLES or name.startswith(LEAKY_PREFIXES):
            del os.environ[name]


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the source tree under test."""
    return Path(__file__).resolve().parent.parent
