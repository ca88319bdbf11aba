"""What is rendered here of a template, by rule, is byte for byte what the engine makes of it."""

from __future__ import annotations

import jinja2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.loader import load

NAMES = ("x", "y1", "é", "class", "loop", "super", "caller", "varargs", "self", "range", "namespace", "true", "none")
CONSTANTS = ("'a'", '"{{"', "'a' 'b'", "'\\x41\\n\\\\'", "'\r'", "7", "1.5", "''")
PLAIN = (*"ab\n\r\t %$'\"\\|-+é\u2028\U0001f41a", "\r\n", "${x}", " # ")
TEXTS = (*PLAIN, *"{}#", "${#x[@]}", "{{", "}}", "{%", "%}", "{#", "#}")
WHOLE = ("{# x #}", "{#- x\n -#}", "{% raw %}{{ x }}{% endraw %}", "{%- raw -%} {% x {%- endraw -%}")
BLOCKS = (*WHOLE, "{% raw %}", "{%- raw -%}", "{% endraw %}", "{%+ endraw -%}", "{% if x %}", "{% endif %}")
# No expression calls anything, so that the engine may render these here.
expressions = st.recursive(
    st.sampled_from((*NAMES, *CONSTANTS)),
    lambda inner: st.builds(
        str.__add__, inner, st.sampled_from((".y", "[0]", "['y']", "[x]", "[range]", "|upper", " ~ 'z'", "", " if x"))
    ),
    max_leaves=3,
)


def tags(inside: st.SearchStrategy[str], *signs: str) -> st.SearchStrategy[str]:
    return st.builds(
        "{}{}{}{}{}".format,
        st.sampled_from(("{{", "{{-", *(f"{{{{{sign}" for sign in signs))),
        st.sampled_from(("", " ", "\n")),
        inside,
        st.sampled_from(("", " ")),
        st.sampled_from(("}}", "-}}", *(f"{sign}}}}}" for sign in signs))),
    )


def of(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.one_of(*parts), max_size=12).map("".join)


sound = of(tags(st.sampled_from((*NAMES, *CONSTANTS))), st.sampled_from(PLAIN), st.sampled_from(WHOLE))
wild = of(tags(expressions | st.just("'\\ud800'"), "+"), st.sampled_from(TEXTS), st.sampled_from(BLOCKS))
templates = sound | wild


def rendered(template: str) -> bytes | None:
    """What the engine makes of it, or None for its error."""
    try:
        return jinja2.Environment().from_string(template).render().encode("utf-8")
    except (jinja2.TemplateError, UnicodeEncodeError):
        return None


@given(template=templates)
@settings(max_examples=400)
@example("a {# b\nc #} d\n\n")
@example("{% raw %}{{ x }}{% endraw %}\n\n")
@example("a\r\nb\rc")
@example("{{ x[0] }}{{ x.y.z }}")
@example("{{ self }}")
@example("# for x in y\n## z")
def test_the_rules_say_what_the_engine_says(template: str) -> None:
    found = load().boundaries["jinja2"].embed(template.encode())
    if isinstance(found, Rejection):
        assert rendered(template) is None
    elif not isinstance(found, Refusal):
        assert found == rendered(template)


@given(template=templates)
@settings(max_examples=100)
def test_what_has_to_be_evaluated_is_the_jails_at_the_end_of_a_stack_and_nobodys_before(template: str) -> None:
    boundary = load().boundaries["jinja2"]
    found, last = boundary.embed(template.encode()), boundary.embed_last(template.encode())
    if isinstance(found, Refusal):
        assert isinstance(last, Launch)
        assert template.encode() in {file.content for file in last.files}
    else:
        assert last == found


def test_text_without_tags_is_never_evaluated() -> None:
    for text in TEXTS:
        assert not isinstance(load().boundaries["jinja2"].embed(f"a {text} b".encode()), Refusal)
