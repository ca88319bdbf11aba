"""Faults that the author of a reply made on the direct path, as ShellCheck finds them. The reply is parsed, not run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from qfuzz.lint.findings import Level, Mark
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import HostError

_TIMEOUT_SECONDS = 30

_SPLITS = ("glob", "bracket", "outer-blank", "double-blank", "tab", "newline")
_HAZARDS: Mapping[int, tuple[str, ...]] = {
    # Values that are split into words and taken for patterns.
    **dict.fromkeys((2046, 2048, 2068, 2086, 2128, 2206, 2207, 2223, 2231, 2248), _SPLITS),
    **dict.fromkeys((2010, 2011, 2012, 2013, 2038, 2044, 2045), (*_SPLITS, "leading-dash")),
    **dict.fromkeys((2022, 2049, 2053, 2061, 2062, 2081, 2125, 2144, 2254, 2295), ("glob", "bracket")),
    **dict.fromkeys((2035, 2145, 2215, 2294), ("leading-dash",)),
    # Expansions that happen too early, too late or not at all.
    **dict.fromkeys((2016, 2029, 2064, 2087, 2154), ("dollar",)),
    **dict.fromkeys((2006, 2091, 2092), ("command-substitution", "backtick")),
    **dict.fromkeys((2088,), ("tilde",)),
    # Quotes and backslashes that do something else than it seems.
    **dict.fromkeys((1003, 1011, 2026, 2027, 2089, 2090, 2140), ("apostrophe", "double-quote")),
    **dict.fromkeys((1015, 1016, 1110, 1111, 1112, 1018), ("non-ascii",)),
    **dict.fromkeys((1001, 1004, 1012, 1117, 2028, 2162, 1135), ("backslash",)),
    **dict.fromkeys((2059, 2182), ("percent", "backslash")),
    # Operators and other words of the shell.
    **dict.fromkeys((1036, 1088, 2225), ("parenthesis",)),
    **dict.fromkeys((2069, 2094, 2129, 2024), ("redirection",)),
    **dict.fromkeys((2051, 2083, 1054, 1055, 1056), ("brace",)),
    **dict.fromkeys((1038, 1039, 1040, 1041, 1042, 1043, 1044, 1118, 1119, 1120), ("heredoc-delimiter",)),
    **dict.fromkeys((1017, 1018), ("non-ascii",)),
}
"""ShellCheck's codes (github.com/koalaman/shellcheck/wiki) and the hazards that a fault of this kind gives way to."""

_LEVELS = {"error": Level.ERROR, "warning": Level.WARNING, "info": Level.NOTE, "style": Level.NOTE}


def find_shellcheck() -> Path:
    """The program, from this environment or the path. Raises HostError."""
    beside = Path(sys.executable).with_name("shellcheck")
    found = beside if beside.exists() else shutil.which("shellcheck")
    if found is None:
        raise HostError("shellcheck is not installed", where="--author", hint="pip install 'qfuzz[lint]'")
    return Path(found)


def author_marks(program: bytes, shellcheck: Path) -> Iterator[Mark]:
    """Errors, warnings and hints of ShellCheck for `program` as a Bash script, without its hints on style.

    Raises HostError where ShellCheck fails.
    """
    command = [str(shellcheck), "--norc", "--shell=bash", "--severity=info", "--format=json1", "-"]
    try:
        done = subprocess.run(command, input=program, capture_output=True, timeout=_TIMEOUT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"shellcheck failed ({error})", where=str(shellcheck)) from None
    # 1: it has comments. From 2 on it could not do its work.
    if done.returncode not in (0, 1):
        said = done.stderr.decode("utf-8", "backslashreplace").strip().partition("\n")[0]
        raise HostError(f"shellcheck failed ({said})", where=str(shellcheck))
    lines = [line.decode("utf-8", "surrogateescape") for line in program.split(b"\n")]
    starts = [0]
    for line in program.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        before = lines[line - 1][: column - 1]
        return min(starts[line - 1] + len(before.encode("utf-8", "surrogateescape")), len(program))

    for comment in json.loads(done.stdout)["comments"]:
        yield _mark(
            comment, offset(comment["line"], comment["column"]), offset(comment["endLine"], comment["endColumn"])
        )


def _mark(comment: Mapping[str, JsonValue], start: int, end: int) -> Mark:
    code = comment["code"]
    return Mark(
        start,
        max(start, end),
        f"author/SC{code}",
        comment["message"],
        _LEVELS[comment["level"]],
        _HAZARDS.get(code, ()),
    )
