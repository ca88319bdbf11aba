"""Models of programs do what the programs did when they were asked; at night the programs are asked again."""

from __future__ import annotations

import pytest

from qfuzz.transports.loader import load
from tests.models import get, vectors
from tests.models.recorded import RECORDED


def test_every_model_has_been_compared() -> None:
    models = {name for name in load().boundaries if name.endswith("-model")}
    assert models == set(RECORDED)
    assert vectors.names() == sorted(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_a_model_does_what_its_program_did(name: str) -> None:
    kept = vectors.read(name)
    assert len(dict(kept.rows)) > 300
    assert vectors.differences(name, kept.rows) == []
    refused = [text for text, _ in kept.rows if vectors.modelled(name, text).limit]
    assert len(refused) == RECORDED[name].refused, "a limit was widened or narrowed"


def test_a_model_that_does_otherwise_is_found() -> None:
    (text, outcome), *_ = (row for row in vectors.read("kubernetes-model").rows if b"$$" in row[0])
    assert vectors.differences("kubernetes-model", [(text, outcome)]) == []
    assert vectors.differences("compose-model", [(b"$${", outcome)]) != []


@pytest.mark.nightly
@pytest.mark.parametrize("name", RECORDED)
def test_a_program_does_again_what_it_did(name: str) -> None:
    lacking = get.missing(name)
    reason = RECORDED[name].unavailable() or (lacking and f"python -m tests.models.get {name} gets {lacking}")
    if reason:
        pytest.skip(str(reason))
    kept = vectors.read(name)
    again = RECORDED[name].ask([text for text, _ in kept.rows])
    if again.program != kept.program:
        pytest.skip(f"{again.program} is here, and not {kept.program}")
    assert again.rows == kept.rows
