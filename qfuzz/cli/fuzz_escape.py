"""`qfuzz fuzz --escape` and `--escape-command`: reads the events of a campaign and says what they say."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing

from qfuzz.cli.fuzz_options import FuzzOptions
from qfuzz.cli.live import Live
from qfuzz.escape.faults import EscapeFault, FaultKind, shown
from qfuzz.escape.loader import escaper
from qfuzz.fuzz.escape.asking import as_text
from qfuzz.fuzz.escape.campaign import Budget, campaign
from qfuzz.fuzz.escape.events import (
    BatchJudged,
    CampaignEnded,
    CampaignStarted,
    EscapeFinding,
    Event,
    Mended,
    TargetFaulty,
    Unexplained,
)
from qfuzz.fuzz.escape.guided import ATHERIS_CORPUS, guided_batches
from qfuzz.fuzz.escape.lane import Context, Lane
from qfuzz.fuzz.escape.shells import shell_named
from qfuzz.fuzz.escape.source import Batch
from qfuzz.fuzz.escape.witnesses import Witnesses
from qfuzz.jail.pool import Pool
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import InputError, UsageError
from qfuzz.report.escaping import ended_record, ended_text, fault_record, finding_record, finding_text
from qfuzz.store.examples import StoredExamples

TIMEOUT_SECONDS = 2.0
"""How long a shell may read a batch of words, if --timeout does not say: a thousand times what it takes."""

WORD_SECONDS = 5.0
"""How long a single word may take to be escaped."""


def fuzz_escape(
    option: str,
    target: str,
    shells: tuple[str, ...],
    contexts: tuple[str, ...],
    words: tuple[bytes, ...],
    on_error: str,
    options: FuzzOptions,
) -> int:
    """Runs the campaign. Returns the exit status; raises QfuzzError for bad input."""
    lanes = [
        Lane(shell, Context(context))
        for shell in map(shell_named, dict.fromkeys(shells or ("bash",)))
        for context in dict.fromkeys(contexts or ("argument",))
    ]
    make = escaper(option, target, options.timeout_seconds or WORD_SECONDS)
    with ExitStack() as stack:
        # Words that somebody names are not those of an earlier run, and need no store.
        witnesses = None if words else stack.enter_context(closing(Witnesses(StoredExamples(options.db), target)))
        known = {} if witnesses is None else {lane: witnesses.known(lane) for lane in lanes}
        source = None
        if options.engine == "atheris" and not words:
            source = stack.enter_context(closing(_guided(option, target, known, options)))
        pool = stack.enter_context(Pool(options.jobs))
        events = campaign(
            make,
            pool,
            lanes,
            Budget(options.examples, options.seconds),
            seed=options.seed,
            jobs=options.jobs,
            known=known,
            only=words or None,
            source=source,
            stop_at_fault=on_error == "stop",
            timeout_seconds=options.timeout_seconds or TIMEOUT_SECONDS,
        )
        with closing(events):
            return _told(_kept(events, witnesses), option, on_error, options.as_json)


def _kept(events: Iterator[Event], witnesses: Witnesses | None) -> Iterator[Event]:
    """The events, of which the store has had what is to be kept before anybody is shown it."""
    for event in events:
        if witnesses is not None and isinstance(event, EscapeFinding):
            witnesses.add(event.lane, event.word)
        elif witnesses is not None and isinstance(event, Mended):
            witnesses.remove(event.lane, event.word)
        yield event


def _guided(
    option: str, target: str, known: Mapping[Lane, Sequence[bytes]], options: FuzzOptions
) -> Generator[Batch, None, None]:
    if option != "--escape":
        raise UsageError("atheris guides by the coverage of Python functions only", where="--engine")
    return guided_batches(
        target,
        options.seed,
        runs=options.examples,
        corpus=ATHERIS_CORPUS,
        known=[as_text(word) for words in known.values() for word in words],
        word_seconds=options.timeout_seconds or WORD_SECONDS,
    )


def _told(events: Iterator[Event], option: str, on_error: str, as_json: bool) -> int:
    found = escaped = 0
    fatal: EscapeFault | None = None
    with Live(as_json, "words") as live:
        for event in events:
            match event:
                case CampaignStarted():
                    live.say({"event": "started", "target": event.target, "seed": event.seed}, [f"seed {event.seed}"])
                case BatchJudged():
                    escaped += event.words
                    live.count(event.words + event.faulty, found)
                case TargetFaulty(fault):
                    if on_error == "stop" and fault.kind is not FaultKind.PRINTS:
                        fatal = fatal or fault
                    live.say(fault_record(fault), [], "" if fault is fatal else fault.line)
                case EscapeFinding():
                    found += 1
                    live.say(finding_record(event, option), ["", *finding_text(event, option)])
                case Mended(lane, word):
                    mended: Mapping[str, JsonValue] = {
                        "event": "mended",
                        "shell": lane.shell.name,
                        "word": as_text(word),
                    }
                    live.say(
                        mended, ["", f"{shown(word)} is read back in {lane.name}, which it was not in an earlier run"]
                    )
                case Unexplained(lane, count):
                    record: Mapping[str, JsonValue] = {"event": "unexplained", "shell": lane.shell.name, "words": count}
                    live.say(record, [], f"{count} words failed together in {lane.name}, and not one by one")
                case CampaignEnded():
                    live.say(ended_record(event), ["", *ended_text(event)])
    if fatal is not None:
        raise InputError(fatal.line, hint="--on-error skip goes on")
    if not escaped:
        raise InputError("no word was escaped, so nothing was tried", where=option)
    return 1 if found else 0
