"""Replies that exist already: reply files and Inspect logs, read alike by every command."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from qfuzz.collect.clean import cleaned_reply
from qfuzz.engine.samples import ReplyFile, ReplySource, spooled
from qfuzz.inspect.logs import convert_logs, looks_like_log
from qfuzz.model.errors import InputError, UsageError
from qfuzz.model.jsonl import read_records
from qfuzz.model.reply_codec import decode_reply, encode_reply


def reply_files(paths: tuple[Path, ...], cleanup: ExitStack) -> tuple[ReplyFile, ...]:
    """Files of replies that can be read twice, in order; an Inspect log becomes a copy in the reply format.

    What a log holds beside replies is said on standard error. `cleanup` removes the copies. Raises InputError for a log
    of another task, HostError where Inspect is not installed.
    """
    logs = [path for path in paths if looks_like_log(path)]
    if not logs:
        return tuple(spooled(path, cleanup) for path in paths)
    converted = convert_logs(logs, cleanup)
    for log in converted.values():
        for line in log.notes():
            print(line, file=sys.stderr)
    found = [converted[path].file if path in converted else spooled(path, cleanup) for path in paths]
    files = tuple(file for file in found if file is not None)
    if not files:
        raise InputError("holds no reply", where=", ".join(map(str, paths)))
    return files


def source_notes(source: ReplySource) -> Iterator[str]:
    """What a reader of results must know of the replies behind them: a line for clean-up, one for empty replies."""
    if source.cleaned_replies:
        by_rule = ", ".join(f"{name} {number}" for name, number in source.cleaned.items())
        yield f"Cleaned before they were judged: {source.cleaned_replies} of {source.count} replies ({by_rule})."
    if source.without_program:
        yield f"Answers without a program, judged as empty replies: {source.without_program} of {source.count}."


def gather(paths: tuple[Path, ...], rules: tuple[str, ...], out: Path) -> int:
    """Write the replies of `paths` into a new file, cleaned by `rules`, and say on standard error what was changed."""
    if out.exists():
        raise UsageError("is there already", where=str(out), hint="name a new file")
    changed: Counter[str] = Counter()
    count = cleaned = 0
    with ExitStack() as cleanup:
        files = reply_files(paths, cleanup)
        part = out.with_name(out.name + ".part")
        with part.open("xb") as target:
            cleanup.callback(lambda: part.unlink(missing_ok=True))
            for file in files:
                for record in read_records(file.path, decode_reply, name=file.name):
                    reply = cleaned_reply(record.value, rules)
                    count += 1
                    cleaned += reply is not record.value
                    if reply is not record.value:
                        changed.update(reply.cleaned)
                    target.write(encode_reply(reply))
        part.rename(out)
    by_rule = ", ".join(f"{name} {number}" for name, number in changed.items())
    said = f"{out}: {count} repl{'y' if count == 1 else 'ies'}"
    if rules:
        said += f", {cleaned} of them cleaned" + (f" ({by_rule})" if by_rule else "")
    print(said, file=sys.stderr)
    return 0
