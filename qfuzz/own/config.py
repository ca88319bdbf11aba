"""Reading `qfuzz.toml`: the transports of the user's own. Starts nothing.

    [transports.mine]
    template = "bash -c {}"
    escape = "my_harness.quoting:escape"

    [transports.agent]
    exec = ["python", "-m", "my_harness", "{reply_file}"]
    python = ".venv"

docs/own-path.md describes every key.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import secrets
import shutil
import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from qfuzz.jail.environment import ENVIRONMENT
from qfuzz.jail.shown import shown_folders
from qfuzz.model.errors import InputError, UsageError
from qfuzz.own.placeholders import Pattern
from qfuzz.own.specs import HERE, IN_TEMPLATE, REPLY, REPLY_FILE, BoxSpec, Common, Spec, TemplateSpec
from qfuzz.own.table import Table
from qfuzz.own.toml_lines import key_lines, line_of

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_COMMON = ("summary", "show", "timeout", "depends", "faithful")
_OF_TEMPLATE = ("template", "escape")
_OF_BOX = ("exec", "stdin", "python", "env", "service", "ready", "ready_seconds", "rejects", "shell")
_READY_SECONDS = 10.0
_MOST_FILES = 20_000


def read_config(file: Path, taken: Collection[str] = ()) -> tuple[Spec, ...]:
    """The transports of a file, in its order; `taken` are names that they must not have. Raises InputError."""
    try:
        text = file.read_bytes().decode("utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"can't be read ({error.strerror})", where=str(file)) from None
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 at byte {error.start}, as TOML must be", where=str(file)) from None
    except tomllib.TOMLDecodeError as error:
        raise _no_toml(file, str(error)) from None
    except RecursionError:
        raise InputError("is nested too deeply", where=str(file)) from None
    lines = key_lines(text.replace("\r\n", "\n"))
    top = Table(file, lines, (), document)
    for key in document:
        if key != "transports":
            raise InputError(f"{key}: unknown key, expected [transports.NAME]", where=top.where(key))
    tables = document.get("transports", {})
    if not isinstance(tables, dict):
        raise InputError("transports: expected tables [transports.NAME]", where=top.where("transports"))
    return tuple(_spec(file, lines, name, values, taken) for name, values in tables.items())


def _no_toml(file: Path, message: str) -> InputError:
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if place is None:
        return InputError(f"is no TOML: {message.removesuffix(' (at end of document)')} at its end", where=str(file))
    return InputError(f"is no TOML: {message[: place.start()]}, at column {place[2]}", where=f"{file}:{place[1]}")


def _spec(file: Path, lines: Mapping[tuple[str, ...], int], name: str, values: object, taken: Collection[str]) -> Spec:
    path = ("transports", name)
    where = f"{file}:{line_of(lines, path)}"
    if not isinstance(values, dict):
        raise InputError(f"transports.{name}: expected a table", where=where)
    table = Table(file, lines, path, values)
    if not _NAME.fullmatch(name):
        raise table.error("expected a name of letters, digits, '.', '_' and '-'")
    if name in taken:
        raise table.error("qfuzz has a transport of this name", hint="choose another one")
    # First: a misspelt `template` is the reason why neither of the two is there.
    table.only((*_OF_TEMPLATE, *_OF_BOX, *_COMMON))
    kinds = [key for key in ("template", "exec") if key in values]
    if len(kinds) != 1:
        raise table.error(f"expected one of the keys 'template' and 'exec', not {'both' if kinds else 'neither'}")
    if kinds == ["template"]:
        table.only((*_OF_TEMPLATE, *_COMMON))
        return _template(name, table)
    table.only((*_OF_BOX, *_COMMON))
    return _box(name, table)


def _template(name: str, table: Table) -> TemplateSpec:
    text = table.text("template")
    assert text is not None, "it has this key"
    template = Pattern.of(text, (IN_TEMPLATE,))
    if template.count(IN_TEMPLATE) != 1:
        places = "none" if not template.count(IN_TEMPLATE) else template.count(IN_TEMPLATE)
        hint = "write {{}} for the characters {} themselves"
        raise table.error(f"expected one place {{}} for the reply, not {places}", "template", hint)
    escape = table.text("escape")
    if escape is not None:
        module, _, function = escape.partition(":")
        if not all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
            raise table.error(f"expected MODULE:FUNCTION, as in 'shlex:quote', not {escape!r}", "escape")
    summary = f"{text} with the reply {'as it is' if escape is None else f'escaped by {escape}'}"
    shown = _shown(table, table.paths("show"))
    # What a line starts beside the system's programs is not seen in what is handed over.
    common = _common(name, table, summary, shown, cached=not shown)
    return TemplateSpec(common, text, template, escape)


def _box(name: str, table: Table) -> BoxSpec:
    words = table.command("exec")
    stdin = table.flag("stdin")
    command = tuple(Pattern.of(word, (REPLY, REPLY_FILE, HERE)) for word in words)
    places = sum(each.count(REPLY) + each.count(REPLY_FILE) for each in command) + stdin
    if places != 1:
        ways = "'{reply_file}' or '{reply}' in exec, or stdin = true"
        raise table.error(f"expected one way to hand over the reply ({ways}), not {places or 'none'}", "exec")
    service, ready = table.command("service"), table.command("ready")
    if bool(service) != bool(ready):
        missing = "ready" if service else "service"
        raise table.error(
            f"expected the key '{missing}' beside it", "service" if service else "ready",
            "`ready` is a command that ends with status 0 once the service can be used",
        )  # fmt: skip
    if "ready_seconds" in table.values and not ready:
        raise table.error("expected the keys 'service' and 'ready' beside it", "ready_seconds")
    environment, folders = _python(table)
    variables = table.variables("env")
    if "PATH" not in variables:
        for key, program in (("exec", words), ("service", service), ("ready", ready)):
            _look_for(table, key, program, environment)
    shown = _shown(table, table.paths("show")) + folders
    return BoxSpec(
        common=_common(name, table, " ".join(map(_readable, command)), shown, cached=False),
        command=(_program(environment, words[0], command[0]), *command[1:]),
        stdin=stdin,
        environment=tuple(Pattern.of(f"{key}={value}", (HERE,)) for key, value in variables.items()),
        service=_words(environment, service),
        ready=_words(environment, ready),
        ready_seconds=(table.seconds("ready_seconds") or _READY_SECONDS) if ready else 0.0,
        rejects=table.statuses("rejects"),
        shell=table.one_of("shell", ("bash", "sh")),
    )


def _readable(word: Pattern) -> str:
    """A word for readers, who are to see the same on every machine: the folder of the file is `.`."""
    places = {REPLY: b"{reply}", REPLY_FILE: b"{reply_file}", HERE: b"."}
    return word.fill(places).decode()


def _words(environment: Path | None, words: tuple[str, ...]) -> tuple[Pattern, ...]:
    patterns = [Pattern.of(word, (HERE,)) for word in words]
    if patterns:
        patterns[0] = _program(environment, words[0], patterns[0])
    return tuple(patterns)


def _common(name: str, table: Table, summary: str, shown: tuple[Path, ...], *, cached: bool) -> Common:
    depends = table.paths("depends")
    # Without: another one each time, for what a program of the user's does can't be known from its command line.
    unknown = "" if cached else secrets.token_hex(16)
    identity = _digest(table, depends) if depends else unknown
    return Common(
        name=name,
        where=table.where(),
        folder=table.file.absolute().parent,
        summary=table.text("summary") or summary,
        shown=shown,
        timeout_seconds=table.seconds("timeout"),
        identity=identity,
        faithful=table.flag("faithful"),
        lacking=next(iter(table.lacking), None),
    )


def _shown(table: Table, folders: Iterable[Path]) -> tuple[Path, ...]:
    """Those of `folders` that can be shown."""
    found = []
    for folder in folders:
        try:
            shown_folders([folder], by_root=os.geteuid() == 0)
        except UsageError as error:
            table.lack(f"{error.where} {error.what}", "show", error.hint)
        else:
            found.append(folder)
    return tuple(found)


def _python(table: Table) -> tuple[Path | None, tuple[Path, ...]]:
    """A virtual environment, and the folders to show for it: its own, and that of the Python that it was made from."""
    text = table.text("python")
    if text is None:
        return None, ()
    folder = Path(os.path.realpath(table.resolved(text)))
    python = folder / "bin" / "python"
    if not python.exists():
        table.lack(f"expected a virtual environment, a folder with bin/python, not {folder}", "python")
        return None, ()
    # The Python behind the links, and its library, which lies beside it.
    base = Path(os.path.realpath(python)).parent.parent
    return folder, _shown(table, (folder, *([] if base.is_relative_to("/usr") else [base])))


def _look_for(table: Table, key: str, words: tuple[str, ...], environment: Path | None) -> None:
    """Notes a program that is missing where the jail would look for it: beside the test of the path this names it."""
    program = words[0] if words else ""
    pattern = _program(environment, program, Pattern.of(program, (REPLY, REPLY_FILE, HERE)))
    if not program or pattern.count(REPLY) or pattern.count(REPLY_FILE):
        return
    path = os.fsdecode(pattern.fill({HERE: os.fsencode(table.file.absolute().parent)}))
    # One with a slash that is relative is meant from the reply's work directory.
    if "/" in path and not path.startswith("/"):
        return
    if shutil.which(path, path=ENVIRONMENT["PATH"]) is None:
        where = "is not there, or may not be executed" if "/" in path else f"is not in {ENVIRONMENT['PATH']}"
        table.lack(f"the program {path} {where}", key)


def _program(environment: Path | None, word: str, pattern: Pattern) -> Pattern:
    """The program of a virtual environment, where it has one that is called `word`; else the pattern."""
    if environment is None or "/" in word or not (environment / "bin" / word).exists():
        return pattern
    return Pattern((os.fsencode(environment / "bin" / word),))


def _digest(table: Table, paths: tuple[Path, ...]) -> str:
    """A digest over the names and contents of files, and of all files below folders."""
    running = hashlib.sha256()
    count = 0
    for path in paths:
        found = (each for each in path.rglob("*") if each.is_file()) if path.is_dir() else iter((path,))
        files = sorted(itertools.islice(found, _MOST_FILES + 1))
        count += len(files)
        if count > _MOST_FILES:
            table.lack(f"expected at most {_MOST_FILES:,} files", "depends")
            return ""
        for file in files:
            try:
                content = file.read_bytes()
            except OSError as error:
                table.lack(f"expected files that can be read: {file} ({error.strerror})", "depends")
                return ""
            running.update(b"%d %d " % (len(os.fsencode(file)), len(content)) + os.fsencode(file) + content)
    return running.hexdigest()
