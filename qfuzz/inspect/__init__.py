"""qfuzz as a task of Inspect AI, and Inspect's logs as files of replies. Alone in loading inspect_ai."""
