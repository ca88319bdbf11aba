"""Installs pip into a venv that was made without it: `python bootstrap_pip.py LOCK VENV_PYTHON`.

For a Python whose `ensurepip` was split off (Debian and Ubuntu without python3-venv) where nobody may install what is
missing. The release of pip is the locked one: its wheel comes from the package index (PIP_INDEX_URL, else PyPI) and
must have a digest that the lock names. A wheel of pip runs where it lies, so it can install itself. Standard library
only.
"""

from __future__ import annotations

import hashlib
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

DEFAULT_INDEX = "https://pypi.org/simple"
TIMEOUT_SECONDS = 60


class _Links(html.parser.HTMLParser):
    """Collects the targets of the links on a page of a package index (PEP 503)."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.targets += [value for name, value in attrs if name == "href" and value]


def locked_pip(lock: str) -> tuple[str, frozenset[str]]:
    """Version of pip in the text of a lock file, and the SHA-256 digests that it allows."""
    entry = re.search(r"^pip==(\S+)((?: \\\n\s+--hash=sha256:[0-9a-f]{64})+)", lock, re.MULTILINE)
    if entry is None:
        raise SystemExit("setup: the lock file names no release of pip with its digests; run `make lock`")
    return entry[1], frozenset(re.findall(r"sha256:([0-9a-f]{64})", entry[2]))


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
        body: bytes = answer.read()
    return body


def fetch_wheel(version: str, digests: frozenset[str]) -> tuple[str, bytes]:
    """Name and content of the wheel of this release, its digest checked."""
    page_url = os.environ.get("PIP_INDEX_URL", DEFAULT_INDEX).rstrip("/") + "/pip/"
    page = _Links()
    page.feed(fetch(page_url).decode())
    name = f"pip-{version}-py3-none-any.whl"
    for target in page.targets:
        url = urllib.parse.urldefrag(urllib.parse.urljoin(page_url, target)).url
        if url.endswith("/" + name):
            content = fetch(url)
            if hashlib.sha256(content).hexdigest() not in digests:
                raise SystemExit(f"setup: {url} does not have a digest that the lock file names")
            return name, content
    raise SystemExit(f"setup: {page_url} does not offer {name}")


def main(lock_path: str, venv_python: str) -> int:
    try:
        name, content = fetch_wheel(*locked_pip(Path(lock_path).read_text()))
    except OSError as error:
        raise SystemExit(f"setup: could not download pip: {error}") from None
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder, name)
        wheel.write_bytes(content)
        command = [venv_python, f"{wheel}/pip", "install", "--quiet", "--no-index", str(wheel)]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
