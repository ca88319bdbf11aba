"""Inspect's log files as files of replies. inspect_ai itself is loaded when a log is really read."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from qfuzz.collect.clean import cleaned_reply, parse_rules
from qfuzz.engine.samples import ReplyFile
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import HostError, InputError, QfuzzError
from qfuzz.model.reply import NO_PROGRAM, Reply
from qfuzz.model.reply_codec import encode_reply

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

Read = TypeVar("Read")

TASK_NAME = "qfuzz/crossover"
METADATA_KEY = "qfuzz"
"""Where the task puts what it asked into the metadata of its log."""

MAX_JSON_BYTES = 256 << 20
"""Of a log in JSON, which can only be read whole."""

_READ_AT_ONCE = 64
_NOT_READ = {"attachments", "events", "events_data", "messages", "store", "timelines"}
_JSON_LOG = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
_ZIP = b"PK\x03\x04"


@dataclass(slots=True)
class ReadLog:
    """What a log held. `file` has its replies, None if there is none.

    Of its `samples`, `errors` ended in an error, `unfinished` ones have no output or, in the latest attempt, are not in
    the log at all; neither are replies. `repeated` ones are in a later attempt of the same evaluation.
    `without_program` are replies of a model that answered without a program.
    """

    name: str
    file: ReplyFile | None = None
    samples: int = 0
    replies: int = 0
    errors: int = 0
    unfinished: int = 0
    invalidated: int = 0
    repeated: int = 0
    without_program: int = 0

    def notes(self) -> Iterator[str]:
        """What a reader of the replies must know, a line each."""
        parts = [
            f"{number} {what}"
            for number, what in (
                (self.errors, "ended in an error"),
                (self.unfinished, "unfinished"),
                (self.invalidated, "invalidated"),
                (self.repeated, "in a later attempt too"),
            )
            if number
        ]
        if parts:
            yield f"{self.name}: {_replies(self.replies)}; passed over: {', '.join(parts)}"
        if self.without_program:
            yield f"{self.name}: {self.without_program} of {_replies(self.replies)} gave no program and count as empty"


def _replies(number: int) -> str:
    return f"{number} repl{'y' if number == 1 else 'ies'}"


def looks_like_log(path: Path) -> bool:
    """Whether this is a file as Inspect writes it, going by its first bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with path.open("rb") as file:
            start = file.read(200)
    except OSError:
        return False
    return path.suffix == ".eval" or start.startswith(_ZIP) or _JSON_LOG.match(start) is not None


def convert_logs(paths: Sequence[Path], cleanup: ExitStack) -> dict[Path, ReadLog]:
    """Every log as a reply file of its own, in a temporary place; `cleanup` removes them.

    A sample that several attempts of one evaluation hold (`inspect eval-retry` starts from the earlier log) is taken
    from the latest. Raises InputError for a log of another task or a damaged one, HostError without inspect_ai.
    """
    headers = {path: _header(path) for path in dict.fromkeys(paths)}
    taken: dict[str, set[tuple[str, int]]] = {}
    found = {}
    for path in sorted(headers, key=lambda path: headers[path].eval.created, reverse=True):
        header = headers[path]
        latest = header.eval.task_id not in taken
        found[path] = log = _converted(path, header, taken.setdefault(header.eval.task_id, set()), cleanup)
        if latest:
            asked = len(header.eval.dataset.sample_ids or ()) * (header.eval.config.epochs or 1)
            log.unfinished += max(0, asked - log.samples)
    return found


def _header(path: Path) -> EvalLog:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise HostError(
            "Inspect's logs are read with inspect_ai, which is not installed",
            where=str(path),
            hint="pip install 'qfuzz[inspect]'",
        ) from None
    header = _read(path, lambda: read_eval_log(str(path), header_only=True))
    if TASK_NAME not in (header.eval.task_registry_name, header.eval.task):
        raise InputError(f"is a log of the task {header.eval.task!r}, not of {TASK_NAME}", where=str(path))
    if not isinstance((header.eval.metadata or {}).get(METADATA_KEY), dict):
        raise InputError("does not say what was asked", where=str(path), hint="it was changed after it was written")
    return header


def _read(path: Path, read: Callable[[], Read]) -> Read:
    try:
        return read()
    except QfuzzError:
        raise
    except Exception as error:
        # Inspect passes on whatever zip, JSON and its data model raise.
        what = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(f"is no log that Inspect can read ({what})", where=str(path)) from None


def _converted(path: Path, header: EvalLog, taken: set[tuple[str, int]], cleanup: ExitStack) -> ReadLog:
    log = ReadLog(str(path))
    handle, copied = tempfile.mkstemp(prefix="qfuzz-replies-", suffix=".jsonl")
    cleanup.callback(os.unlink, copied)
    with open(handle, "wb") as copy:
        for sample in _samples(path, header):
            log.samples += 1
            name = (str(sample.id), sample.epoch)
            if name in taken:
                log.repeated += 1
            elif sample.error is not None:
                log.errors += 1
            elif sample.invalidation is not None:
                log.invalidated += 1
            elif not sample.output.choices:
                log.unfinished += 1
            else:
                taken.add(name)
                reply = _reply(header, sample)
                log.replies += 1
                log.without_program += NO_PROGRAM in reply.metadata
                copy.write(encode_reply(reply))
    if log.replies:
        log.file = ReplyFile(Path(copied), str(path))
    return log


def _samples(path: Path, header: EvalLog) -> Iterator[EvalSample]:
    """The samples that a log has, tasks in their order and trials within a task, a few in memory at a time."""
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, read_eval_log_samples_by_id

    order = {name: number for number, name in enumerate(header.eval.dataset.sample_ids or ())}
    if path.suffix != ".eval":
        if path.stat().st_size > MAX_JSON_BYTES:
            hint = "convert it: inspect log convert --to eval"
            raise InputError(f"a log in JSON is read whole, up to {MAX_JSON_BYTES} bytes", where=str(path), hint=hint)
        whole = _read(path, lambda: read_eval_log(str(path), format="json"))
        yield from sorted(whole.samples or (), key=lambda sample: (order.get(sample.id, len(order)), sample.epoch))
        return
    summaries = _read(path, lambda: read_eval_log_sample_summaries(str(path)))
    places = sorted((order.get(each.id, len(order)), each.epoch, each.id) for each in summaries)
    for start in range(0, len(places), _READ_AT_ONCE):
        named = [(name, epoch) for _, epoch, name in places[start : start + _READ_AT_ONCE]]
        read = partial(read_eval_log_samples_by_id, str(path), named, exclude_fields=_NOT_READ)
        yield from _read(path, read)


def _reply(header: EvalLog, sample: EvalSample) -> Reply:
    from qfuzz.inspect.output import given_program

    asked: dict[str, JsonValue] = (header.eval.metadata or {})[METADATA_KEY]
    config = header.plan.config.merge(header.eval.model_generate_config)
    settings = config.model_dump(exclude_none=True, exclude={"reasoning_effort"})
    output, usage = sample.output, sample.output.usage
    contract = str(asked.get("contract"))
    given = given_program(output, contract)
    metadata: dict[str, JsonValue] = {
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "reasoning_tokens": usage.reasoning_tokens if usage else None,
        "cache_read_tokens": usage.input_tokens_cache_read if usage else None,
        "cache_write_tokens": usage.input_tokens_cache_write if usage else None,
        "seconds": None if output.time is None else round(output.time, 3),
        "stop": output.choices[0].stop_reason,
        "settings": settings or None,
        "calls": given.calls if given.calls > 1 else None,
        "reasoning_apart": given.reasoning_apart or None,
        "log": header.eval.run_id,
        "sample": sample.uuid,
        "qfuzz": asked.get("version"),
        "task_set": asked.get("task_set"),
        NO_PROGRAM: given.missing or None,
    }
    reply = Reply(
        program=given.program,
        task_id=str(sample.id),
        contract=contract,
        model=header.eval.model,
        trial=sample.epoch - 1,
        effort=config.reasoning_effort,
        metadata={key: item for key, item in metadata.items() if item is not None},
    )
    return cleaned_reply(reply, parse_rules(",".join(asked.get("clean", []))))
