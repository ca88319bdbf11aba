"""The versions of what determines observations, read where replies run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qfuzz.jail.execution import Execution
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HarnessError
from qfuzz.model.observation import Observation
from qfuzz.model.task import Fixture
from qfuzz.model.tools import FOLDER as TOOLS

_SCRIPT = rb"""
show() { printf '%s=%s\n' "$1" "$2"; }
first() { local line; IFS= read -r line < <("$@" 2>/dev/null </dev/null); printf %s "$line"; }
show bash "$BASH_VERSION"
show sh "$(sha256sum < "$(readlink -f /bin/sh)")"
show kernel "$(uname -r) $(uname -m)"
show coreutils "$(first ls --version)"
for program in git python3 sed grep find; do
    show "$program" "$(first "$program" --version)"
done
awk=$(first awk --version)
show awk "${awk:-$(first awk -W version)}"
# The programs of boundaries, some of them slow to start: all at once.
declare -A asked=(
    [busybox]='busybox' [fish]='fish --version' [ksh]='ksh -c "echo \${.sh.version}"' [make]='make --version'
    [mksh]='mksh -c "echo \$KSH_VERSION"' [node]='node --version' [npm]='npm --version' [yash]='yash --version'
    [zsh]='zsh --version' [envsubst]='envsubst --version' [xargs]='xargs --version' [script]='script --version'
    [ssh]='ssh -V 2>&1' [tmux]='tmux -V' [su]='su --version'
)
if [[ -x @TOOLS@/task ]]; then
    first @TOOLS@/task --version > /tmp/task &
fi
for program in "${!asked[@]}"; do
    if type -P "$program" > /dev/null; then
        first bash -c "${asked[$program]}" > "/tmp/$program" &
    fi
done
wait
for program in busybox envsubst fish ksh make mksh node npm script ssh su task tmux xargs yash zsh; do
    show "$program" "$(cat "/tmp/$program" 2> /dev/null)"
done
# dash has no version to say, and sudo says none without its rights.
for program in dash sudo; do
    path=$(type -P "$program") && show "$program" "$(sha256sum < "$path")" || show "$program" ''
done
""".replace(b"@TOOLS@", TOOLS.encode())


def read_versions(run: Callable[[Execution], Observation]) -> Mapping[str, str]:
    """Program name to the first line that it says about itself; empty where it is missing or has no --version."""
    execution = Execution(Launch(b"/bin/bash", (b"bash", b"-c", _SCRIPT), _SCRIPT), Fixture(), timeout_seconds=30.0)
    observation = run(execution)
    if observation.status.code != 0:
        raise HarnessError(f"the versions of programs can't be read ({observation.stderr.data[-200:]!r})")
    lines = observation.stdout.data.decode("utf-8", "backslashreplace").splitlines()
    pairs = (line.partition("=") for line in lines)
    return {name: value.removesuffix("  -") for name, _, value in pairs}
