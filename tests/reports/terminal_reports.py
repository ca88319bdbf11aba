"""Public reports of commands that were typed, sent to another machine, or given to another user."""

from __future__ import annotations

from tests.reports.model import Left, Report, github

REPORTS = (
    Report(
        github("microsoft/vscode#270810"),
        "pty-typed",
        b'printf %s "stop!now" > sign; cat sign',
        Left(0, b"stop!now", {b"sign": b"stop!now"}),
        Left(0),
        b"!now: event not found",
    ),
    Report(
        github("microsoft/vscode#270810"),
        "pty-pasted",
        b'printf %s "stop!now"',
        Left(0, b"stop!now"),
        Left(0),
        b"!now: event not found",
    ),
    Report(
        github("github/awesome-copilot#662"),
        "pty-typed",
        b"cat > Makefile <<'END'\nall:\n\techo all\nEND",
        Left(0, b"", {b"Makefile": b"all:\n\techo all\n"}),
        Left(0, b"", {b"Makefile": b"all:\necho all\n"}),
    ),
    Report(
        github("github/awesome-copilot#662"),
        "tmux-literal",
        b"printf '%s' 'left\tright'",
        Left(0, b"left\tright"),
        Left(0, b"leftright"),
    ),
    Report(
        github("PocketShell-io/pocketshell#1856", "tmux/tmux#1849", "tmux/tmux#4350"),
        "tmux-keys",
        b"find . -maxdepth 0 -exec printf '[%s]' {} \\;",
        Left(0, b"[.]"),
        Left(1),
        b"missing argument to `-exec'",
    ),
    Report(
        github("tmux/tmux#1849", "agent-of-empires/agent-of-empires#1949"),
        "tmux-literal",
        b"find . -maxdepth 0 -exec printf '[%s]' {} \\;",
        Left(0, b"[.]"),
        Left(1),
        b"missing argument to `-exec'",
    ),
    Report(
        github("dokku/dokku#345", "microsoft/vscode-remote-release#596"),
        "ssh-words",
        b"printf '%s|' one two",
        Left(0, b"one|two|"),
        Left(2),
        b"printf: usage",
    ),
    Report(
        github("smallstep/docs#276", "vda-linux/busybox_mirror#27"),
        "ssh-stdin",
        b'read -r answer || answer=none\necho "answer: $answer"\necho over',
        Left(0, b"answer: none\nover\n"),
        Left(0, b"over\n"),
    ),
    Report(
        github("sudo-project/sudo#121", "sudo-project/sudo#78"),
        "sudo-login",
        b"printf first\nprintf second",
        Left(0, b"firstsecond"),
        Left(0, b"firstprintf"),
    ),
    Report(
        github("sudo-project/sudo#121"),
        "sudo-login",
        b"printf '%s' '$HOME'",
        Left(0, b"$HOME"),
        Left(0, b"/home/user"),
    ),
    Report(
        github("superset-sh/superset#4705", "fish-shell/fish-shell#12759"),
        "ssh-fish",
        b"cat <<'END'\ntext\nEND",
        Left(0, b"text\n"),
        # Of fish 3.6; the status hides what happened.
        Left(0),
        b"Expected a string",
    ),
)
