"""Asks the programs that models follow, and keeps what they did: `python -m tests.models.record NAME`.

Without more it writes tests/data/models/NAME.jsonl. With `--drawn COUNT SEED` it writes nothing: it asks about texts
that are drawn from the model's own marks. Either way it prints every difference between program and model.
"""

from __future__ import annotations

import argparse
import sys

from tests.models import get, vectors
from tests.models.recorded import RECORDED


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.models.record", description=__doc__)
    parser.add_argument("name", nargs="+", choices=RECORDED)
    parser.add_argument("--drawn", nargs=2, type=int, metavar=("COUNT", "SEED"))
    options = parser.parse_args()
    found = False
    for name in options.name:
        for program in get.missing(name):
            get.get(program)
        if options.drawn:
            made = RECORDED[name].ask(RECORDED[name].drawn(*options.drawn))
        else:
            made = RECORDED[name].ask(RECORDED[name].asked(name))
            print(vectors.write(name, made))
        lines = vectors.differences(name, made.rows)
        refused = sum(vectors.modelled(name, text).limit for text, _ in made.rows)
        print(f"{made.program}: {len(made.rows)} texts, {refused} refused, {len(lines)} differences", *lines, sep="\n")
        found |= bool(lines)
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
