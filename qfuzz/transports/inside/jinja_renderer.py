"""Becomes `bash -c TEXT`, where TEXT is what Jinja2 makes of a template without variables. Run inside a jail.

    python3 -ISB jinja_renderer.py TEMPLATE

The packages jinja2 and markupsafe lie beside this file, in `python`. A template may do anything that a reply may. Where
it fails, the status is 1 and the engine's error is on stderr; where bash can't be given what came out, it is 126.
"""

from __future__ import annotations

import os
import signal
import sys


def main(path: str) -> None:
    """Renders the file at `path` and becomes bash."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
    import jinja2

    with open(path, encoding="utf-8", newline="") as file:
        template = file.read()
    try:
        program = jinja2.Environment().from_string(template).render().encode("utf-8")
    except Exception as error:
        sys.exit(f"jinja2: {type(error).__name__}: {error}")
    # Python ignores these, and bash would go on to.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp("bash", [b"bash", b"-c", program])
    except (OSError, ValueError) as error:
        print(f"jinja2: bash can't be started with what came out: {error}", file=sys.stderr)
        sys.exit(126)


if __name__ == "__main__":
    main(sys.argv[1])
