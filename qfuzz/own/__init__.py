"""Paths of the user's own: `qfuzz.toml`, lines with the reply in them, programs that run the reply themselves."""
