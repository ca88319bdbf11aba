"""Escaping functions that behave badly in one way each, for a child process to import."""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time

NUMBER = 5


class Named:
    @staticmethod
    def quote(word: str) -> str:
        return f"<{word}>"


def odd(word: str) -> object:
    """What a word asks for; others are put into single quotes."""
    match word:
        case "raise":
            raise ValueError("no\nway")
        case "silent":
            raise RuntimeError
        case "none":
            return None
        case "bytes":
            return b"x"
        case "hang":
            # Holds the interpreter's lock: nothing in the process can stop it.
            re.match("(a*)*b", "a" * 60)
        case "sleep":
            time.sleep(1000)
        case "die":
            os._exit(3)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            sys.exit(4)
        case "print":
            print("hello \udcff")
        case "complain":
            print("oh", file=sys.stderr)
        case "read":
            return repr(sys.stdin.read())
        case "nul":
            return "a\0b"
        case "vary":
            return str(random.random())
        case "surrogate":
            return "\ud800"
    return f"'{word}'"


def state(word: str, seen: list[str] = []) -> str:  # noqa: B006 (that is the fault)
    seen.append(word)
    return f"{word}{len(seen)}"


def process(_: str) -> str:
    return str(os.getpid())
