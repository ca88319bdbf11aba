"""Asks the programs that models follow, and keeps what they did: `python -m tests.models.record NAME`.

Without more it writes tests/data/models/NAME.jsonl. With `--drawn COUNT SEED` it writes nothing: it asks about texts
that are drawn from the model's own marks, and prints every difference between program and model.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.models import ansible, compose, cron, get, libraries, pnpm, systemd, texts, vectors
from tests.models.vectors import Vectors


@dataclass(frozen=True, slots=True)
class Recorded:
    """One model's own marks, the texts that it is asked about beside them, and who asks its program.

    `refused` of the recorded texts meet a typed refusal, a declared limit of the model.
    """

    own: tuple[bytes, ...]
    ask: Callable[[Sequence[bytes]], Vectors]
    refused: int
    more: tuple[bytes, ...] = ()
    pieces: tuple[bytes, ...] = ()
    frames: tuple[tuple[bytes, bytes], ...] = ()

    def asked(self, name: str) -> list[bytes]:
        """What is kept: all of `texts.asked`, and 120 drawn ones."""
        return list(dict.fromkeys([*texts.asked(name, self.own, self.more), *self.drawn(120, 0)]))

    def drawn(self, count: int, seed: int) -> list[bytes]:
        return list(dict.fromkeys(texts.drawn((*self.own, *self.pieces), self.frames, count, seed)))


_GO = rb"""{{/* */}} {{.A}} {{.A.B}} {{a}} {{- -}} {{"x"}} {{`y`}} .A .A.B . $ $x " ` ' ( ) | , := 1 nil true len if end
    range x - 'x' 0x1 // /* */ \n {{end}} {{if}}"""
_HCL = rb"""$${ %%{ { ~} ${~ 1 12 x y-z true if endif else for : - . # [ ] ( ) " ! @ * , + = / 1.5 ? x[@] {{ ${x} ${1} ${12
    ${x: ${#x} ${!x %{if %{x} <<E ${y:-z} && ||"""
_COMPOSE = (b"${a:-", b"${a-", b"${a:+", b"${b?", b"$a", b"${a}", b"${", b":-", b"-", b"$$", b"$(", b"a:", "\u212a".encode())
RECORDED: Mapping[str, Recorded] = {
    "ansible-shell-model": Recorded((b"'", b'"', b"\\", b" ", b"\n", b"="), ansible.shell, 0, pieces=(b"chdir=/tmp", b"chdir=", b"{{", b"}}", b"{% ", b" %}", b"stdin=a", b"executable=/bin/bash", b"warn=no", b" \\\n", b"\\=", b"\\n", b"\\x41", b"\\u00e9", b"\\N{DIGIT ONE}", b"\\N{x}", b"\t")),
    "compose-model": Recorded((b"$", b"{", b"}", b"(", b"a", b"1"), compose.compose, 0, pieces=_COMPOSE, frames=((b"${a:-", b"}"), (b"${", b"}"))),
    "crontab-model": Recorded((b"%", b"\\", b"\n", b"\\%", b"#", b" "), cron.cronie, 0, pieces=(b"\n# x\n", b"\nX=y\n", b"\nX = y", b"\n1 2 3 4 5 z", b"\t", b"\r")),
    "go-template-model": Recorded((b"{{", b"}}", b"-", b"{", b"}"), libraries.go_template, 0, pieces=tuple(_GO.split()), frames=((b'{{', b'}}'), (b'{{- ', b' -}}'))),
    "kubernetes-model": Recorded((b"$", b"(", b")", b"NAME", b"{", b"}"), libraries.kubernetes, 0, pieces=(b"$(NAME)", b"$(", b"PORT")),
    "package-script-model": Recorded((b"$", b"`", b'"', b"\\", b"!", b"\x7f", "\u2028".encode(), b"%"), pnpm.package_script, 0),
    "rust-shlex-model": Recorded((b"{", b"}", b",", b"~", b"#", b"!", b"^", b"-", b"\xc2\xa0"), libraries.rust_shlex, 0),
    "systemd-model": Recorded((b"'", b"\\", b"%", b"$", b"{", b"\n", b";"), systemd.systemd, 0, more=tuple(b"a%" + bytes([n]) + b"b" for n in range(33,127)), pieces=(b"' ; '", b"${LANG}", b"${x}", b"$x", b"%n", b"%%", b"$$", b"\\n", b"\\x41", b"\\101", b"\\u00e9", b"\\\n", b"' ", b" '", b'"', b"\r", b"a=b", b"#", b"\t", b"}", b"\\x00", b"\\u0000", b"\\400", b"\\ud800", b"\\U0001f600", b"\\U00110000", b"\\u00", b"\\0", b"\\s", b"\\q", b"\\;", b" ; ", b"$LANG", b" $", b"' '", b"\n ", b"\n#", b"\r\n")),
    "terraform-model": Recorded((b"${", b"%{", b"}", b"$", b"%", b"~"), libraries.terraform, 0, pieces=(*_HCL.split(), "e\u0301".encode(), "\u212b".encode()), frames=((b"${", b"}"), (b"%{", b"}"), (b"${~ ", b" ~}"))),
}


def record(name: str) -> Vectors:
    """What the program of model `name` does now."""
    recorded = RECORDED[name]
    for folder in get.missing(name):
        get.get(folder)
    return recorded.ask(recorded.asked(name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="+", choices=RECORDED)
    parser.add_argument("--drawn", nargs=2, type=int, metavar=("COUNT", "SEED"))
    options = parser.parse_args()
    found = False
    for name in options.name:
        if options.drawn:
            count, seed = options.drawn
            rows = RECORDED[name].ask(RECORDED[name].drawn(count, seed))
        else:
            rows = record(name)
            print(f"{vectors.write(name, rows)}: {len(rows.rows)} texts, {rows.program}")
        lines = vectors.differences(name, rows.rows)
        refused = sum(vectors.modelled(name, text).limit for text, _ in rows.rows)
        print(f"{name}: {len(rows.rows)} texts, {refused} refused, {len(lines)} differences", *lines, sep="\n")
        found |= bool(lines)
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
