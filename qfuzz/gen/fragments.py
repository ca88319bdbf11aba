"""Pieces of text that hold one hazard each, and lines in the manner of a genre. Slots: «w» a word, «n» a number."""

from __future__ import annotations

import re
from collections.abc import Mapping

from qfuzz.gen.choices import Choices

FRAGMENTS: Mapping[str, tuple[str, ...]] = {
    "apostrophe": ("«w»'s", "don't", "it's", "'«w»'", "rock'n'roll"),
    "double-quote": ('"«w»"', '«n»" «w»', 'a "«w» «w»"'),
    "backslash": (r"C:\new\«w»", r"\temp", r"«w»\n«w»", r"\\«w»"),
    "dollar": ("$«w»", "${«w»}", "$«n»", "${«w»:-«w»}"),
    "command-substitution": ("$(pwd)", "$(id -u)", "$(uname -r)"),
    "backtick": ("`pwd`", "`id -g`", "`uname`"),
    "glob": ("«w»*", "*.«w»", "«w»?"),
    "bracket": ("«w»[«n»]", "[a-c]«w»", "[«w»]"),
    "brace": ("{«w»,«w»}", "{1..5}", "{«w»}"),
    "parenthesis": ("(«w»)", "f(«n»)"),
    "tilde": ("~/«w»", "~«w»", "«w»~"),
    "exclamation": ("«w»!", "!!", "!«n»"),
    "hash": ("#«n»", "# «w»", "«w»#"),
    "semicolon": ("«w»; «w»", "«w»;"),
    "ampersand": ("«w» & «w»", "«w»&«w»", "&& «w»"),
    "pipe": ("«w» | «w»", "«w»|«w»"),
    "redirection": ("> «w»", "<«w»>", "2>&1"),
    "percent": ("«n»%", "%s", "%d «w»"),
    "leading-dash": ("--«w»=«n»", "--no-«w»"),
    "outer-blank": (" ", "  "),
    "double-blank": ("«w»  «w»",),
    "tab": ("«w»\t«w»",),
    "newline": ("«w»\n«w»",),
    "heredoc-delimiter": ("EOF",),
    "non-ascii": ("café", "«n» €", "naïveté", "→ «w»", "東京"),
}
"""Hazard to pieces that hold it. `leading-dash` only works in front, `outer-blank` at an end, and `heredoc-delimiter`
alone on a line."""

GENRES: Mapping[str, tuple[str, ...]] = {
    "code": (
        "if (x != \"«w»\") { return '«w»'; } // «n»%",
        'printf("%d\\t«w»\\n", a[«n»] & 0xff);',
        'for i in $(seq «n»); do echo "$i $«w»"; done',
        "f = lambda x: {'«w»': x**2, \"k\": [«n»]}  # ok?",
        "let s = `«w» ${x}`; s ||= '«w»'; s!.y",
    ),
    "regular-expressions": (
        r"^«w»\.(log|txt)$ | [^a-c]{«n»}",
        r"\b«w»[0-9]+\s*=\s*'(.*)'",
        r"(?<!\\)\"«w»\" ~ /x?y*/",
        r"s/«w»[.]old$/\1-«n»&/g; #!",
    ),
    "sql": (
        "SELECT * FROM «w» WHERE name = 'O''«w»' AND cost > $«n»;",
        "INSERT INTO \"«w»\" (a, b) VALUES ('100%', `«w»`); -- «n»",
        "UPDATE «w» SET note = E'it\\'s\\n' WHERE id IN (1, «n») OR a <> b;",
    ),
    "logs": (
        '[10:«n»:07] WARN «w»: "timeout" after «n»ms (pid=$$) & retry',
        "<«n»> «w»[«n»]: can't open `/tmp/«w».log': 50% | ~ #3",
        'GET /«w»?q=$a&b=%20* HTTP/1.1" 404 \'-\' {"«w»"}',
    ),
    "windows-paths": (
        "C:\\Program Files (x86)\\«w»\\new «w».txt",
        "\\\\«w»\\c$\\temp\\%USERNAME%'s «n»",
        '"D:\\«w»\\tools\\«w».exe" /a:"«n»" & del *.bak',
    ),
    "latex": (
        "\\textbf{«w»} \\& $\\alpha_{«n»}$ costs 50\\% ~\\cite{«w»}",
        "``«w»'' --- \\\"o \\$«n» \\# [«w»]",
        "\\newcommand{\\«w»}[1]{\\textit{#1}'s \\\\ }",
    ),
    "json-fragments": (
        '{"«w»": ["«w»\\n", «n», null], "it\'s": "$«w»"}',
        '"«w»": "C:\\\\new", "k": {"a*": `«n»`}',
        '[{"«w»": true}, \'«n»\', "\\u00e9 «w»"]',
    ),
    "unicode": (
        'Żółw „«w»” — ½ ≠ ¾; it\'s "«w»" $«n» 日本 €',
        "¿Qué «w»? ¡`«w»`! «n» ° ×  ß's \\n ☂",
        'Ελλάδα "«w»" \\ «n» ≤ $x ’«w»’ & ąę',
    ),
    "tabs": (
        '«w»\t"«n»"\t$5\t«w»\'s\t\\t',
        "\t«w»:\t`id`\t*\t'«n»'  ",
    ),
}
"""Genre to lines. None holds a command that waits, loops without end, changes files or says another thing each time."""

_SLOT = re.compile("«([wn])»")


def fill(text: str, choices: Choices) -> str:
    """`text` with every slot filled."""
    return _SLOT.sub(lambda slot: choices.word() if slot[1] == "w" else str(choices.integer(2, 99)), text)
