#!/usr/bin/env bash
# Rewrites requirements-dev.lock from pyproject.toml: every version that setup installs, with the digests of its files.
# One lock serves Python 3.11 to 3.13. uv resolves for all of them at once; pip reads what it writes.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

python=${VENV:-.venv}/bin/python
mkdir -p build
"$python" -m venv build/lock-venv
build/lock-venv/bin/python -m pip install --quiet uv

# pip and the build backend are locked too: setup builds the project without a second, unlocked download.
"$python" -c 'import tomllib; print("pip", *tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
    > build/lock-extra.in
build/lock-venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
    --custom-compile-command "make lock" --extra dev --output-file requirements-dev.lock "$@" \
    pyproject.toml build/lock-extra.in

# The worked examples: the agent packages by themselves, and what they import of their requirements on the way to a shell.
examples=docs/own-path
compile=(build/lock-venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate)
{
    "${compile[@]}" --custom-compile-command "make lock" "$@" "$examples/requirements.in"
    "${compile[@]}" --no-header --no-deps "$@" "$examples/packages.in"
} > "$examples/requirements.lock"
