"""Public reports of commands that a path to the shell broke, each in a reduction of this project's own.

A report names the transport that shows its effect, a program, what it does directly, and what it does over the
transport. `links` are where people told of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Left:
    """What a run leaves: exit status, standard output, files of the work directory."""

    status: int
    stdout: bytes = b""
    files: Mapping[bytes, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """`over` is what the transport leaves, or a part of what its own parser says; `stderr` a part of what is there."""

    links: tuple[str, ...]
    transport: str
    program: bytes
    direct: Left
    over: Left | str
    stderr: bytes = b""


def _at(*places: str) -> tuple[str, ...]:
    """Links of `owner/name#number`."""
    return tuple(f"https://github.com/{place.replace('#', '/issues/')}" for place in places)


REPORTS = (
    Report(
        _at("anthropics/claude-code#32864", "ljharb/shell-quote#11"),
        "shell-quote-eval",
        b"test 'x!' = 'x!' && echo 'same!'",
        Left(0, b"same!\n"),
        Left(0, b"same\\!\n"),
    ),
    Report(
        _at("anthropics/claude-code#4711", "anthropics/claude-code#5264"),
        "shell-quote-glued",
        b"echo warning 1>&2 | cat; echo end",
        Left(0, b"end\n"),
        Left(0, b"end\n"),
        b"warning 1\n",
    ),
    Report(
        _at("anthropics/claude-code#4711"),
        "shell-quote-glued",
        b"echo found 2>&1 | cat",
        Left(0, b"found\n"),
        Left(0, b"found 2\n"),
    ),
    Report(
        _at("anthropics/claude-code#11551", "anthropics/claude-code#12706"),
        "shell-quote-glued",
        b"n=$(printf '%s' abc | wc -c) && echo \"n is $n\"",
        Left(0, b"n is 3\n"),
        Left(2),
        b"syntax error near unexpected token",
    ),
    Report(
        _at("anthropics/claude-code#15599"),
        "shell-quote-glued",
        b"cd /tmp\npwd | cat",
        Left(0, b"/tmp\n"),
        Left(0),
        b"cd: too many arguments",
    ),
    Report(
        _at("anthropics/claude-code#88561", "anthropics/claude-code#90630"),
        "backslash-lost",
        b"printf '%s\\n' '\\\\server\\share'",
        Left(0, b"\\\\server\\share\n"),
        Left(0, b"\\server\\share\n"),
    ),
    Report(
        _at("substack/node-shell-quote#28"),
        "shell-quote-quoted",
        b"printf '%s\\n' [ab]*",
        Left(0, b"[ab]*\n"),
        Left(0, b"glob\n"),
    ),
    Report(
        _at("substack/node-shell-quote#28"),
        "shell-quote-quoted",
        b"echo hi # there",
        Left(0, b"hi\n"),
        Left(1),
        b"TypeError",
    ),
    Report(
        _at("jfrog/boost#69"),
        "double-paren",
        b"cat > list <<'END'\none\ntwo\nEND\nwc -l < list",
        Left(0, b"2\n", {b"list": b"one\ntwo\n"}),
        Left(0, b"0\n", {b"list": b""}),
        b"one: command not found",
    ),
    Report(
        _at("NousResearch/hermes-agent#3508", "yvgude/lean-ctx#939", "bytedance/trae-agent#205"),
        "marker",
        b"cat > config <<'END'\nkey=1\nEND",
        Left(0, b"", {b"config": b"key=1\n"}),
        Left(0, b"", {b"config": b"key=1\nEND; rc=$?; echo __DONE__ >&2; exit $rc\n"}),
    ),
    Report(
        _at("gptme/gptme#558", "OpenHands/software-agent-sdk#1870"),
        "bashlex-split",
        b"cat <<'END'\n$5 is `x`\nEND",
        Left(0, b"$5 is `x`\n"),
        Left(1),
        b"ParsingError: here-document",
    ),
    Report(
        _at("gptme/gptme#558"),
        "bashlex-split",
        b"[[ -n x ]] && echo yes",
        Left(0, b"yes\n"),
        Left(1),
        b"ParsingError: unexpected token",
    ),
    Report(
        _at("SWE-agent/SWE-ReX#286", "SWE-agent/SWE-ReX#63"),
        "syntax-check",
        b"shopt -s extglob\ntouch keep.md x.tmp\nrm -- !(*.md)\nls",
        Left(0, b"keep.md\n", {b"keep.md": b""}),
        Left(2),
        b"syntax error near unexpected token `('",
    ),
    Report(
        _at("anomalyco/opencode#4530", "probelabs/probe#448", "tetsuo-ai/AgenC#1280"),
        "entities-left",
        b"test -d . && echo here > where.txt",
        Left(0, b"", {b"where.txt": b"here\n"}),
        Left(2),
        b"syntax error near unexpected token `;&'",
    ),
    Report(
        _at("anomalyco/opencode#4530"),
        "entities-left",
        b"echo a > b",
        Left(0, b"", {b"b": b"a\n"}),
        Left(127, b"a\n"),
        b"gt: command not found",
    ),
    Report(
        _at("RooCodeInc/Roo-Code#2694"),
        "entities-decoded",
        b"echo 'a &amp; b &quot;c&quot;'",
        Left(0, b"a &amp; b &quot;c&quot;\n"),
        Left(0, b'a & b "c"\n'),
    ),
    Report(
        _at("anthropics/claude-code#25601"),
        "json-naive",
        b"printf '%s' 'D:\\backup\\new' | wc -c",
        Left(0, b"13\n"),
        Left(0, b"11\n"),
    ),
    Report(
        _at("anthropics/claude-code#25601"),
        "json-naive",
        b"grep -c '\\.' /dev/null || echo none",
        Left(0, b"0\nnone\n"),
        "Invalid \\escape",
    ),
    Report(
        _at("SWE-agent/mini-swe-agent#829"),
        "sh",
        b"sort <(printf 'b\\na\\n')",
        Left(0, b"a\nb\n"),
        Left(2),
        b'"(" unexpected',
    ),
    Report(
        _at("anthropics/claude-code#42396"),
        "dash",
        b"cat <<< word",
        Left(0, b"word\n"),
        Left(2),
        b"redirection unexpected",
    ),
    Report(
        _at("espeak-ng/espeak-ng#698"),
        "dash",
        b"echo 'tab\\there'; echo -e x",
        Left(0, b"tab\\there\nx\n"),
        Left(0, b"tab\there\n-e x\n"),
    ),
    Report(
        _at("anomalyco/opencode#37883"),
        "zsh",
        b"true; status=$?; echo $status",
        Left(0, b"0\n"),
        Left(1),
        b"read-only variable: status",
    ),
    Report(
        _at("gsd-build/get-shit-done#1173"),
        "zsh",
        b"opts='-n -e'; for o in $opts; do echo \"[$o]\"; done",
        Left(0, b"[-n]\n[-e]\n"),
        Left(0, b"[-n -e]\n"),
    ),
    Report(
        _at("superset-sh/superset#4705", "microsoft/vscode#261222", "fish-shell/fish-shell#12759"),
        "fish",
        b"wc -l <<'X'\n1\n2\nX",
        Left(0, b"2\n"),
        Left(0),
        b"Expected a string, but found a redirection",
    ),
    Report(
        _at("microsoft/vscode#307960", "microsoft/vscode#288896", "agentscope-ai/QwenPaw#7046"),
        "newlines-collapsed",
        b"cat > two.txt <<'X'\nfirst\nsecond\nX\nwc -l < two.txt",
        Left(0, b"2\n", {b"two.txt": b"first\nsecond\n"}),
        Left(1, b"", {b"two.txt": b""}),
    ),
    Report(
        _at("smallstep/docs#276", "vda-linux/busybox_mirror#27"),
        "stdin",
        b'read -r answer || answer=yes\necho "got $answer"\necho last',
        Left(0, b"got yes\nlast\n"),
        Left(0, b"last\n"),
    ),
    Report(
        _at("kubernetes/kubernetes#7688", "docker/for-mac#3757", "hdresearch/vers-cli#176"),
        "exec-string",
        b"printf hi",
        Left(0, b"hi"),
        Left(127),
        b"No such file or directory",
    ),
    Report(
        _at("yugabyte/yugabyte-db#33169", "AztecProtocol/aztec-packages#21130"),
        "actions-expression",
        b"printf '%s\\n' 'See `touch made` below'",
        Left(0, b"See `touch made` below\n"),
        Left(0, b"See  below\n", {b"made": b""}),
    ),
    Report(
        _at("docker/compose#3959", "docker/compose#4485"),
        "compose-model",
        b'for n in 1 2; do echo "no $n"; done',
        Left(0, b"no 1\nno 2\n"),
        Left(0, b"no \nno \n"),
    ),
    Report(
        _at("docker/compose#4485", "docker/compose#9757"),
        "compose-model",
        b'echo "$(echo x)"',
        Left(0, b"x\n"),
        "invalid interpolation format",
    ),
    Report(
        _at("hashicorp/terraform#15933", "hashicorp/terraform#1098"),
        "terraform-model",
        b'echo "${PORT:-80}"',
        Left(0, b"80\n"),
        "Extra characters after interpolation expression",
    ),
    Report(
        _at("hashicorp/terraform#15933"),
        "terraform-model",
        b"printf '%s\\n' '%{time_total}'",
        Left(0, b"%{time_total}\n"),
        "Invalid template directive",
    ),
    Report(
        _at("ansible/ansible#29571", "ansible/ansible#21304", "ansible/ansible#51053"),
        "jinja2",
        b"echo '{{.ID}}: {{.Image}}'",
        Left(0, b"{{.ID}}: {{.Image}}\n"),
        "unexpected '.'",
    ),
    Report(
        _at("ansible/ansible#29571"),
        "jinja2",
        b"echo '[{{ID}}]'",
        Left(0, b"[{{ID}}]\n"),
        Left(0, b"[]\n"),
    ),
    Report(
        _at("ansible/ansible#84242", "ansible/ansible#28674", "ansible/ansible#42559"),
        "ansible-shell-model",
        b"echo one # it's the first\necho two",
        Left(0, b"one\ntwo\n"),
        "unbalanced jinja2 block or quotes",
    ),
    Report(
        _at("ansible/ansible#32800", "ansible/ansible#9272"),
        "ansible-shell-model",
        b"pwd chdir=/tmp",
        Left(0, b"/work\n"),
        Left(0, b"/tmp\n"),
    ),
    Report(
        _at("ansible/ansible#32800"),
        "ansible-shell-model",
        b"cat; echo stdin=text",
        Left(0, b"stdin=text\n"),
        Left(0, b"text\n\n"),
    ),
    Report(
        _at("pexpect/pexpect#300", "amiorin/blaz#4", "langchain-ai/deepagents#924"),
        "str-format",
        b"printf 'a:b\\n' | awk -F: '{ print $2 }'",
        Left(0, b"b\n"),
        "KeyError: ' print $2 '",
    ),
    Report(
        _at("pexpect/pexpect#300"),
        "str-format",
        b"echo '{{x}}'",
        Left(0, b"{{x}}\n"),
        Left(0, b"{x}\n"),
    ),
    Report(
        _at("ddev/ddev#8708"),
        "yaml-plain",
        b"echo 'see #12 and #13'",
        Left(0, b"see #12 and #13\n"),
        Left(2),
        b"unexpected EOF while looking for matching",
    ),
    Report(
        _at("qf-studio/pilot#5203"),
        "github-run",
        b"echo 'note: done'",
        Left(0, b"note: done\n"),
        "mapping values are not allowed here",
    ),
    Report(
        _at("cronie-crond/cronie#195", "saltstack/salt#15042"),
        "crontab-model",
        b"date -u -d @86400 +%d > day.txt",
        Left(0, b"", {b"day.txt": b"02\n"}),
        Left(0, b"\n"),
    ),
    Report(
        _at("cronie-crond/cronie#195"),
        "crontab-model",
        b"date -u -d @86400 '+%d'",
        Left(0, b"02\n"),
        Left(2),
        b"Unterminated quoted string",
    ),
    Report(
        _at("systemd/systemd#3721", "systemd/systemd#36248", "vm0-ai/vm0#9496"),
        "systemd-model",
        b'printf "%s-%s\\n" a b',
        Left(0, b"a-b\n"),
        Left(0, b"/bin/bash-/bin/bash\n"),
    ),
    Report(
        _at("systemd/systemd#36248"),
        "systemd-model",
        b'x=1; echo "${x}"',
        Left(0, b"1\n"),
        Left(0, b"\n"),
    ),
    Report(
        _at("moby/buildkit#3329", "docker/for-win#13665"),
        "crlf",
        b"echo a > name\nls",
        Left(0, b"name\n", {b"name": b"a\n"}),
        Left(0, b"name\r\n", {b"name\r": b"a\n"}),
    ),
    Report(
        _at("moby/buildkit#3329"),
        "crlf",
        b"if true; then\necho yes\nfi",
        Left(0, b"yes\n"),
        Left(2),
        b"syntax error",
    ),
    Report(
        _at("dwisiswant0/awesome-oneliner-bugbounty#8"),
        "xargs",
        b"printf '[%s]' \"two  words\" x\\ y",
        Left(0, b"[two  words][x y]"),
        Left(0, b"[two][words][x][y]"),
    ),
    Report(
        _at("pnpm/pnpm#6143", "npm/npm#19505", "npm/cli#4873", "jonwiggins/optio#558"),
        "package-script-model",
        b"echo 'price: $9 `echo x`'",
        Left(0, b"price: $9 `echo x`\n"),
        Left(0, b"price:  x\n"),
    ),
    Report(
        ("https://rustsec.org/advisories/RUSTSEC-2024-0006.html", *_at("rustsec/advisory-db#1860")),
        "rust-shlex-model",
        b"{echo,one,two}",
        Left(0, b"one two\n"),
        Left(0, b"\n"),
    ),
)
