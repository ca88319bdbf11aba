"""Programs for laws about texts: pieces of Bash in any order, whole or cut short."""

from __future__ import annotations

from hypothesis import strategies as st

_PIECES = (
    *(
        "printf %s",
        "cat",
        "echo -n",
        "./run",
        "x=1",
        "f",
        "a.txt",
        "-v",
        "--",
        "é",
        "\x00",
        "2",
        "for x in",
        "do",
        "done",
    ),
    *("if", "then", "fi", "case", "in", "esac", "{", "}", "(", ")", "((", "))", "[[", "]]", "function g", "!", "time"),
    *(" ", " ", " ", "\n", "\n", "\t", ";", ";;", "&", "&&", "|", "||", ">", ">>", "<", "<<E", "<<'E'", "<<-E", "E\n"),
    *(
        "'",
        '"',
        "\\",
        "$",
        "`",
        "$'",
        '$"',
        "$(",
        "${",
        "${x:-",
        "$((",
        "<(",
        "=(",
        "#",
        "$x",
        "$$",
        "$RANDOM",
        "'a b'",
    ),
    *('"$x"', "$(date)", "`id`", "\\\n", "'\"x\"'", "*", "~", "=", "[1]"),
)

pieces = st.lists(st.sampled_from(_PIECES).map(str.encode), max_size=25).map(b"".join)
"""Texts that look like Bash and mostly are none."""

texts = st.one_of(pieces, st.binary(max_size=40))
"""Any text at all."""

SHIPPED_STYLE = (
    b"printf %s 'She said \"run `uname -s`\", then paid $5 & left.' > out.txt\n",
    b'for f in "$p"*; do mv -- "$f" "new-${f#"$p"}"; done | tee log && ./check \'it\'\\\'\'s\' $\'a\\tb\'',
    b"cat > a.json <<'EOF'\n{\"a\": \"$x\\n\", `b`}\nEOF\n./run h <<OUT\ncat <<'IN' | wc\n$y\nIN\nOUT\necho done",
    b'if ! a=$(b "c d"); then { e; } 2>&1; else (f); fi; case $x in a|b) g;; *) h & esac; k[1]=2 m=(n o)',
    b'while read -r l; do echo "${l//a/"b"}"; done < <(cat f) |& sort; f() { g; }; ((x > 1)) || until h; do i; done',
)
"""Correct programs with all that the grammar has."""


@st.composite
def cut_programs(draw: st.DrawFn) -> bytes:
    """A correct program with a few ranges taken out."""
    program = draw(st.sampled_from(SHIPPED_STYLE))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(program)))
        program = program[:start] + program[start + draw(st.integers(1, 12)) :]
    return program
