"""Inside the sandbox: reads texts as the free-form arguments of `shell`, and runs the command module with each result.

Ansible's own reader of tasks makes the arguments; its own module starts the shell, which is the recorder. A JSON list
of texts in base64 comes in, a list of errors (null for none) goes out.
"""

import base64
import json
import os
import sys

from ansible.module_utils import basic
from ansible.modules import command
from ansible.parsing.mod_args import ModuleArgsParser


def module(number, arguments):
    """Runs the module in a process of its own; what it printed, where it failed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.environ["RECORD"] = str(number)
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
        basic._ANSIBLE_PROFILE = "legacy"
        try:
            command.main()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read().decode()
    os.waitpid(child, 0)
    answer = json.loads(said.splitlines()[-1])
    return answer["msg"] or "failed" if answer.get("failed") else None


def outcome(number, text):
    try:
        _, arguments, _ = ModuleArgsParser({"shell": text}).parse()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    arguments = {str(key): str(value) for key, value in arguments.items()}
    return module(number, {**arguments, "_uses_shell": True, "_ansible_shell_executable": "/bin/sh"})


texts = [base64.b64decode(text).decode() for text in json.load(sys.stdin)]
answers = [outcome(number, text) for number, text in enumerate(texts)]
json.dump(answers, sys.stdout)
