"""Pure text rules of Bash: hazards of a text, what pasting does to it, and how to quote it."""
