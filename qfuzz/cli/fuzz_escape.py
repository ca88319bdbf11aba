"""`qfuzz fuzz --escape` and `--escape-command`: reads the events of a campaign and says what they say."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing

from qfuzz.cli.fuzz_options import FuzzOptions
from qfuzz.escape.faults import EscapeFault, FaultKind
from qfuzz.escape.loader import escaper
from qfuzz.fuzz.escape.campaign import Budget, campaign
from qfuzz.fuzz.escape.events import (
    BatchJudged,
    CampaignEnded,
    CampaignStarted,
    EscapeFinding,
    Event,
    TargetFaulty,
    Unexplained,
)
from qfuzz.fuzz.escape.lane import Context, Lane
from qfuzz.fuzz.escape.shells import shell_named
from qfuzz.jail.pool import Pool
from qfuzz.model.content import JsonValue
from qfuzz.model.errors import InputError
from qfuzz.report.escaping import ended_record, ended_text, fault_record, finding_record, finding_text

TIMEOUT_SECONDS = 2.0
"""How long a shell may read a batch of words, if --timeout does not say: a thousand times what it takes."""

WORD_SECONDS = 5.0
"""How long a single word may take to be escaped."""

LIVE_SECONDS = 0.5
"""How often the counts are rewritten on a terminal; elsewhere they are not shown."""


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
    with Pool(options.jobs) as pool:
        events = campaign(
            make,
            pool,
            lanes,
            Budget(options.examples, options.seconds),
            seed=options.seed,
            jobs=options.jobs,
            only=words or None,
            stop_at_fault=on_error == "stop",
            timeout_seconds=options.timeout_seconds or TIMEOUT_SECONDS,
        )
        with closing(events):
            return _told(events, option, on_error, options.as_json)


def _told(events: Iterator[Event], option: str, on_error: str, as_json: bool) -> int:
    live = Live(as_json)
    found = escaped = 0
    fatal: EscapeFault | None = None
    for event in events:
        match event:
            case CampaignStarted():
                live.say({"event": "started", "target": event.target, "seed": event.seed}, [f"seed {event.seed}"])
            case BatchJudged():
                escaped += event.words
                live.count(event, found)
            case TargetFaulty(fault):
                if on_error == "stop" and fault.kind is not FaultKind.PRINTS:
                    fatal = fatal or fault
                live.say(fault_record(fault), [], "" if fault is fatal else fault.line)
            case EscapeFinding():
                found += 1
                live.say(finding_record(event, option), ["", *finding_text(event, option)])
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


class Live:
    """Lines for people or for programs, and counts that are rewritten in place on a terminal."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._terminal = sys.stderr.isatty()
        self._began = self._shown = time.monotonic()
        self._words = 0
        self._line = ""

    def say(self, record: Mapping[str, JsonValue], lines: list[str], complaint: str = "") -> None:
        """Writes the record or the lines to stdout, and the complaint to stderr."""
        self._erase()
        if self._as_json:
            print(json.dumps(record), flush=True)
        else:
            for line in lines:
                print(line, flush=True)
        if complaint:
            print(f"qfuzz: {complaint}", file=sys.stderr)

    def count(self, batch: BatchJudged, found: int) -> None:
        self._words += batch.words + batch.faulty
        now = time.monotonic()
        if self._terminal and now - self._shown >= LIVE_SECONDS:
            self._erase()
            self._shown = now
            rate = self._words / (now - self._began)
            self._line = f"{self._words} words, {rate:.0f}/s, {found} found"
            print(self._line, end="\r", file=sys.stderr, flush=True)

    def _erase(self) -> None:
        if self._line:
            print(" " * len(self._line), end="\r", file=sys.stderr, flush=True)
            self._line = ""
