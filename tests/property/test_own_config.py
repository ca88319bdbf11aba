"""Whatever a `qfuzz.toml` holds, it is read or refused with one line that names the file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.model.errors import InputError
from qfuzz.own.config import read_config
from qfuzz.own.placeholders import Pattern
from qfuzz.own.specs import BoxSpec, TemplateSpec
from qfuzz.own.toml_lines import key_lines

KEYS = (
    *("template", "escape", "exec", "stdin", "python", "env", "service", "ready", "ready_seconds", "rejects", "shell"),
    *("summary", "show", "timeout", "depends", "faithful", "other"),
)
WORDS = st.sampled_from(
    ("{}", "{reply}", "{reply_file}", "{here}", "bash", "a:b", ".", "/", "", "{{}}", "\0", "\x7f", "é")
)
TEXTS = st.lists(WORDS, max_size=3).map(" ".join)
VALUES = st.recursive(
    TEXTS.map(json.dumps)
    | st.integers(-9, 400).map(str)
    | st.sampled_from(("true", "nan", "1.5", "1979-05-27", "bad")),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda each: "[" + ", ".join(each) + "]")
        | st.dictionaries(st.sampled_from("AB"), inner, max_size=2).map(
            lambda each: "{" + ", ".join(f"{key} = {value}" for key, value in each.items()) + "}"
        )
    ),
    max_leaves=4,
)
TABLES = st.tuples(
    st.sampled_from(("transports.x", "transports.y", "transports", "other", 'transports."a b"', "transports.nested")),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5),
).map(lambda table: f"[{table[0]}]\n" + "".join(f"{key} = {value}\n" for key, value in table[1].items()))
FILES = st.one_of(st.binary(max_size=60), st.lists(TABLES, max_size=2).map("".join).map(str.encode))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("config") / "qfuzz.toml"


@given(data=FILES)
def test_a_file_is_read_or_refused_in_one_line(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    try:
        said = ""
        for spec in read_config(file, ("nested",)):
            assert isinstance(spec, (TemplateSpec, BoxSpec))
    except InputError as error:
        said = str(error)
    assert not said or said.startswith(str(file))
    assert "\n" not in said


@given(st.text())
def test_lines_are_found_in_any_text(text: str) -> None:
    lines = key_lines(text)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


@given(st.text(alphabet="{}ab"))
def test_a_pattern_whose_places_are_filled_with_their_names_is_its_text(text: str) -> None:
    filled = Pattern.of(text, ("a", "")).fill({"a": b"{a}", "": b"{}"})
    assert filled.decode() == re.sub(r"\{(\{a?\})\}", r"\1", text)
