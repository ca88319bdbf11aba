"""Runs commands that a model wrote, each in a shell of its own."""

import subprocess


def quote(command: str) -> str:
    """The command as one word of a shell."""
    return f'"{command}"'


def run(command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", "-c", f"bash -c {quote(command)}"], capture_output=True)
