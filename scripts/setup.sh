#!/usr/bin/env bash
# Makes a checkout ready to work in: a virtual environment with the locked development tools and qfuzz itself, the Debian
# packages of scripts/debian-packages.txt, the locked packages of scripts/npm, and a look whether replies can be sandboxed
# here. Every make target calls it; it does nothing, in a moment, when nothing changed.
#
#   scripts/setup.sh          all of it; fails, in one line, where replies cannot be sandboxed
#   scripts/setup.sh --tools  only the virtual environment
#
# PYTHON  the interpreter to use (default: the first Python of at least 3.11 that is found)
# VENV    the virtual environment (default .venv)
# SERVERS where servers are installed (default /usr/sbin)
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

readonly lock=requirements-dev.lock packages=scripts/debian-packages.txt
readonly venv=${VENV:-.venv}
readonly venv_python=$venv/bin/python stamp=$venv/setup-stamp
readonly npm=scripts/npm npm_home=$venv/node
readonly servers=${SERVERS:-/usr/sbin}
readonly examples=docs/own-path examples_home=$venv/examples

say() { printf 'setup: %s\n' "$1" >&2; }
die() { say "$1"; exit 2; }

# ---- Debian packages

as_root() {
    if ((EUID == 0)); then
        "$@"
    else
        sudo -n -- "$@"
    fi
}

can_install() {
    command -v apt-get > /dev/null && { ((EUID == 0)) || sudo -n true 2> /dev/null; }
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" < /dev/null
}

# Package lists are absent on a new machine and name files that are gone on an old one: fetch them when a first try fails.
install_packages() {
    local log
    log=$(mktemp)
    say "installing $* with apt-get"
    if apt_get install -y --no-install-recommends "$@" > "$log" 2>&1 ||
        { apt_get update && apt_get install -y --no-install-recommends "$@"; } > "$log" 2>&1; then
        rm -f -- "$log"
    else
        tail -n 5 -- "$log" >&2
        rm -f -- "$log"
        return 1
    fi
}

# Debian's users do not have the folder of servers on their PATH.
is_here() { command -v "$1" > /dev/null || [[ -x $servers/$1 ]]; }

# With an argument, only those that nothing works without.
missing_packages() {
    local package program need
    while read -r package program need; do
        if [[ $package && $package != '#'* ]] && ! is_here "$program" &&
            [[ ! ${1:-} || $need != optional ]]; then
            printf '%s\n' "$package"
        fi
    done < "$packages"
}

install_missing() {
    local -a missing
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    if can_install; then
        install_packages "${missing[@]}" || true
        mapfile -t missing < <(missing_packages)
        ((${#missing[@]})) || return 0
    fi
    if [[ ! $(missing_packages required) ]]; then
        say "some transports are not available without: ${missing[*]}; install: sudo apt-get install ${missing[*]}"
        return
    fi
    die "missing: ${missing[*]}; install: sudo apt-get install ${missing[*]}"
}

# ---- the interpreter and the virtual environment

is_recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' > /dev/null 2>&1 < /dev/null
}

find_python() {
    if [[ ${PYTHON:-} ]]; then
        is_recent "$PYTHON" || die "PYTHON=$PYTHON is not a Python 3.11 or newer"
        printf '%s\n' "$PYTHON"
        return
    fi
    local candidate
    # Each is tried by running it: a version manager has a stand-in for every version, installed or not.
    while read -r candidate; do
        if is_recent "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done < <(type -aP python3 python3.13 python3.12 python3.11)
    die "no Python 3.11 or newer on PATH; install python3, or name one: make setup PYTHON=/path/to/python3"
}

make_venv() {
    local python=$1 version
    if "$python" -c 'import ensurepip, venv' 2> /dev/null; then
        "$python" -m venv --clear "$venv"
        return
    fi
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if can_install && install_packages "python$version-venv" && "$python" -c 'import ensurepip' 2> /dev/null; then
        "$python" -m venv --clear "$venv"
        return
    fi
    say "Python has no ensurepip (package python$version-venv): downloading pip"
    if ! "$python" -m venv --clear --without-pip "$venv" ||
        ! "$python" scripts/bootstrap_pip.py "$lock" "$venv_python"; then
        rm -rf -- "$venv"
        die "no virtual environment can be made; install it: sudo apt-get install python$version-venv"
    fi
}

base_of() {
    "$1" -c 'import sys; print(sys.base_prefix, sys.version)' 2> /dev/null
}

# Everything that the environment is made from. Its place is part of it: scripts and links inside hold absolute paths.
wanted_state() {
    printf '%s\n' "$PWD"
    cat -- pyproject.toml "$lock" scripts/setup.sh scripts/bootstrap_pip.py | sha256sum
}

# An environment can be kept, even one made by hand, if it still runs and has the Python that was asked for; not if it was
# set up elsewhere and moved here.
venv_fits() {
    [[ ! -e $stamp || $(head -n 1 -- "$stamp") == "$PWD" ]] &&
        is_recent "$venv_python" && "$venv_python" -c 'import pip' 2> /dev/null &&
        { [[ ! ${PYTHON:-} ]] || [[ $(base_of "$venv_python") == "$(base_of "$PYTHON")" ]]; }
}

set_up_venv() {
    local python wanted
    wanted=$(wanted_state)
    if ! venv_fits; then
        python=$(find_python)
        say "making $venv with $("$python" --version)"
        make_venv "$python"
    elif [[ -e $stamp && $(cat -- "$stamp") == "$wanted" ]]; then
        return
    fi
    say "installing the locked tools and qfuzz into $venv"
    printf '%s\n' "$PWD" > "$stamp"
    pip_install --require-hashes --requirement "$lock"
    pip_install --no-deps --no-build-isolation --editable .
    printf '%s\n' "$wanted" > "$stamp"
}

pip_install() {
    PIP_USER=0 "$venv_python" -m pip install -qq --no-input --disable-pip-version-check \
        --no-warn-script-location "$@" || die "pip could not install what $lock names; see its message above"
}

# ---- packages from npm

# Escaping functions of another language. They are data for tests as much as programs, so their digests are locked too.
set_up_npm() {
    local wanted
    wanted=$(cat -- "$npm"/package*.json | sha256sum)
    [[ ! -e $npm_home/stamp || $(cat -- "$npm_home/stamp") != "$wanted" ]] || return 0
    say "installing the packages of $npm/package-lock.json into $npm_home"
    rm -rf -- "$npm_home"
    mkdir -p -- "$npm_home"
    cp -- "$npm"/package*.json "$npm_home"
    npm ci --prefix "$npm_home" --ignore-scripts --no-audit --no-fund --silent < /dev/null >&2 ||
        die "npm could not install what $npm/package-lock.json names; see its message above"
    printf '%s\n' "$wanted" > "$npm_home/stamp"
}

# ---- the packages of the worked examples

# They run in an environment of their own, as a user's harness would: nothing of ours may need what they bring along.
set_up_examples() {
    local wanted
    wanted=$(sha256sum < "$examples/requirements.lock")
    [[ ! -e $examples_home/stamp || $(cat -- "$examples_home/stamp") != "$wanted" ]] || return 0
    say "installing the packages of $examples/requirements.lock into $examples_home"
    rm -rf -- "$examples_home"
    "$venv_python" -m venv --without-pip "$examples_home" || die "no virtual environment can be made in $examples_home"
    # Wheels only: building would run code that no digest names.
    PIP_USER=0 "$venv_python" -m pip --python "$examples_home/bin/python" install -qq --no-input \
        --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --requirement "$examples/requirements.lock" ||
        die "pip could not install what $examples/requirements.lock names; see its message above"
    printf '%s\n' "$wanted" > "$examples_home/stamp"
}

# ---- the sandbox

setting() {
    cat -- "/proc/sys/$1" 2> /dev/null || true
}

in_container() {
    [[ -e /.dockerenv || -e /run/.containerenv || ${container:-} ]]
}

# Names the rule of the kernel or the container that keeps an ordinary user from making a namespace, and the way out.
forbidding_rule() {
    if [[ $(setting user/max_user_namespaces) == 0 ]]; then
        echo "user namespaces are off (user.max_user_namespaces=0); allow them: sudo sysctl -w user.max_user_namespaces=10000"
    elif [[ $(setting kernel/unprivileged_userns_clone) == 0 ]]; then
        echo "user namespaces are for root only (kernel.unprivileged_userns_clone=0); allow them:" \
            "sudo sysctl -w kernel.unprivileged_userns_clone=1"
    elif in_container && grep -q '^Seccomp:[[:space:]]*2' /proc/self/status; then
        echo "the container's seccomp profile forbids namespaces; start it with" \
            "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"
    elif [[ $(setting kernel/apparmor_restrict_unprivileged_userns) == 1 ]]; then
        echo "AppArmor forbids user namespaces (kernel.apparmor_restrict_unprivileged_userns=1); allow them:" \
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    else
        echo "bubblewrap cannot make a sandbox here: $1"
    fi
}

check_jail() {
    local complaint
    local -a drop=()
    # Replies never run as root, so what root may do says nothing.
    ((EUID)) || drop=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
    complaint=$(cd / && "${drop[@]}" bwrap --unshare-all --unshare-user --ro-bind / / --dev /dev --proc /proc true 2>&1) ||
        die "$(forbidding_rule "${complaint//$'\n'/ }")"
}

case ${1:-} in
    '')
        set_up_venv
        install_missing
        set_up_npm
        set_up_examples
        check_jail
        ;;
    --tools) set_up_venv ;;
    *) die "unknown argument: $1" ;;
esac
