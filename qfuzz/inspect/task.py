"""The Inspect task `qfuzz/crossover`: one contract, one question a task, no loop, scores by running in the jail.

inspect eval qfuzz/crossover -T contract=disclosed:nested --model MODEL --epochs 3 --reasoning-effort low
"""

from __future__ import annotations

import os

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams

import qfuzz
from qfuzz.collect.prompts import BASH_TOOL, NATIVE, Prompt, prompts
from qfuzz.engine.services import check_services
from qfuzz.inspect.asking import Asking, Several, checked_limits, make_asking
from qfuzz.inspect.jails import shared_pool
from qfuzz.inspect.logs import METADATA_KEY
from qfuzz.inspect.scoring import paths
from qfuzz.model.errors import QfuzzError


@task
def crossover(
    contract: str = "raw",
    tasks: str | None = None,
    families: Several = None,
    tiers: Several = None,
    transports: Several = None,
    clean: Several = None,
    jobs: int | None = None,
    timeout: float = 10.0,
) -> Task:
    """Ask for replies under one contract, and score them on the path that the contract speaks of.

    Args:
        contract: raw, native, or disclosed:STACK.
        tasks: A task set (JSON Lines) instead of the public one.
        families: Only these families.
        tiers: Only these tiers.
        transports: Further transports or stacks to score over, beside direct and the disclosed one.
        clean: Clean-up rules for replies; none by default.
        jobs: Executions at a time, 1 to 256; one for each core by default.
        timeout: The longest that one execution may take, 0.05 to 3600 seconds.
    """
    try:
        at_a_time, seconds = checked_limits(jobs, timeout)
        asking = make_asking(contract, tasks, families, tiers, transports, clean)
        # Before a model is asked, and paid: a machine without a jail, or without a path, could score nothing.
        check_services(shared_pool(at_a_time), asking.further_paths)
    except QfuzzError as error:
        raise PrerequisiteError(f"qfuzz: {error}") from None
    name = asking.contract.name
    where = os.path.abspath(tasks) if tasks is not None else None
    return Task(
        dataset=MemoryDataset(
            [_sample(asking, prompt) for prompt in prompts(asking.contract, asking.tasks.values())],
            name=str(asking.task_set["name"]),
        ),
        solver=ask_once(native=name == NATIVE),
        scorer=paths(name, where, transports, clean, jobs, seconds),
        # One refused request is no reason to end a collection; the log says how many there were.
        continue_on_fail=True,
        version=qfuzz.__version__,
        metadata={
            METADATA_KEY: {
                "version": qfuzz.__version__,
                "contract": name,
                "clean": list(asking.rules),
                "paths": ["direct", *(path.name for path in asking.further_paths)],
                "task_set": dict(asking.task_set),
            }
        },
    )


def _sample(asking: Asking, prompt: Prompt) -> Sample:
    task = asking.tasks[prompt.task_id]
    return Sample(
        id=prompt.task_id,
        input=[ChatMessageSystem(content=prompt.system), ChatMessageUser(content=prompt.user)],
        metadata={"family": task.family, "tier": task.tier, "hazards": list(task.hazards)},
    )


@solver
def ask_once(native: bool) -> Solver:
    """One generation. The native contract declares its tool, and the call is recorded, not executed."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if native:
            state.tools = [_bash_tool()]
            state.tool_choice = "auto"
        return await generate(state, tool_calls="none")

    return solve


def _bash_tool() -> Tool:
    async def declared_only(command: str) -> str:
        raise AssertionError(f"the loop ends with the call, so nobody runs {command!r}")

    return ToolDef(
        declared_only,
        name=BASH_TOOL["name"],
        description=BASH_TOOL["description"],
        parameters=ToolParams.model_validate(BASH_TOOL["parameters"]),
    ).as_tool()
