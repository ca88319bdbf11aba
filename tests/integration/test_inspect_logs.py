"""Inspect's mock model under the task, in this process: what is scored, what the log says, what is read from it."""

from __future__ import annotations

import gc
import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, write_eval_log
from inspect_ai.model import ChatMessage, ContentReasoning, ContentText, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

from qfuzz.collect.prompts import parse_contract, prompts
from qfuzz.gen.public import load_public
from qfuzz.inspect.jails import close_jails
from qfuzz.inspect.logs import ReadLog, convert_logs, looks_like_log
from qfuzz.inspect.task import crossover
from qfuzz.model.content import sha256_hex
from qfuzz.model.errors import HostError
from qfuzz.model.reply import Reply
from qfuzz.model.reply_codec import decode_reply
from qfuzz.model.task_codec import decode_task
from tests.cli.inside import Inside, forbid_jails
from tests.cli.replies import TASK, write_set

Answer = Callable[[list[ChatMessage]], ModelOutput]
# Inspect calls what its libraries deprecate, and leaves streams to the garbage collector: its own affair. The fixture
# collects them while this holds.
pytestmark = pytest.mark.filterwarnings("ignore")

REFERENCES = {task.instruction: (task.reference or b"").decode() for task in load_public()}


@pytest.fixture(autouse=True)
def no_jail_stays() -> Iterator[None]:
    yield
    close_jails()
    gc.collect()


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Inside:
    monkeypatch.chdir(tmp_path)
    forbid_jails(monkeypatch)
    return Inside(capfd, monkeypatch)


def right(messages: list[ChatMessage]) -> str:
    return REFERENCES[messages[-1].text]


def text(content: str | list[ContentText | ContentReasoning]) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", content)  # type: ignore[arg-type]
    # Without it the mock counts tokens with a table that it would download.
    output.usage = ModelUsage(input_tokens=11, output_tokens=3, total_tokens=14)
    return output


def calls(*arguments: dict[str, object], name: str = "bash", broken: str | None = None) -> ModelOutput:
    output = text("")
    output.choices[0].message.tool_calls = [
        ToolCall(id=str(number), function=name, arguments=each, parse_error=broken)
        for number, each in enumerate(arguments)
    ]
    return output


def evaluate(task: Task, folder: Path, answer: Answer, **further: object) -> EvalLog:
    model = get_model("mockllm/model", custom_outputs=lambda messages, *_: answer(messages), memoize=False)
    (log,) = eval(task, model=model, log_dir=str(folder), display="none", **further)  # type: ignore[arg-type]
    return log


def read(*paths: str | Path) -> tuple[list[Reply], list[ReadLog]]:
    with ExitStack() as cleanup:
        found = list(convert_logs([Path(path) for path in paths], cleanup).values())
        lines = [line for log in found if log.file for line in log.file.path.read_bytes().splitlines()]
    return [decode_reply(line) for line in lines], found


def test_each_path_is_a_score_and_the_reply_is_what_the_model_wrote(tmp_path: Path) -> None:
    """The right program is right directly, and not after a paste between double quotes."""
    task = crossover(contract="disclosed:nested", families="write-file", tiers="0,2", transports=["json", "json-naive"])
    log = evaluate(task, tmp_path, lambda messages: text(right(messages)), epochs=2)
    assert log.status == "success", [each.error for each in log.samples or ()]
    values = {(str(each.id), each.epoch): each.scores["paths"].value for each in log.samples or () if each.scores}
    plain = {"direct": 1.0, "nested": 1.0, "json": 1.0, "json-naive": 0.0}
    assert values["write-file/t0-meltwater", 1] == plain
    assert values["write-file/t2-lighthouse", 2] == {**plain, "nested": 0.0}
    metrics = {score.name: score.metrics["accuracy"].value for score in (log.results.scores if log.results else ())}
    assert metrics == {"direct": 1.0, "nested": 0.5, "json": 1.0, "json-naive": 0.0}
    found, _ = read(log.location)
    assert [(each.task_id, each.trial) for each in found] == [
        (name, trial) for name in ("write-file/t0-meltwater", "write-file/t2-lighthouse") for trial in (0, 1)
    ]
    assert {each.program.decode() for each in found} <= set(REFERENCES.values())
    for each in found:
        assert (each.contract, each.effort, each.metadata["stop"]) == ("disclosed:nested", None, "stop")
        assert (each.metadata["input_tokens"], each.metadata["output_tokens"]) == (11, 3)
    write_eval_log(log, tmp_path / "whole.json")
    assert looks_like_log(tmp_path / "whole.json")
    assert read(tmp_path / "whole.json")[0] == found


NATIVE: dict[str, tuple[ModelOutput, bytes, dict[str, object]]] = {
    "one call": (calls({"command": "ls"}), b"ls", {}),
    "two calls": (calls({"command": "ls"}, {"command": "pwd"}), b"ls", {"calls": 2}),
    "no call": (text("ls"), b"", {"no_program": "no call of bash"}),
    "another tool": (calls({"command": "ls"}, name="sh"), b"", {"no_program": "no call of bash"}),
    "another argument": (
        calls({"cmd": "ls"}),
        b"",
        {"no_program": "the call of bash has no argument command that can be read"},
    ),
    "broken": (
        calls({}, broken="Expecting value"),
        b"",
        {"no_program": "the call of bash has no argument command that can be read"},
    ),
    "empty": (calls({"command": ""}), b"", {"no_program": "the argument command is empty"}),
}
RAW: dict[str, tuple[ModelOutput, bytes, dict[str, object]]] = {
    "spaces": (text("  ls\n\n"), b"  ls\n\n", {}),
    "long": (text("#" + "x" * 20_000), b"#" + b"x" * 20_000, {}),
    "parts": (text([ContentText(text="ec"), ContentText(text="ho")]), b"echo", {}),
    "reasoning": (text([ContentReasoning(reasoning="hm"), ContentText(text="ls")]), b"ls", {"reasoning_apart": True}),
    "empty": (text(""), b"", {"no_program": "the answer is empty"}),
    "NUL": (text("a\0b"), b"", {"no_program": "the answer holds a NUL, which no shell program can"}),
}


@pytest.mark.parametrize(("contract", "cases"), [("native", NATIVE), ("raw", RAW)])
def test_what_a_model_gave(tmp_path: Path, contract: str, cases: dict[str, tuple[ModelOutput, bytes, dict]]) -> None:
    outputs = iter([output for output, _, _ in cases.values()])
    log = evaluate(
        crossover(contract=contract, families="write-file", tiers=[0]),
        tmp_path,
        lambda _: next(outputs),
        epochs=len(cases),
        max_connections=1,
        max_samples=1,
    )
    assert log.status == "success"
    found, (note,) = read(log.location)
    assert len(found) == len(cases)
    told = ("no_program", "calls", "reasoning_apart")
    said = [(each.program, {key: each.metadata[key] for key in told if key in each.metadata}) for each in found]
    assert said == [(program, metadata) for _, program, metadata in cases.values()]
    missing = sum("no_program" in metadata for _, _, metadata in cases.values())
    assert note.without_program == missing
    assert list(note.notes()) == [
        f"{note.name}: {missing} of {len(cases)} replies gave no program and count as empty",
    ]


def test_clean_up_is_of_the_task_and_reaches_score_and_reply(tmp_path: Path) -> None:
    def prompted(messages: list[ChatMessage]) -> ModelOutput:
        return text(f"$ {right(messages)}\n\n")

    for clean, passed in (("prompts,blank-lines", 1.0), (None, 0.0)):
        log = evaluate(crossover(families="write-file", tiers=0, clean=clean), tmp_path, prompted)
        (sample,) = log.samples or ()
        assert sample.scores is not None
        assert sample.scores["paths"].value == {"direct": passed}
        ((reply,), _) = read(log.location)
        assert reply.cleaned == (("prompts", "blank-lines") if clean else ())
        before = reply.metadata["original"] if clean else reply.program.decode()
        assert before == prompted(sample.input).completion  # type: ignore[arg-type]


def test_a_set_of_ones_own_under_a_stack(tmp_path: Path) -> None:
    """What is right for the stack is wrong directly; prompt and score are those of the stack."""
    own = write_set(tmp_path / "set.jsonl")
    stack = "json-naive > nested"
    told = r"printf %s 'cost: \\$5' > note.txt"
    log = evaluate(crossover(contract=f"disclosed:{stack}", tasks=str(own)), tmp_path, lambda _: text(told))
    (sample,) = log.samples or ()
    assert sample.scores is not None
    assert sample.scores["paths"].value == {"direct": 0.0, stack: 1.0}
    (prompt,) = prompts(parse_contract(f"disclosed:{stack}"), [decode_task(own.read_bytes().rstrip())])
    assert [message.text for message in sample.input if not isinstance(message, str)] == [prompt.system, prompt.user]
    ((reply,), _) = read(log.location)
    assert (reply.task_id, reply.contract) == (TASK["task_id"], f"disclosed:{stack}")
    assert reply.metadata["task_set"] == {"name": "set.jsonl", "sha256": sha256_hex(own.read_bytes())}


def test_a_declared_limit_is_no_score(tmp_path: Path) -> None:
    long = "true " + "x" * (1 << 17)
    log = evaluate(crossover(families="write-file", tiers=0, transports="json"), tmp_path, lambda _: text(long))
    (sample,) = log.samples or ()
    assert sample.scores is not None
    value = sample.scores["paths"].value
    assert isinstance(value, dict)
    assert all(isinstance(each, float) and math.isnan(each) for each in value.values())


def test_errors_and_missing_samples_are_counted_and_are_no_replies(tmp_path: Path) -> None:
    answered = iter(range(3))

    def sometimes(messages: list[ChatMessage]) -> ModelOutput:
        if next(answered) == 1:
            raise RuntimeError("the line is dead")
        return text(right(messages))

    log = evaluate(crossover(families="write-file", tiers="0,1,2"), tmp_path, sometimes, max_connections=1)
    assert log.status == "error"
    assert log.samples is not None
    found, (note,) = read(log.location)
    assert (len(found), list(note.notes())) == (
        2,
        [f"{note.name}: 2 replies; passed over: 1 ended in an error"],
    )
    log.samples = log.samples[1:]
    write_eval_log(log, tmp_path / "part.json")
    _, (note,) = read(tmp_path / "part.json")
    assert note.unfinished == 1


@pytest.mark.parametrize("asked", [{"transports": "nested > tmux-keys"}, {"contract": "disclosed:tmux-keys"}])
def test_a_path_that_is_not_here_is_said_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, str]
) -> None:
    monkeypatch.setattr("qfuzz.transports.available.SEARCH_PATH", str(tmp_path))
    with pytest.raises(
        PrerequisiteError, match=r"qfuzz: tmux-keys is not available here.*apt-get install python3 tmux"
    ):
        crossover(**asked)


def test_what_cannot_be_asked_is_said_before_anything_is(tmp_path: Path) -> None:
    for parameters, why in (
        ({"contract": "telegram"}, "unknown contract 'telegram'"),
        ({"tasks": str(tmp_path / "none")}, "none: can't be read"),
        ({"families": "sed-replace,no-such"}, "the task set has no family 'no-such'; it has: argv-passing,"),
        ({"tiers": [4]}, "the task set has no tier '4'; it has: 0, 1, 2, 3"),
        ({"transports": "smoke"}, "unknown transport 'smoke'"),
        ({"clean": "soap"}, "there is no clean-up 'soap'"),
        ({"jobs": 0}, "jobs: expected a whole number from 1 to 256, not 0"),
        ({"jobs": 257}, "jobs: expected a whole number from 1 to 256, not 257"),
        ({"jobs": "two"}, "jobs: expected a whole number from 1 to 256, not 'two'"),
        ({"timeout": 0.01}, "timeout: expected 0.05 to 3600 seconds, not 0.01"),
        ({"timeout": 1e9}, "timeout: expected 0.05 to 3600 seconds, not 1000000000.0"),
        ({"timeout": float("nan")}, "timeout: expected 0.05 to 3600 seconds, not nan"),
        ({"timeout": True}, "timeout: expected 0.05 to 3600 seconds, not True"),
    ):
        with pytest.raises(PrerequisiteError, match=f"qfuzz: .*{why}"):
            crossover(**parameters)  # type: ignore[arg-type]


def test_logs_that_are_not_ours(tmp_path: Path, inside: Inside) -> None:
    other = Task(dataset=[Sample(input="hello")], name="greeting")
    log = evaluate(other, tmp_path / "logs", lambda _: text("hello"))
    name = Path(log.location).relative_to(tmp_path)
    said = inside.refuses("diff", name)
    assert said == f"{name}: is a log of the task 'greeting', not of qfuzz/crossover"
    for name, content in (
        ("a.eval", b"PK\x03\x04x"),
        ("b.eval", b""),
        ("c.json", b'{"version": 2, "status": "success"'),
    ):
        (tmp_path / name).write_bytes(content)
        assert inside.refuses("diff", name).startswith(f"{name}: is no log that Inspect can read (")
    ours = evaluate(crossover(families="write-file", tiers=0), tmp_path, lambda messages: text(right(messages)))
    ours.eval.metadata = None
    write_eval_log(ours, tmp_path / "bare.eval")
    assert "bare.eval: does not say what was asked" in inside.refuses("diff", "bare.eval")
    (tmp_path / "replies.json").write_text(json.dumps({"reply": "ls"}) + "\n")
    assert not looks_like_log(tmp_path / "replies.json")


def test_without_inspect_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    (tmp_path / "a.eval").write_bytes(b"PK\x03\x04x")
    with ExitStack() as cleanup, pytest.raises(HostError, match=r"pip install 'qfuzz\[inspect\]'"):
        convert_logs([tmp_path / "a.eval"], cleanup)
