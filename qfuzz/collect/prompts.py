"""The prompts of a contract: what a model is told about the path that its reply will take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qfuzz.model.content import JsonValue
from qfuzz.model.errors import UsageError
from qfuzz.model.task import Task
from qfuzz.transports.base import Transport
from qfuzz.transports.loader import resolve

RAW = "raw"
NATIVE = "native"
DISCLOSED = "disclosed:"

BASH_TOOL: dict[str, JsonValue] = {
    "name": "bash",
    "description": "Runs one Bash program in the task's directory.",
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "The program. It is the argument of bash -c."}},
        "required": ["command"],
        "additionalProperties": False,
    },
}
"""The tool that the native contract declares: its argument is the reply."""

_SETTING = (
    "It runs once, without a terminal, in the task's directory: Linux, Bash 5, GNU coreutils, sed, awk and grep, git, "
    "python3; standard input is empty, umask 022, no network, ten seconds at most. Only the final state of the "
    "directory counts; leave nothing else changed or behind in it."
)
_ANSWER_IS_PROGRAM = (
    "Do the task with one Bash program. Your whole answer is that program, R, taken to the byte: no explanation, no "
    "Markdown fence, nothing before or after it."
)
_ANSWER_IS_CALL = (
    "Do the task with one Bash program, by calling the tool `bash` exactly once. The argument `command` is that "
    "program, and it is passed to `bash -c` as it is."
)


@dataclass(frozen=True, slots=True)
class Contract:
    """`name` as replies carry it. `disclosed` is the transport that the model is told of; None for raw and native."""

    name: str
    disclosed: Transport | None


@dataclass(frozen=True, slots=True)
class Prompt:
    task_id: str
    contract: str
    system: str
    user: str
    tools: tuple[dict[str, JsonValue], ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        record: dict[str, JsonValue] = {
            "task_id": self.task_id,
            "contract": self.contract,
            "system": self.system,
            "user": self.user,
        }
        if self.tools:
            record["tools"] = list(self.tools)
        return record

    @property
    def text(self) -> str:
        """The prompt as one text, for a program that knows no roles: system, a blank line, user; no line end."""
        return f"{self.system}\n\n{self.user}"


def parse_contract(text: str) -> Contract:
    """The contract of a name: raw, native, or disclosed:STACK. Raises UsageError."""
    if text in (RAW, NATIVE):
        return Contract(text, None)
    if text.startswith(DISCLOSED):
        transport = resolve(text.removeprefix(DISCLOSED))
        return Contract(DISCLOSED + transport.name, transport)
    raise UsageError(f"unknown contract {text!r}", hint="known: raw, native, disclosed:TRANSPORT")


def system_text(contract: Contract) -> str:
    """The system prompt: the same for every task."""
    if contract.name == NATIVE:
        return f"{_ANSWER_IS_CALL} {_SETTING}"
    transport = contract.disclosed or resolve("direct")
    path = " Then, of what comes out: ".join(boundary.disclosure() for boundary in transport.boundaries)
    return f"{_ANSWER_IS_PROGRAM} {path} {_SETTING}"


def prompts(contract: Contract, tasks: Iterable[Task]) -> Iterator[Prompt]:
    """One prompt a task, in order."""
    system = system_text(contract)
    tools = (BASH_TOOL,) if contract.name == NATIVE else ()
    for task in tasks:
        yield Prompt(task.task_id, contract.name, system, task.instruction, tools)
