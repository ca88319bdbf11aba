"""What programs did with texts, as rows of a file; and what a model does, in the same form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from qfuzz.model.delivery import Launch, Refusal
from qfuzz.transports.loader import load

FOLDER = Path(__file__).resolve().parents[1] / "data" / "models"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one text.

    Either `text`: the text that came out. Or `argv` and `stdin`: the words and the input of the process that was
    started, without its name. Or `error`: what the program said, the first line of it; `limit`, where a model has a
    typed refusal instead.
    """

    text: bytes | None = None
    argv: tuple[bytes, ...] | None = None
    stdin: bytes | None = None
    error: str | None = None
    limit: bool = False

    def agrees(self, other: Outcome) -> bool:
        """Whether both are the same, errors being equal whatever they say."""
        if self.error is not None and not self.limit:
            return other.error is not None
        return self == other


@dataclass(frozen=True, slots=True)
class Vectors:
    """`program` names program and version."""

    program: str
    rows: tuple[tuple[bytes, Outcome], ...]


def modelled(name: str, text: bytes) -> Outcome:
    """What the model does."""
    result = load().boundaries[name].embed(text)
    if isinstance(result, bytes):
        return Outcome(text=result)
    if isinstance(result, Launch) and not _can_start(result):
        return Outcome(error="no such folder or program")
    if isinstance(result, Launch):
        # The recorder stands for the shell, not for what sets its folder; and can't tell an empty input from none.
        return Outcome(argv=result.argv[result.argv.index(b"-c") :], stdin=result.stdin or None)
    if isinstance(result, Refusal):
        return Outcome(error=result.reason, limit=True)
    return Outcome(error=result.message)


def _can_start(launch: Launch) -> bool:
    """Whether the folder and the shell that a text asks for by name are there, in sandboxes and jails."""
    if launch.argv[0] != b"env":
        return True
    asked = set(launch.argv[1 : launch.argv.index(b"-c")])
    return asked <= {b"-C", b"/tmp", b"/bin/sh", b"/bin/bash"}


def write(name: str, vectors: Vectors) -> Path:
    path = FOLDER / f"{name}.jsonl"
    lines = [_line({"program": vectors.program})]
    for text, outcome in vectors.rows:
        row: dict[str, object] = {"in": _latin(text)}
        if outcome.text is not None:
            row["out"] = _latin(outcome.text)
        if outcome.argv is not None:
            row["argv"] = [_latin(word) for word in outcome.argv]
        if outcome.stdin is not None:
            row["stdin"] = _latin(outcome.stdin)
        if outcome.error is not None:
            row["error"] = outcome.error
        lines.append(_line(row))
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(lines), encoding="ascii")
    return path


def read(name: str) -> Vectors:
    header, *lines = (FOLDER / f"{name}.jsonl").read_text(encoding="ascii").splitlines()
    return Vectors(json.loads(header)["program"], tuple(map(_row, map(json.loads, lines))))


def names() -> list[str]:
    """The models that have vectors."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def differences(name: str, rows: Iterable[tuple[bytes, Outcome]]) -> list[str]:
    """The rows that the model does otherwise, one line each; a typed refusal is no difference."""
    lines = []
    for text, outcome in rows:
        model = modelled(name, text)
        if not model.limit and not outcome.agrees(model):
            lines.append(f"{text!r}: the program {told(outcome)}, the model {told(model)}")
    return lines


def told(outcome: Outcome) -> str:
    if outcome.error is not None:
        return f"{'refuses' if outcome.limit else 'rejects'}: {outcome.error}"
    if outcome.text is not None:
        return f"makes {outcome.text!r}"
    return f"starts {list(outcome.argv or ())!r} with the input {outcome.stdin!r}"


def is_text(text: bytes) -> bool:
    """Whether it is UTF-8, which the formats of some programs need."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def shortened(message: str) -> str:
    """The first line of an error, as rows keep it."""
    line = next((line.strip() for line in message.splitlines() if line.strip()), "error")
    return line.encode("ascii", "replace").decode()[:120]


def _row(row: dict[str, object]) -> tuple[bytes, Outcome]:
    argv = row.get("argv")
    assert argv is None or isinstance(argv, Sequence)
    return _bytes(row["in"]), Outcome(
        text=_bytes(row["out"]) if "out" in row else None,
        argv=None if argv is None else tuple(map(_bytes, argv)),
        stdin=_bytes(row["stdin"]) if "stdin" in row else None,
        error=str(row["error"]) if "error" in row else None,
    )


def _line(row: dict[str, object]) -> str:
    return json.dumps(row, separators=(",", ":")) + "\n"


def _latin(text: bytes) -> str:
    return text.decode("latin-1")


def _bytes(text: object) -> bytes:
    assert isinstance(text, str)
    return text.encode("latin-1")
