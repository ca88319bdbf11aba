"""Escaping functions with a known fault each, historic or planted, and what finding it means.

Written as people write them. Each is right but for the one thing that its name says.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

_UNSAFE = re.compile(r"[^\w@%+=:,./-]", re.ASCII)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\"'\"'") + "'"


def forgets_newline(word: str) -> str:
    """Backslashes before everything odd; a backslash before a newline makes it vanish."""
    return re.sub(r"([^\w@%+=:,./-])", r"\\\1", word, flags=re.ASCII) or "''"


def forgets_the_end_of_text(word: str) -> str:
    """`$` matches before a newline at the end, too."""
    return word if re.match(r"^[\w@%+=:,./-]+$", word, re.ASCII) else _quoted(word)


def forgets_empty(word: str) -> str:
    return _quoted(word) if _UNSAFE.search(word) else word


def strips_leading_dash(word: str) -> str:
    """Means to protect programs from options, and changes the word."""
    return shlex.quote(word.lstrip("-")) if word.startswith("-") else shlex.quote(word)


def forgets_tilde(word: str) -> str:
    return word if word and not re.search(r"[^\w@%+=:,./~-]", word, re.ASCII) else _quoted(word)


def forgets_tilde_after_equals(word: str) -> str:
    """Looks for a tilde at the beginning only; Bash expands one after `name=` as well."""
    safe = word and not word.startswith("~") and not re.search(r"[^\w@%+=:,./~-]", word, re.ASCII)
    return word if safe else _quoted(word)


def forgets_equals(word: str) -> str:
    """Right for Bash; zsh replaces `=name` by the path of a program."""
    return shlex.quote(word)


def spells_code_points(word: str) -> str:
    """In ANSI-C quotes, with the code point where a byte belongs."""
    return "$'" + "".join(one if one.isascii() and one.isalnum() else f"\\x{ord(one):02x}" for one in word) + "'"


def keeps_ascii(word: str) -> str:
    return _quoted(word.encode("ascii", "replace").decode())


def forgets_trailing_backslash(word: str) -> str:
    return '"' + re.sub(r'([$`"]|\\(?!$))', r"\\\1", word) + '"'


def forgets_history(word: str) -> str:
    """Right in scripts; between double quotes an interactive shell expands `!`."""
    return '"' + re.sub(r'([$`"\\])', r"\\\1", word) + '"'


def forgets_backtick(word: str) -> str:
    return '"' + re.sub(r'([$"\\])', r"\\\1", word) + '"'


def forgets_dollar_quote(word: str) -> str:
    """Takes a dollar for plain before a quote: what follows is quoted then in another way."""
    return re.sub(r"([^\w@%+=:,./$-]|\$(?=[\w({$]))", lambda match: _quoted(match[0]), word, flags=re.ASCII) or "''"


def drops_carriage_return(word: str) -> str:
    """Splits lines to join them again, and takes every kind of line end for one."""
    return _quoted("\n".join(word.splitlines()) if "\r" in word else word)


def replaces_apostrophes_once(word: str) -> str:
    return "'" + word.replace("'", "'\\''", 1) + "'"


def forgets_apostrophes_after_backslashes(word: str) -> str:
    """Takes an apostrophe for escaped where backslashes stand before it."""
    return "'" + re.sub(r"(?<!\\\\\\)'", r"'\\''", word) + "'"


def cuts_long_words(word: str) -> str:
    """Has a buffer of a fixed size somewhere."""
    return _quoted(word[:255])


def forgets_braces(word: str) -> str:
    safe = word and not re.search(r"[^\w@%+=:,./{}-]", word, re.ASCII) and not word.startswith("~")
    return word if safe else _quoted(word)


def uses_repr(word: str) -> str:
    return repr(word)


def nests_four_conditions(word: str) -> str:
    """For engines that coverage guides: nothing else gets behind four conditions, one after the other."""
    if len(word) > 4:  # noqa: SIM102 (one condition behind another is what this is for)
        if word[0] == "^":  # noqa: SIM102
            if word[1] == "%":  # noqa: SIM102
                if word[2] == "?":  # noqa: SIM102
                    if word[3] == "<":
                        return word
    return _quoted(word)


@dataclass(frozen=True, slots=True)
class Known:
    """`target` is given to `option`. `shows` decides whether a witness shows this fault and no other."""

    name: str
    target: str
    shows: Callable[[str], bool]
    shell: str = "bash"
    context: str = "argument"
    option: str = "--escape"


def _mine(function: Callable[[str], str], shows: Callable[[str], bool], **more: str) -> Known:
    return Known(function.__name__, f"escape_faults:{function.__name__}", shows, **more)


def _is(*witnesses: str) -> Callable[[str], bool]:
    return lambda word: word in witnesses


KNOWN = [
    # CVE-2021-42740: `[A-z]:` takes a backtick, among others, for a drive letter, and does not escape it.
    Known(
        "npm:shell-quote-1.7.2",
        "npm:shell-quote-1.7.2",
        lambda word: "`:" in word,
        option="--escape-command",
    ),
    Known("npm:shell-escape 0.2.0 drops the empty word", "npm:shell-escape", _is(""), option="--escape-command"),
    Known("npm:shescape 2.1.9 strips flags", "npm:shescape", _is("-"), option="--escape-command"),
    _mine(forgets_newline, _is("\n")),
    _mine(forgets_the_end_of_text, _is("a\n")),
    _mine(forgets_empty, _is("")),
    _mine(strips_leading_dash, _is("-")),
    _mine(forgets_tilde, _is("~")),
    _mine(forgets_tilde_after_equals, _is("a=~")),
    _mine(forgets_equals, _is("=a"), shell="zsh"),
    _mine(spells_code_points, lambda word: not word.isascii()),
    _mine(keeps_ascii, lambda word: not word.isascii()),
    _mine(forgets_trailing_backslash, _is("\\")),
    _mine(forgets_history, _is("!a"), shell="bash-interactive"),
    _mine(forgets_backtick, _is("`")),
    _mine(forgets_dollar_quote, lambda word: word.startswith("$")),
    _mine(drops_carriage_return, _is("\r")),
    _mine(replaces_apostrophes_once, _is("''")),
    _mine(forgets_apostrophes_after_backslashes, _is("\\\\\\'")),
    _mine(cuts_long_words, lambda word: len(word) == 256),
    _mine(forgets_braces, lambda word: "{" in word),
    _mine(uses_repr, _is("'", "\n", "\t", "\\")),
]

CLEAN = [
    ("--escape", "shlex:quote", "bash"),
    ("--escape", "shlex:quote", "dash"),
    ("--escape-command", "npm:shell-quote", "bash"),
    ("--escape-command", "npm:shell-quote", "dash"),
    ("--escape-command", "bash:printf-%q", "bash"),
    ("--escape-command", "bash:@Q", "bash"),
    ("--escape-command", "perl:String::ShellQuote", "bash"),
]
"""What holds where its documentation says that it does: option, target, shell."""
