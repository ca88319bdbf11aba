"""`qfuzz fuzz --transport`: reads the events of a campaign, keeps its breakers and says what they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime

from qfuzz.cli.fuzz_options import FuzzOptions
from qfuzz.cli.live import Live
from qfuzz.cli.options import open_pool
from qfuzz.engine.forms import form_maker, forms_key
from qfuzz.engine.here import require_here
from qfuzz.engine.machinery import context_of, machinery
from qfuzz.engine.record import Recorder
from qfuzz.engine.shrinking import Found
from qfuzz.fuzz.transport.campaign import campaign
from qfuzz.fuzz.transport.events import (
    BreakerFound,
    BreakerGone,
    CampaignEnded,
    CampaignStarted,
    CaseJudged,
    Event,
)
from qfuzz.fuzz.transport.plan import Budget, Path
from qfuzz.model.errors import UsageError
from qfuzz.model.userland import GNU
from qfuzz.report.fuzzing import (
    ended_record,
    ended_text,
    found_record,
    found_text,
    gone_record,
    gone_text,
    started_record,
)
from qfuzz.store.examples import StoredExamples
from qfuzz.store.store import Store
from qfuzz.transports.loader import resolve

TIMEOUT_SECONDS = 2.0
"""How long a program may run, if --timeout does not say: a hundred times what most of them take."""


def fuzz_transport(stack: str, userland: str, options: FuzzOptions) -> int:
    """Runs the campaign. Returns the exit status; raises QfuzzError for bad input."""
    if options.engine != "hypothesis":
        raise UsageError(f"{options.engine} draws for escaping functions only", hint="leave --engine out")
    transport = resolve(stack)
    if transport.name == "direct":
        raise UsageError("direct is what the other transports are compared with", hint="name one of those")
    require_here(transport, "bwrap")
    timeout = options.timeout_seconds or TIMEOUT_SECONDS
    source = f"qfuzz fuzz --transport {transport.name} --seed {options.seed}"
    if userland != GNU:
        source += f" --userland {userland}"
    with ExitStack() as cleanup:
        store = cleanup.enter_context(Store(options.db))
        examples = cleanup.enter_context(StoredExamples(options.db))
        pool = cleanup.enter_context(open_pool(options.jobs, "bwrap", userland, transports=(transport,)))
        machines = machinery(pool, timeout, (transport,))
        make = cleanup.enter_context(form_maker(machines, strict=False))

        def key(found: Found) -> str:
            return forms_key(found.key, found.breaker, strict=False)

        path = Path(transport, machines, context_of(pool, timeout), make, lambda found: store.forms(key(found)))
        budget = Budget(options.examples, options.seconds)
        events = campaign(path, budget, seed=options.seed, jobs=options.jobs, examples=examples)
        cleanup.enter_context(closing(events))

        def kept() -> Iterator[Event]:
            for event in events:
                if isinstance(event, BreakerFound):
                    # The store comes first, so that what is shown has been kept.
                    _keep(event, store, source)
                    if event.finished and event.shrunk.forms is not None and not event.shrunk.recalled:
                        found = event.shrunk.found
                        store.write_forms(key(found), found.key, event.shrunk.forms)
                yield event

        return _told(kept(), options.as_json)


def _keep(event: BreakerFound, store: Store, source: str) -> None:
    recorder = Recorder(store, source, lambda: datetime.now(UTC).isoformat())
    for each in event.run:
        recorder.handle(each)


def _told(events: Iterator[Event], as_json: bool) -> int:
    found = tried = harness_errors = 0
    with Live(as_json, "programs") as live:
        for event in events:
            match event:
                case CampaignStarted():
                    live.say(started_record(event), [f"seed {event.seed}"])
                case CaseJudged():
                    tried += 1
                    live.count(1, found)
                case BreakerFound():
                    found += 1
                    live.say(found_record(event), ["", *found_text(event)])
                case BreakerGone(case):
                    live.say(gone_record(case), ["", *gone_text(event)])
                case CampaignEnded():
                    harness_errors = event.counts.harness_errors
                    live.say(ended_record(event), ["", *ended_text(event)])
    if not found and tried and tried == harness_errors:
        # Not "nothing found": nothing was looked at.
        return 2
    return 1 if found else 0
