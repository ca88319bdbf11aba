"""Fuzzing from Python.

from qfuzz.api.fuzz import check_escape
findings = check_escape("mypkg.text:escape", shells=["bash", "dash"])
assert not findings, describe(findings[0])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial

from qfuzz.escape.faults import FaultKind
from qfuzz.escape.function import FunctionEscaper
from qfuzz.escape.worker import EscapeWorker
from qfuzz.fuzz.escape.asking import Escaper
from qfuzz.fuzz.escape.campaign import Budget, campaign
from qfuzz.fuzz.escape.events import EscapeFinding, TargetFaulty
from qfuzz.fuzz.escape.lane import Context, Lane
from qfuzz.fuzz.escape.shells import shell_named
from qfuzz.jail.pool import Pool
from qfuzz.model.errors import InputError, UsageError
from qfuzz.report.escaping import finding_text

__all__ = ["EscapeFinding", "check_escape", "describe"]

EXAMPLES = 36_000
"""Words that are tried by default: every short one, and about ten thousand longer ones. Half a second for bash."""


def check_escape(
    target: str | Callable[[str], str],
    *,
    shells: Sequence[str] = ("bash",),
    contexts: Sequence[str] = ("argument",),
    examples: int | None = EXAMPLES,
    seconds: float | None = None,
    seed: int = 0,
    findings: int = 10,
    words: Sequence[bytes] | None = None,
    timeout_seconds: float = 5.0,
    pool: Pool | None = None,
) -> list[EscapeFinding]:
    """Words that shells do not read back from their escaped form, each minimal; an empty list is good news.

    `target` is `module:function`, imported in a child process with the working directory first on its path, or a
    function, which is called in this process and can hang it. `shells` and `contexts` are named as on the command line.
    Ends after `examples` words or `seconds`, whatever comes first, or after so many `findings`; with `words` those are
    tried and no others. The same arguments give the same findings. `timeout_seconds` is for escaping one word.

    Runs shells in `pool` or in a jail of its own. Raises InputError where the function does not escape a word (it
    raises, returns something else than str, hangs, dies, or answers differently when asked again), UsageError for an
    unknown shell or a function that can't be had, HostError where no jail can be had or a shell is missing.
    """
    lanes, maker = _lanes(shells, contexts), _maker(target, timeout_seconds)
    with nullcontext(pool) if pool is not None else Pool(1) as used:
        return _checked(maker, used, lanes, Budget(examples, seconds, findings), seed, words)


def describe(finding: EscapeFinding) -> str:
    """What a person is shown of a finding: the word, its escaped form, what the shell read, and how to try it again."""
    return "\n".join(finding_text(finding, "--escape"))


def _maker(target: str | Callable[[str], str], timeout_seconds: float) -> Callable[[], Escaper]:
    if isinstance(target, str):
        return partial(EscapeWorker, target, timeout_seconds)
    return partial(FunctionEscaper, target)


def _lanes(shells: Sequence[str], contexts: Sequence[str]) -> list[Lane]:
    known = {context.value: context for context in Context}
    for name in contexts:
        if name not in known:
            raise UsageError(f"there is no context {name!r}", hint=f"one of {', '.join(known)}")
    return [Lane(shell_named(shell), known[context]) for shell in shells for context in contexts]


def _checked(
    maker: Callable[[], Escaper],
    pool: Pool,
    lanes: Sequence[Lane],
    budget: Budget,
    seed: int,
    words: Sequence[bytes] | None,
) -> list[EscapeFinding]:
    found = []
    for event in campaign(maker, pool, lanes, budget, seed=seed, only=words, stop_at_fault=True):
        match event:
            case EscapeFinding():
                found.append(event)
            case TargetFaulty(fault) if fault.kind is not FaultKind.PRINTS:
                raise InputError(fault.line)
            case _:
                pass
    return found
