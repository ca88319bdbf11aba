"""Asks Ansible: its reader of tasks takes a text apart, its command module starts the shell, which is the recorder."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Sequence

from tests.models import get, sandbox
from tests.models.vectors import Outcome, Vectors, is_text, shortened


def shell(texts: Sequence[bytes]) -> Vectors:
    asked = [text for text in texts if is_text(text)]
    site = get.get("ansible") / "site"
    python = f"/python/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    binds = [
        ("/usr/lib", "/usr/lib"), ("/lib", "/lib"), ("/lib64", "/lib64"), (sys.base_prefix, "/python"),
        (site, "/site"), (get.SOURCES / "ansible_shell.py", "/ansible_shell.py"),
    ]  # fmt: skip
    settings = {"HOME": "/tmp", "PATH": "/usr/bin:/bin", "PYTHONPATH": "/site", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    options = [word for name, value in settings.items() for word in ("--setenv", name, value)]
    with sandbox.folder() as folder:
        line = [*sandbox.words(folder / "out", binds, *options, "--chdir", "/tmp"), python, "/ansible_shell.py"]
        given = json.dumps([base64.b64encode(text).decode() for text in asked]).encode()
        errors = json.loads(subprocess.run(line, input=given, stdout=subprocess.PIPE, check=True).stdout)
        records = {int(record.mark): record for record in sandbox.records(folder / "out")}
    rows = []
    for number, (text, error) in enumerate(zip(asked, errors, strict=True)):
        # The recorder ends well, so what failed did not start it.
        assert (error is None) == (number in records), (text, error)
        record = records.get(number)
        outcome = Outcome(argv=record.words, stdin=record.stdin) if record else Outcome(error=shortened(error))
        rows.append((text, outcome))
    return Vectors(f"ansible-core {get.ANSIBLE}: its reader of tasks and its command module", tuple(rows))
