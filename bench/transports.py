"""What each transport costs beside its own bare command, both in the jail and in one run. A table on stdout.

    python -m bench.transports [--rounds N] [NAME...]

The bare command of a boundary is what it starts, started by a loop of bash: execve of the same words. Where a boundary
starts a server for each reply, its bare command talks to a warm one: a multiplexed ssh, a running tmux server.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace

from qfuzz.jail.execution import Execution
from qfuzz.jail.pool import Pool
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HarnessError
from qfuzz.model.task import Fixture
from qfuzz.transports.available import missing_of
from qfuzz.transports.base import Transport, launch_as_program
from qfuzz.transports.loader import load, resolve

BAR = 5.0
"""The ratio that the project promises."""

_TIMES = 10
_LOOP = b"""
began=$EPOCHREALTIME
for i in {1..%d}; do %s > /dev/null 2>&1 < /dev/null; done
ended=$EPOCHREALTIME
echo $(( (${ended/./} - ${began/./}) / %d ))
"""

PROGRAM = b"true"
"""What every boundary can carry; a colon ends a plain scalar of YAML."""

_WARM_SSH = (
    b"ssh -F /run/qfuzz/in/ssh/ssh_config -M -S /run/qfuzz/tap/warm -N -f host 2> /dev/null",
    b"ssh -F /run/qfuzz/in/ssh/ssh_config -S /run/qfuzz/tap/warm host " + PROGRAM,
)
_WARM_TMUX = (
    b"export TMUX_TMPDIR=/run/qfuzz/tap; tmux -f /dev/null new-session -d 'bash --norc -i'; sleep 0.5",
    b"{ tmux send-keys 'tmux wait-for -S done' Enter; tmux wait-for done; }",
)
_WARM = {"ssh": _WARM_SSH, "tmux": _WARM_TMUX}
_TERMINAL = (b":", b"script -qec 'bash --norc -i -c " + PROGRAM + b"' /dev/null")


def table(names: Sequence[str] = (), rounds: int = 5) -> Iterator[dict[str, object]]:
    """Medians in milliseconds, and their ratio, of every transport that can be had here."""
    with Pool(1) as pool:
        for name in names or list(load().boundaries):
            transport = resolve(name)
            missing = missing_of(transport)
            if missing is not None:
                yield {"transport": name, "missing": str(missing)}
                continue
            yield _measure(pool, transport, rounds)


def _measure(pool: Pool, transport: Transport, rounds: int) -> dict[str, object]:
    launch = transport.deliver(PROGRAM)
    if not isinstance(launch, Launch):
        return {"transport": transport.name, "missing": f"it can't carry {PROGRAM.decode()!r}: {launch}"}
    setup, command = _bare(transport, launch)
    loop = setup + _LOOP % (_TIMES, command, _TIMES)
    bare = replace(launch, executable=b"/bin/bash", argv=(b"bash", b"-c", loop), stdin=None, inner_shells=0)
    bare_ms: list[float] = []
    whole_ms: list[float] = []
    for _ in range(rounds):
        said = pool.run(Execution(bare, Fixture(), 60.0)).stdout.data
        if not said.strip().isdigit():
            raise HarnessError(f"the bare command of {transport.name} said {said!r}")
        bare_ms.append(int(said) / 1000)
        runs = [pool.run(Execution(launch, Fixture(), 60.0)) for _ in range(_TIMES)]
        if any(run.status.code != 0 for run in runs):
            raise HarnessError(f"{transport.name} did not carry {PROGRAM.decode()!r}: {runs[0].stderr.data!r}")
        whole_ms += [run.seconds * 1000 for run in runs]
    medians = statistics.median(whole_ms), statistics.median(bare_ms)
    return {
        "transport": transport.name,
        "whole_ms": round(medians[0], 2),
        "bare_ms": round(medians[1], 2),
        "ratio": round(medians[0] / medians[1], 2),
        "bar": BAR,
    }


def _bare(transport: Transport, launch: Launch) -> tuple[bytes, bytes]:
    """What is done once, and the command that is then timed."""
    kind = transport.name.partition("-")[0]
    if kind == "pty":
        return _TERMINAL
    if transport.name == "ssh-fish":
        setup, command = _WARM_SSH
        return setup.replace(b" host", b" fish@host"), command.replace(b" host", b" fish@host")
    return _WARM.get(kind) or (b":", launch_as_program(launch))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side, ten runs a turn")
    parser.add_argument("names", nargs="*", help="boundaries (default: all)")
    arguments = parser.parse_args()
    for row in table(arguments.names, arguments.rounds):
        if "missing" in row:
            print(f"{row['transport']:<20} {row['missing']}")
        else:
            print(
                f"{row['transport']:<20} {row['whole_ms']:>8} ms {row['bare_ms']:>8} ms bare {row['ratio']:>6}",
                flush=True,
            )


if __name__ == "__main__":
    main()
