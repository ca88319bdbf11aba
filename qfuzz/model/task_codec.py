"""The task interchange format: `Task` to and from one line of JSON. Everything that moves tasks goes through here."""

from __future__ import annotations

import re
from collections.abc import Callable

from qfuzz.model.content import JsonValue, canonical_json, decode_content, encode_content
from qfuzz.model.errors import InputError
from qfuzz.model.fields import Fields, parse_json_line, safe_path
from qfuzz.model.task import (
    CREATED_FILE_MODE,
    SCHEMA_VERSION,
    ExpectArgv,
    Expectation,
    ExpectFile,
    ExpectGitHead,
    ExpectJson,
    ExpectLines,
    ExpectTree,
    Fixture,
    FixtureCommit,
    FixtureFile,
    FixtureGit,
    FixtureSymlink,
    Task,
)

CANARY_KEY = "canary"


def task_to_json(task: Task, canary: str = "") -> dict[str, JsonValue]:
    """The task as a JSON object with keys in the order of the format; `canary` is added when not empty."""
    record: dict[str, JsonValue] = {
        "schema": SCHEMA_VERSION,
        "task_id": task.task_id,
        "family": task.family,
        "tier": task.tier,
        "hazards": list(task.hazards),
        "instruction": task.instruction,
        "payloads": {name: encode_content(value) for name, value in task.payloads.items()},
        "fixture": fixture_to_json(task.fixture),
        "expect": [_expectation_to_json(expectation) for expectation in task.expect],
        "may_create": [encode_content(path) for path in task.may_create],
    }
    if task.reference is not None:
        record["reference"] = encode_content(task.reference)
    if task.naive is not None:
        record["naive"] = encode_content(task.naive)
    if canary:
        record[CANARY_KEY] = canary
    return record


def encode_task(task: Task, canary: str = "") -> bytes:
    """One line of JSON with its final newline."""
    return canonical_json(task_to_json(task, canary)) + b"\n"


def decode_task(line: bytes) -> Task:
    """The task of one line. Raises InputError; the caller adds file and line."""
    return task_from_json(parse_json_line(line))


def task_from_json(value: JsonValue) -> Task:
    """The task of a parsed object; keys that the format does not know are passed over."""
    fields = Fields(value)
    if fields.has("reply") and not fields.has("schema"):
        raise InputError("is a reply, not a task", hint="--tasks takes what `qfuzz gen` writes")
    schema = fields.integer("schema")
    if schema != SCHEMA_VERSION:
        raise InputError(f"key 'schema' is {schema}; this version reads schema {SCHEMA_VERSION}")
    task_id = fields.text("task_id")
    if not task_id:
        raise InputError("key 'task_id' is empty")
    tier = fields.integer("tier")
    if not 0 <= tier <= 3:
        raise InputError(f"key 'tier' must be 0 to 3, not {tier}")
    hazards = fields.items("hazards", [])
    if not all(isinstance(hazard, str) for hazard in hazards):
        raise InputError("key 'hazards' must be a list of strings")
    expect = fields.each("expect", _read_expectation)
    if not expect:
        raise InputError("key 'expect' is empty: every reply would pass")
    payloads = fields.object("payloads")
    return Task(
        task_id=task_id,
        family=fields.text("family"),
        tier=tier,
        hazards=tuple(hazards),
        instruction=fields.text("instruction"),
        payloads={name: payloads.content(name) for name in payloads.value},
        fixture=fixture_from_json(fields.object("fixture")),
        expect=expect,
        may_create=fields.paths("may_create", []),
        reference=fields.content("reference") if fields.has("reference") else None,
        naive=fields.content("naive") if fields.has("naive") else None,
    )


def fixture_to_json(fixture: Fixture) -> dict[str, JsonValue]:
    record: dict[str, JsonValue] = {
        "files": [
            {"path": encode_content(file.path), "content": encode_content(file.content), "mode": f"{file.mode:04o}"}
            for file in fixture.files
        ],
        "dirs": [encode_content(path) for path in fixture.dirs],
        "symlinks": [
            {"path": encode_content(link.path), "target": encode_content(link.target)} for link in fixture.symlinks
        ],
    }
    if fixture.git is not None:
        record["git"] = {
            "commits": [
                {"message": encode_content(commit.message), "files": [encode_content(path) for path in commit.files]}
                for commit in fixture.git.commits
            ],
            "staged": [encode_content(path) for path in fixture.git.staged],
        }
    return record


def fixture_from_json(fields: Fields) -> Fixture:
    """The fixture of a parsed object; raises InputError, which names the key."""
    fields.only(("files", "dirs", "symlinks", "git"))
    files = fields.each("files", _read_file)
    git = None
    if fields.has("git") and fields.value["git"] is not None:
        inner = fields.object("git")
        inner.only(("commits", "staged"))
        git = FixtureGit(commits=inner.each("commits", _read_commit), staged=inner.paths("staged", []))
    fixture = Fixture(files, fields.paths("dirs", []), fields.each("symlinks", _read_symlink), git)
    _check_fixture(fixture)
    return fixture


def _check_fixture(fixture: Fixture) -> None:
    files = {file.path for file in fixture.files}
    leaves = [file.path for file in fixture.files] + [link.path for link in fixture.symlinks]
    if len(set(leaves)) != len(leaves) or set(leaves) & set(fixture.dirs):
        raise InputError("key 'fixture' names a path twice")
    everything = leaves + list(fixture.dirs)
    for path in everything:
        parts = path.split(b"/")
        if parts[0] == b".git":
            raise InputError(f"key 'fixture' names {path!r}; a repository is given by 'git'")
        if any(b"/".join(parts[:depth]) in leaves for depth in range(1, len(parts))):
            raise InputError(f"key 'fixture' puts {path!r} below something that is not a directory")
    if fixture.git is not None:
        named = [path for commit in fixture.git.commits for path in commit.files] + list(fixture.git.staged)
        missing = [path for path in named if path not in files]
        if missing:
            raise InputError(f"key 'fixture.git' names {missing[0]!r}, which is not a fixture file")


def _read_file(fields: Fields) -> FixtureFile:
    fields.only(("path", "content", "mode"))
    mode_text = fields.text("mode", f"{CREATED_FILE_MODE:04o}")
    if not re.fullmatch(r"0?[0-7]{3}", mode_text):
        raise InputError(f'{fields.name("mode")} must be octal like "0644", not {mode_text!r}')
    return FixtureFile(fields.path("path"), fields.content("content"), int(mode_text, 8))


def _read_symlink(fields: Fields) -> FixtureSymlink:
    fields.only(("path", "target"))
    target = fields.content("target")
    if not target or b"\0" in target or len(target) > 4000:
        raise InputError(f"{fields.name('target')} can't be the target of a link")
    return FixtureSymlink(fields.path("path"), target)


def _read_commit(fields: Fields) -> FixtureCommit:
    fields.only(("message", "files"))
    return FixtureCommit(fields.content("message"), fields.paths("files"))


def _expectation_to_json(expectation: Expectation) -> dict[str, JsonValue]:
    match expectation:
        case ExpectFile(path, content):
            return {"kind": "file", "path": encode_content(path), "content": encode_content(content)}
        case ExpectArgv(path, args):
            return {"kind": "argv", "path": encode_content(path), "args": [encode_content(arg) for arg in args]}
        case ExpectJson(path, value):
            return {"kind": "json", "path": encode_content(path), "value": value}
        case ExpectTree(files, gone):
            if all(_is_utf8(path) for path in files):
                shown: JsonValue = {path.decode(): encode_content(content) for path, content in files.items()}
            else:
                shown = [[encode_content(path), encode_content(content)] for path, content in files.items()]
            return {"kind": "tree", "files": shown, "gone": [encode_content(path) for path in gone]}
        case ExpectLines(path, lines, strip_prefix):
            return {
                "kind": "lines",
                "path": encode_content(path),
                "lines": [encode_content(line) for line in lines],
                "strip_prefix": encode_content(strip_prefix),
            }
        case ExpectGitHead(message, paths, commits):
            return {
                "kind": "git-head",
                "message": encode_content(message),
                "files": [encode_content(path) for path in paths],
                "commits": commits,
            }


def _read_expectation(fields: Fields) -> Expectation:
    kind = fields.text("kind")
    reader = _READERS.get(kind)
    if reader is None:
        raise InputError(f"{fields.name('kind')} is {kind!r}; known: {', '.join(_READERS)}")
    keys, read = reader
    fields.only(("kind", *keys))
    return read(fields)


def _read_tree(fields: Fields) -> ExpectTree:
    value = fields.value.get("files", {})
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        pairs = [(pair[0], pair[1]) for pair in value]
    else:
        raise InputError(f"{fields.name('files')} must be an object, or a list of [path, content] pairs")
    files: dict[bytes, bytes] = {}
    for path, content in pairs:
        name = safe_path(decode_content(path, fields.name("files")), fields.name("files"))
        files[name] = decode_content(content, f"{fields.name('files')}[{path!r}]")
    return ExpectTree(files, fields.paths("gone", []))


def _read_git_head(fields: Fields) -> ExpectGitHead:
    return ExpectGitHead(fields.content("message"), fields.paths("files"), fields.integer("commits"))


def _read_json(fields: Fields) -> ExpectJson:
    if not fields.has("value"):
        raise InputError(f"{fields.name('value')} is missing")
    return ExpectJson(fields.path("path"), fields.value["value"])


def _read_lines(fields: Fields) -> ExpectLines:
    strip = fields.content("strip_prefix") if fields.has("strip_prefix") else b""
    return ExpectLines(fields.path("path"), fields.contents("lines"), strip)


_READERS: dict[str, tuple[tuple[str, ...], Callable[[Fields], Expectation]]] = {
    "file": (("path", "content"), lambda f: ExpectFile(f.path("path"), f.content("content"))),
    "argv": (("path", "args"), lambda f: ExpectArgv(f.path("path"), f.contents("args"))),
    "json": (("path", "value"), _read_json),
    "tree": (("files", "gone"), _read_tree),
    "lines": (("path", "lines", "strip_prefix"), _read_lines),
    "git-head": (("message", "files", "commits"), _read_git_head),
}


def _is_utf8(data: bytes) -> bool:
    return isinstance(encode_content(data), str)
