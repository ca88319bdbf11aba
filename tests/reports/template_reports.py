"""Reports about template engines and task runners that render a command first."""

from __future__ import annotations

from tests.reports.model import Left, Report, github

REPORTS = (
    Report(
        github("ansible/ansible#29571", "ansible/ansible#21304", "ansible/ansible#51053"),
        "jinja2",
        b"echo '{{.ID}}: {{.Image}}'",
        Left(0, b"{{.ID}}: {{.Image}}\n"),
        "unexpected '.'",
    ),
    Report(
        github("ansible/ansible#29571"),
        "jinja2",
        b"echo '[{{ID}}]'",
        Left(0, b"[{{ID}}]\n"),
        Left(0, b"[]\n"),
    ),
    Report(
        github("go-task/task#966"),
        "taskfile",
        b"printf '%s\\n' '[{{.State.Status}}]'",
        Left(0, b"[{{.State.Status}}]\n"),
        Left(0, b"[]\n"),
    ),
    Report(
        github("go-task/task#179"),
        "taskfile",
        b"printf '%s\\n' '{{json .Config.Labels }}'",
        Left(0, b"{{json .Config.Labels }}\n"),
        Left(1),
        b'function "json" not defined',
    ),
    Report(
        github("mvdan/sh#1401", "mvdan/sh#97"),
        "taskfile",
        b"umask 077; echo done",
        Left(0, b"done\n"),
        Left(2),
        b"umask: unsupported builtin",
    ),
)
