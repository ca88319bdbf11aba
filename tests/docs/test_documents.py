"""What the documents show and name is what a reader finds."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.docs.transcripts import read_steps, run_step

CHECKOUT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = sorted(
    path.relative_to(CHECKOUT)
    for pattern in ("*.md", "docs/*.md", "tests/*.md", "corpus/**/*.md", "private_payloads/*.md")
    for path in CHECKOUT.glob(pattern)
)
LONG = ("README.md", "docs/experiment.md")


def make_targets(makefile: str) -> dict[str, str]:
    """Every target of the Makefile and its line in `make help`."""
    return dict(re.findall(r"^([a-z][a-z-]*):(?!=)[^#\n]*(?:## (.*))?$", makefile, re.MULTILINE))


def document_faults(root: Path, document: Path) -> list[str]:
    """Links to no file, targets that the Makefile does not have, and qfuzz from an index, where it is not."""
    text = (root / document).read_text()
    linked = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)", text)
    targets = make_targets((root / "Makefile").read_text())
    named = re.findall(r"(?:`|\$ )make ([a-z][a-z-]*)", text)
    installed = [each.strip() for each in re.findall(r"pip install [^`\n]*", text)]
    return [
        *(f"{document}: no file {link}" for link in linked if not (root / document.parent / link).exists()),
        *(f"{document}: no target for `make {target}`" for target in named if target not in targets),
        *(f"{document}: no index has it: {each}" for each in installed if "qfuzz" in each.split(" #")[0].split()),
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_document(document):
    assert document_faults(CHECKOUT, document) == []


@pytest.mark.parametrize(
    "document",
    [pytest.param(each, marks=[pytest.mark.long] if str(each) in LONG else [], id=str(each)) for each in DOCUMENTS],
)
def test_transcripts_of(document, tmp_path):
    for name in ("corpus", "docs"):
        (tmp_path / name).symlink_to(CHECKOUT / name)
    steps = read_steps((CHECKOUT / document).read_text())
    assert [fault for step in steps if (fault := run_step(step, tmp_path, Path(sys.executable).parent))] == []


def test_every_target_has_a_line_in_help():
    targets = make_targets((CHECKOUT / "Makefile").read_text())
    assert {"setup", "test", "demo", "lint", "types", "arch", "wheel", "clean"} <= targets.keys()
    assert [target for target, line in targets.items() if not line] == []


def test_every_target_is_phony():
    makefile = (CHECKOUT / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY:(.*)$", makefile, re.MULTILINE)
    assert sorted(phony.split()) == sorted(make_targets(makefile))


def test_faults_are_found(tmp_path):
    (tmp_path / "Makefile").write_text("test: setup ## Run\nhidden:\n\tdo\nX := y\n.PHONY: test\n")
    assert make_targets((tmp_path / "Makefile").read_text()) == {"test": "Run", "hidden": ""}
    (tmp_path / "A.md").write_text(
        "[a](A.md) [b](B.md#part) [c](https://x.org) `make test` `make tea`\n    $ make cake\n"
        "pip install pytest qfuzz\n`pip install 'qfuzz[x]'` qfuzz\n"
    )
    assert document_faults(tmp_path, Path("A.md")) == [
        "A.md: no file B.md",
        "A.md: no target for `make tea`",
        "A.md: no target for `make cake`",
        "A.md: no index has it: pip install pytest qfuzz",
    ]
