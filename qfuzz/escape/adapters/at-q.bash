# ${word@Q}, since Bash 4.4. In the locale of the shells that read the answers.
LC_ALL=C.UTF-8
while IFS= read -r -d '' word; do
    printf '%s\0' "${word@Q}"
done
