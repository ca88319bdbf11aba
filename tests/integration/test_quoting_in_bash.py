"""Bash reads every style of quoting back as the text that was quoted. Generated text runs in the jail only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qfuzz.bash import quote
from qfuzz.bash.contexts import breaks_double, breaks_format, breaks_heredoc, breaks_single, breaks_word
from qfuzz.bash.styles import STYLES, spell, spell_nested
from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.task import Fixture
from qfuzz.transports.loader import resolve

TEXTS = st.lists(
    st.one_of(
        st.text(st.sampled_from("'\"\\$`*?[]{}()~!#;&|<>%-=^ \t\nabEOF01"), max_size=12),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    ).map(str.encode),
    min_size=1,
    max_size=30,
)
running = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as pool:
        yield pool


def printed(pool: Pool, program: bytes) -> bytes:
    delivery = resolve("direct").deliver(program)
    assert isinstance(delivery, Launch)
    return pool.run(Execution(delivery, Fixture(), 10)).stdout.data


@pytest.mark.parametrize("style", STYLES)
@running
@given(texts=TEXTS)
def test_every_style_gives_the_text_back(style: str, pool: Pool, texts: list[bytes]) -> None:
    program = b"".join(
        spell(lambda words: b"printf '%%s\\0' %s\n" % words["value"], {"value": text})[style] for text in texts
    )
    assert printed(pool, program) == b"".join(text + b"\0" for text in texts)


@pytest.mark.parametrize("style", STYLES)
@running
@given(texts=TEXTS)
def test_every_style_survives_a_second_shell(style: str, pool: Pool, texts: list[bytes]) -> None:
    program = b"".join(
        spell_nested(
            lambda words: b"bash -c %s\n" % words["command"],
            lambda words: b"printf '%%s\\0' %s" % words["value"],
            {"value": text},
        )[style]
        for text in texts[:6]
    )
    assert printed(pool, program) == b"".join(text + b"\0" for text in texts[:6])


@running
@given(texts=TEXTS)
def test_heredocs_give_their_body_back(pool: Pool, texts: list[bytes]) -> None:
    bodies = [text + b"\n" for text in texts]
    program = b"".join(quote.heredoc(b"cat", body) + b"printf '\\0'\n" for body in bodies)
    assert printed(pool, program) == b"".join(body + b"\0" for body in bodies)


CONTEXTS = {
    "single": (b"printf '%%s\\0' '%s'", breaks_single),
    "double": (b"printf '%%s\\0' \"%s\"", breaks_double),
    "word": (b"printf '%%s\\0' %s\n:", breaks_word),
    "format": (b'printf "%s\\0"', lambda text: breaks_double(text) or breaks_format(text)),
    "heredoc": (b"cat <<EOF\n%s\nEOF\nprintf '\\0'", lambda text: breaks_heredoc(text, b"EOF")),
}


@pytest.mark.parametrize("context", CONTEXTS)
@running
@given(texts=TEXTS)
def test_a_text_that_breaks_in_a_context_does_not_come_out(context: str, pool: Pool, texts: list[bytes]) -> None:
    """The promise of `qfuzz.bash.contexts`: what is called broken never survives, whatever else it holds."""
    template, breaks = CONTEXTS[context]
    for text in [text for text in texts if breaks(text)][:8]:
        expected = text + (b"\n\0" if context == "heredoc" else b"\0")
        assert printed(pool, template % text) != expected, text
