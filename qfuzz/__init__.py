"""qfuzz: find the command that was right and the path to the shell that broke it."""

__version__ = "0.1.0"
