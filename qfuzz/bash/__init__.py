"""Pure text rules of Bash: hazards of a text, quoting, and what is a word."""
