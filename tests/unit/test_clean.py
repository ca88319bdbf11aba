"""Clean-up of replies: what each rule takes away, and what it must leave alone."""

from __future__ import annotations

import pytest

from qfuzz.collect.clean import RULES, clean, cleaned_reply, parse_rules
from qfuzz.model.errors import UsageError
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply, encode_reply

HEREDOC = b"cat > a.md <<'EOF'\n```\n$ ls\n```\nEOF\n"

CHANGED = [
    ("fences", b"```bash\nls\n```", b"ls"),
    ("fences", b"\n\n```sh\r\nls -l\n\n```\r\n\n", b"ls -l\n"),
    ("fences", b"~~~\n```\n~~~\n", b"```"),
    ("fences", b"````bash\n```\n```\n````", b"```\n```"),
    ("fences", b"```\n```", b""),
    ("prompts", b"$ ls", b"ls"),
    ("prompts", b"$ ls\n\n$ cat a\n", b"ls\n\ncat a\n"),
    ("prompts", b"$ cat <<E\n$ kept\nE\n", b"cat <<E\n$ kept\nE\n"),
    ("prompts", b"\n$ echo a\nb", b"\necho a\nb"),
    ("thinking", b"<think>rm\n</think>\n\nls\n", b"\nls\n"),
    ("thinking", b" <thinking>a</thinking><think>b</think>ls", b"ls"),
    ("blank-lines", b"\n \t\nls\n\npwd\n\r\n\n", b"ls\n\npwd"),
    ("blank-lines", b"ls\n", b"ls"),
    ("blank-lines", b"\n\n", b""),
]
KEPT = [
    ("fences", HEREDOC),
    ("fences", b"Here it is:\n```bash\nls\n```"),
    ("fences", b"```bash\nls\n```\nIt lists."),
    ("fences", b"```bash\ncat <<E\n```\nE\n```"),
    ("fences", b"```ls```"),
    ("fences", b"```bash\nls\n"),
    ("fences", b"````\nls\n```"),
    ("fences", b""),
    ("prompts", HEREDOC),
    ("prompts", b"$HOME/x"),
    ("prompts", b"ls\n$ ls"),
    ("thinking", b"echo '<think>a</think>'"),
    ("thinking", b"<think>never ends"),
    ("thinking", b"<think>a</thinking>ls"),
    ("blank-lines", b"printf 'a\n\n'"),
    ("blank-lines", b"printf a\\\n"),
]


@pytest.mark.parametrize(("rule", "before", "after"), CHANGED)
def test_what_a_rule_takes_away(rule: str, before: bytes, after: bytes) -> None:
    done = clean(before, (rule,))
    assert (done.program, done.changed) == (after, (rule,))


@pytest.mark.parametrize(("rule", "program"), KEPT)
def test_what_a_rule_leaves_alone(rule: str, program: bytes) -> None:
    assert clean(program, (rule,)).changed == ()


def test_rules_work_from_outside_in() -> None:
    done = clean(b"<think>list it</think>\n```console\n$ ls\n\n```\n", tuple(RULES))
    assert (done.program, done.changed) == (b"ls", tuple(RULES))


def test_rules_are_named_in_any_order() -> None:
    assert parse_rules("blank-lines, thinking") == ("thinking", "blank-lines")
    assert parse_rules("all") == tuple(RULES)
    assert parse_rules("") == ()
    with pytest.raises(UsageError, match="there is no clean-up 'soap'"):
        parse_rules("fences,soap")


def test_a_reply_says_what_was_done_to_it() -> None:
    once = cleaned_reply(Reply(b"```\nls\n```\n", metadata={"seconds": 1}), ("fences",))
    assert once == Reply(b"ls")
    assert once.metadata == {"seconds": 1, "cleaned": ["fences"], "original": "```\nls\n```\n"}
    assert cleaned_reply(once, tuple(RULES)) is once
    again = decode_reply(encode_reply(cleaned_reply(Reply(b"\n```\n$ \xff\n```"), ("fences",))).rstrip(b"\n"))
    twice = cleaned_reply(again, ("prompts",))
    assert (twice.program, twice.cleaned) == (b"\xff", ("fences", "prompts"))
    assert twice.metadata["original"] == {"base64": "CmBgYAokIP8KYGBg"}


def test_somebody_elses_key_is_not_ours() -> None:
    assert Reply(b"ls", metadata={"cleaned": True}).cleaned == ()
    done = cleaned_reply(Reply(b"ls\n", metadata={"cleaned": True, "original": 3}), ("blank-lines",))
    assert done.metadata == {"cleaned": ["blank-lines"], "original": "ls\n"}
