#!/usr/bin/env bash
# The tour: are the tasks sound, and what does each transport break of the replies that the project ships?
# Ends with 0 though breakers are found: finding them is the point. Any other trouble is passed on.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

readonly qfuzz=${VENV:-.venv}/bin/qfuzz
readonly breakers_found=1

run() {
    printf '\n$ qfuzz %s\n' "$*"
    "$qfuzz" "$@"
}

run validate

shopt -s nullglob
files=(corpus/replies/*.jsonl)
# From the last name to the first: raw replies head the table.
replies=()
for ((index = ${#files[@]} - 1; index >= 0; index--)); do
    replies+=("${files[index]}")
done
((${#replies[@]})) || { echo "demo: no replies in corpus/replies" >&2; exit 2; }

mkdir -p build
status=0
run diff "${replies[@]}" --db build/demo.db --no-shrink --top 5 || status=$?
((status == breakers_found)) && status=0
((status)) && exit "$status"

# What the first transport did to the first file, down to its causes.
run diff "${replies[0]}" --db build/demo.db --transport nested --top 5 || status=$?
((status == breakers_found)) && status=0
exit "$status"
