# printf %q, as Bash has it built in. In the locale of the shells that read the answers.
LC_ALL=C.UTF-8
while IFS= read -r -d '' word; do
    printf '%q\0' "$word"
done
