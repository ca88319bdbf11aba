"""What each model is compared with: its own marks, what it is asked about beside them, who asks the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.models import ansible, compose, cron, libraries, pnpm, systemd, texts
from tests.models.vectors import Vectors

DRAWN = 120
"""How many drawn texts are kept."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """How one program is asked.

    `own`: the marks whose pairs are all asked about. `pieces` and `frames`: what else is drawn from, and pairs that
    stand around what is drawn. `more`: known cases. `refused` of the texts that are kept meet a typed refusal, a
    declared limit of the model. `unavailable` says why the program can't be asked on this machine, or None.
    """

    ask: Callable[[Sequence[bytes]], Vectors]
    own: tuple[bytes, ...]
    pieces: tuple[bytes, ...] = ()
    frames: tuple[tuple[bytes, bytes], ...] = ()
    more: tuple[bytes, ...] = ()
    refused: int = 0
    unavailable: Callable[[], str | None] = lambda: None

    def asked(self, name: str) -> list[bytes]:
        """What is kept: all of `texts.asked`, and some drawn ones."""
        return list(dict.fromkeys([*texts.asked(name, self.own, self.more), *self.drawn(DRAWN, 0)]))

    def drawn(self, count: int, seed: int) -> list[bytes]:
        return list(dict.fromkeys(texts.drawn((*self.own, *self.pieces), self.frames, count, seed)))


def _pieces(text: str) -> tuple[bytes, ...]:
    return tuple(text.encode().split())


_ANSIBLE = (
    *_pieces(r"chdir=/tmp chdir= {{ }} stdin=a executable=/bin/bash warn=no \= \n \x41 \u00e9 \N{x} {# #}"),
    b"{% ", b" %}", b" \\\n", b"\\N{DIGIT ONE}", b"\t",
)  # fmt: skip
_COMPOSE = (*_pieces("${a:- ${a- ${a:+ ${b? $a ${a} ${ :- - $$ $( a:"), "\u212a".encode())
_CRON_PIECES = (b"\n# x\n", b"\nX=y\n", b"\nX = y", b"\n1 2 3 4 5 z", b"\t", b"\r", b"-n ", b"*")
_CRON = tuple(
    text.encode()
    for text in (
        "date", "* date", "*a", "-n date", "-q date", "-n -n date", "-n", "-ndate", "-n\tdate", "--help", "'-n' x",
        "-n *x",
        "-n -", "-n #", "-n%x", "-n %x", "- x", " *x", "\t-n x", "a%b%\\", "a%b\\", "a%\\\\", "a%b\\\\", "a%b%%",
        "a%\\%",
        "a%\n#x", "a\\", "a\\\nb=c", "a   \t", "a\n", "a\n\n\n", "a\nB=c\nD = e\n'F'=g\n\"H\" = i", "a\nF", "a\nF=",
        "a\n=x", "a\n F = x", "a\n1F=x", "a\n@daily x", "a\n@foo x", "a\n1 2 3 4 5", "a\n61 2 3 4 5 x",
        "a\n1 2 3 4 5 *x",
        "a\nb-c=d", "a\nb c=d", "a\né=d", "a\n~ 2 3 4 5 x", 'a\nX="y', 'a\nX="y"z', 'a\nX="y" ', "a\nX='y'", 'a\n"b=d',
        'a\nb"c=d', 'a\n""=d', 'a\n"b"c=d', 'a\nb = "c', "a\n1 2 3 4 5 z=y", "a\n1 2 3 4 5 -n", "a\n\x0bX=1", "a\n\x0b",
        "a\nX\x0b=y", "a\nfor i in 1 2 = x", "a\n*) echo", "a\n   ", "a\n\t#", "a%\\\n# b", "x" * 998,
        "x" * 999, "x" * 1001,
    )
)  # fmt: skip
_GO = _pieces("""{{/* */}} {{.A}} {{.A.B}} {{a}} {{- -}} {{"x"}} {{`y`}} .A .A.B . $ $x " ` ' ( ) | , := 1 nil true len
    if end range x - 'x' 0x1 // /* */ {{end}} {{if}}""")
_HCL = _pieces("""$${ %%{ { ~} ${~ 1 12 x y-z true if endif else for : - . # [ ] ( ) " ! @ * , + = / 1.5 ? x[@] {{ ${x}
    ${1} ${12 ${x: ${#x} ${!x %{if %{x} <<E ${y:-z} && || e\u0301 \u212b""")
_SYSTEMD = (
    *_pieces(r"""${LANG} ${x} $x %n %% $$ \n \x41 \101 \u00e9 a=b # } " \x00 \u0000 \400 \ud800 \U0001f600 \U00110000
    \u00 \0 \s \q \; $LANG"""),
    b"' ; '", b"\\\n", b"' ", b" '", b"\r", b"\t", b" ; ", b" $", b"' '", b"\n ", b"\n#", b"\r\n",
)  # fmt: skip
_SPECIFIERS = tuple(b"a%" + bytes([byte]) + b"b" for byte in range(ord("!"), 0x7F))

RECORDED: Mapping[str, Recorded] = {
    "ansible-shell-model": Recorded(ansible.shell, (*_pieces("' \" \\ ="), b" ", b"\n"), _ANSIBLE),
    "compose-model": Recorded(compose.compose, _pieces("$ { } ( a 1"), _COMPOSE, ((b"${a:-", b"}"), (b"${", b"}"))),
    "crontab-model": Recorded(
        cron.cronie,
        (b"%", b"\\", b"\n", b"\\%", b"#", b" "),
        _CRON_PIECES,
        more=_CRON,
        refused=32,
        unavailable=cron.unavailable,
    ),
    "crontab-debian-model": Recorded(
        cron.debian,
        (b"%", b"\\", b"\n", b"\\%", b"#", b" "),
        _CRON_PIECES,
        more=_CRON,
        refused=34,
        unavailable=cron.unavailable,
    ),
    "go-template-model": Recorded(
        libraries.go_template, _pieces("{{ }} - { }"), _GO, ((b"{{", b"}}"), (b"{{- ", b" -}}")), refused=23
    ),
    "kubernetes-model": Recorded(libraries.kubernetes, _pieces("$ ( ) NAME { }"), _pieces("$(NAME) $( PORT é")),
    "package-script-model": Recorded(pnpm.package_script, _pieces('$ ` " \\ ! \x7f % \u200b')),
    "rust-shlex-model": Recorded(libraries.rust_shlex, (*_pieces("{ } , ~ # ! ^ -"), b"\xc2\xa0")),
    "systemd-model": Recorded(
        systemd.systemd,
        (*_pieces("' \\ % $ { ;"), b"\n"),
        _SYSTEMD,
        more=_SPECIFIERS,
        refused=141,
        unavailable=systemd.unavailable,
    ),
    "terraform-model": Recorded(
        libraries.terraform,
        _pieces("${ %{ } $ % ~"),
        _HCL,
        ((b"${", b"}"), (b"%{", b"}"), (b"${~ ", b" ~}")),
        refused=17,
    ),
}
