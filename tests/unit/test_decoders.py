"""What decoders make of a text, by example; models are held to the documented rules of their programs."""

from __future__ import annotations

import pytest

from qfuzz.model.delivery import Launch, Refusal, Rejection
from qfuzz.transports.loader import load

REJECTED = None


def decoded(name: str, text: bytes) -> bytes | Refusal | Rejection:
    result = load().boundaries[name].embed(text)
    assert isinstance(result, bytes | Refusal | Rejection)
    return result


@pytest.mark.parametrize(
    ("name", "text", "result"),
    [
        ("yaml-plain", b"echo a #b", b"echo a"),
        ("yaml-plain", b"echo a#b", b"echo a#b"),
        ("yaml-plain", b"echo a: b", REJECTED),
        ("yaml-plain", b"echo a\n  echo b", b"echo a echo b"),
        ("yaml-plain", b"echo a\necho b", REJECTED),
        ("yaml-plain", b"echo a\nrun: echo b", b"echo b"),
        ("yaml-plain", b"true", b"true"),
        ("yaml-plain", b"*x", REJECTED),
        ("yaml-plain", b"[ -f x ] && y", REJECTED),
        ("yaml-plain", b"! true", b"true"),
        ("yaml-single", b"it''s", b"it's"),
        ("yaml-single", b"it's", REJECTED),
        ("yaml-single", b"a\n\nb", b"a\nb"),
        ("yaml-double", rb"a\tb \x41 \u00e9", "a\tb A é".encode()),
        ("yaml-double", rb"grep '\.'", REJECTED),
        ("yaml-literal", b"a\n  b\n\n", b"a\n  b\n"),
        ("yaml-literal", b"a\rb", REJECTED),
        ("yaml-folded", b"a\nb\n  c\nd", b"a b\n  c\nd\n"),
        ("xml-naive", b"a &lt; b &amp;&amp; c", b"a < b && c"),
        ("xml-naive", b"a <b/> c", b"a "),
        ("xml-naive", b"a\r\nb", b"a\nb"),
        ("xml-naive", b"cat <<EOF", REJECTED),
        ("xml", b"a\r\n<&>]]>", b"a\r\n<&>]]>"),
        ("entities-left", b"a && b > c", b"a &amp;&amp; b &gt; c"),
        ("entities-decoded", b"&lt;&amp;lt;&#39;&notanentity &copy", "<&lt;'¬anentity ©".encode()),
        ("crlf", b"a\nb", b"a\r\nb"),
        ("stripped", b" \n a \t\n", b"a"),
        ("lines-stripped", b" a \n\tb", b"a\nb"),
        ("newlines-collapsed", b"a\nb", b"a b"),
        ("backslash-lost", b"\\\\\\ \\n", b"\\\\ \\n"),
        ("markdown-fence", b"a\n```\nb", b"a"),
        ("markdown-fence", b"a\n\n", b"a\n\n"),
        ("tool-tags", b"a</command>b", b"a"),
        ("percent-format", b"date +%%Y", b"date +%Y"),
        ("percent-format", b"date +%Y", REJECTED),
        ("str-format", b"a {{x}}", b"a {x}"),
        ("str-format", b"${x}", REJECTED),
        ("string-template", b"a $$x", b"a $x"),
        ("string-template", b"a $(x)", REJECTED),
        ("jinja2", b"a {# b #} {{ c }} ${x}\n", b"a   ${x}"),
        ("jinja2", b"{% raw %}{{ x }}{% endraw %}", b"{{ x }}"),
        ("jinja2", b"${#x[@]}", REJECTED),
        ("jinja2", b"{{ a.b }}", REJECTED),
        ("jinja2", b"a\r\nb", b"a\nb"),
        ("go-template-model", b"a {{/* b */}} {{.C}} ${x}", b"a  <no value> ${x}"),
        ("go-template-model", b"a \n {{- `x{{` -}} \n b", b"ax{{b"),
        ("go-template-model", b'{{ "}}" }}', b"}}"),
        ("go-template-model", b"{{a}}", REJECTED),
        ("go-template-model", b"{{a", REJECTED),
        ("go-template-model", b"{{.A.B}}", b"<no value>"),
        ("go-template-model", b"a{{- /* b */ -}} c{{/*/*/}}", b"ac"),
        ("go-template-model", b"{{}}", REJECTED),
        ("compose-model", b"$$x $y ${z} ${a:-b $c d} ${e:+f} ${g-h}", b"$x   b  d  h"),
        ("compose-model", b"${a:-${b:-c}}", b"c"),
        ("compose-model", b"$(x) $1 a$", b"$(x) $1 a$"),
        ("compose-model", b"${a:-{b}} ${a:-{}} c}", b"{b} {}} c"),
        ("compose-model", b"${!a}", REJECTED),
        ("compose-model", b"${a[@]}", REJECTED),
        ("compose-model", b"${a:+${}", REJECTED),
        ("compose-model", b"${a", REJECTED),
        ("compose-model", b"${a:?b}", REJECTED),
        ("compose-model", b"${a%b}", REJECTED),
        ("kubernetes-model", b"$x $(y) $(NAME) $$(NAME) $$ ${NAME} $( $", b"$x $(y) web $(NAME) $ ${NAME} $( $"),
        ("kubernetes-model", "$é".encode(), b"$\xc3\x83\xa9"),
        ("terraform-model", b"e\xcc\x81", "é".encode()),
        ("terraform-model", b"$x $(y) $${z} %%{z} $$ %% $$${x}", b"$x $(y) ${z} %{z} $$ %% $${x}"),
        ("terraform-model", b"${1} ${10}x", b"1 10x"),
        ("terraform-model", b"${" + b"7" * 5000 + b"} ${00} ${012}", b"7" * 5000 + b" 0 12"),
        ("entities-decoded", b"&#" + b"7" * 5000 + b";", REJECTED),
        ("yaml-double", b"\\UFFFFFFFF", REJECTED),
        ("yaml-plain", b'"\\UFFFFFFFF"', REJECTED),
        ("github-run", b'"\\UFFFFFFFF"', REJECTED),
        ("terraform-model", b"${x}", REJECTED),
        ("terraform-model", b"${x:-y}", REJECTED),
        ("terraform-model", b"${#x[@]}", REJECTED),
        ("terraform-model", b"${1:-x}", REJECTED),
        ("terraform-model", b"%{http_code}", REJECTED),
        ("shlex-join", b"a  'b c' > d # e", b"a 'b c' '>' d '#' e"),
        ("shlex-join", b"a 'b", REJECTED),
    ],
)
def test_decoded(name: str, text: bytes, result: bytes | None) -> None:
    found = decoded(name, text)
    if result is REJECTED:
        assert isinstance(found, Rejection), found
    else:
        assert found == result


@pytest.mark.parametrize(
    ("name", "text", "offset"),
    [
        ("xml", "é\x01".encode(), 2),
        ("yaml-literal", b"ab\xff", 2),
        ("go-template-model", b"ab {{ len .X }}", 3),
        ("go-template-model", b"ab {{ if .X }}", 3),
        ("jinja2", b"a\nb {{ 1 + 1 }}", 2),
        ("str-format", b"abc\xff", 3),
        ("yaml-plain", b"x" * 131_072, 131_071),
        ("terraform-model", b"a ${true}", 2),
        ("terraform-model", b"a %{ if x }", 2),
        ("terraform-model", b'a ${"b"}', 2),
        ("shlex-join", b"a\xff", 1),
        ("crontab-model", b"a\n* * * * * b", 2),
        ("crontab-model", b"a\n@daily b", 2),
        ("crontab-debian-model", b"x" * 999, 998),
        ("systemd-model", b"a' ; b '", 3),
        ("systemd-model", b"a'\nUser=b", 2),
        ("compose-model", b"a" + b"${b:-" * 99 + b"}" * 99, 1),
        ("ansible-shell-model", b"a creates=b", 2),
        ("ansible-shell-model", b"a chdir=~b", 2),
        ("ansible-shell-model", rb"a =\ud800", 3),
    ],
)
def test_refused_at_its_place(name: str, text: bytes, offset: int) -> None:
    found = decoded(name, text)
    assert isinstance(found, Refusal)
    assert (found.boundary, found.offset) == (name, offset)


def started(name: str, text: bytes) -> tuple[tuple[bytes, ...], bytes | None] | Rejection:
    result = load().boundaries[name].embed(text)
    assert isinstance(result, Launch | Rejection)
    return result if isinstance(result, Rejection) else (result.argv, result.stdin)


@pytest.mark.parametrize(
    ("text", "command", "given"),
    [
        (b"date", b"date", None),
        (b"date +%Y > a%b", b"date +", b"Y > a\nb\n"),
        (b"date '+\\%Y'", b"date '+%Y'", None),
        (b"echo a\\\\%b", b"echo a\\\\", b"b\n"),
        (b"cat%a\\%b%c\n", b"cat", b"a%b\nc\n"),
        (b"cat%", b"cat", b""),
        (b"a\n# b\n\nX=y\nb-c = d", b"a", None),
        (b"-n a", b"a", None),
        (b"cat%a%\\", b"cat", b"a\n\\"),
    ],
)
def test_a_line_of_a_crontab(text: bytes, command: bytes, given: bytes | None) -> None:
    assert started("crontab-model", text) == ((b"sh", b"-c", command), given)


@pytest.mark.parametrize(
    ("text", "command", "given"),
    [
        (b"a \\\\ '\\\\\\\\' \\n \\%", b"a \\ '\\\\' \\n %", None),
        (b"a\\\\%b\\\\", b"a\\", b"b\\\\\n"),
        (b"-n a", b"-n a", None),
        (b"", b"", None),
    ],
)
def test_a_line_of_a_crontab_of_debian(text: bytes, command: bytes, given: bytes | None) -> None:
    assert started("crontab-debian-model", text) == ((b"sh", b"-c", command), given)


@pytest.mark.parametrize("text", [b"a\nb", b"", b"\n", b"cat <<E\nx\nE", b"*x", b"-x", b"a\nX='"])
def test_what_is_no_line_of_a_crontab(text: bytes) -> None:
    assert isinstance(started("crontab-model", text), Rejection)


@pytest.mark.parametrize(
    ("text", "command", "given"),
    [
        (b"a  b\n c\n  d\n", b"a  b\nc\n  d\n", None),
        (b"a chdir=/tmp  b", b"a b", None),
        (b"a stdin='b c'", b"a", b"b c\n"),
        (b"a \\ b \\\n c", b"a b c", None),
        (rb"a b\=\x41 \x41", rb"a b=A \x41", None),
        (b"'a ' \"b=c\"", b"'a ' \"b=c\"", None),
    ],
)
def test_free_form_arguments_of_ansible(text: bytes, command: bytes, given: bytes | None) -> None:
    result = load().boundaries["ansible-shell-model"].embed(text)
    assert isinstance(result, Launch)
    assert (result.program, result.stdin) == (command, given)


@pytest.mark.parametrize("text", [b"it's", b"", b"chdir=/tmp", b"a warn=no", rb"a \N{b}", rb"a =\x00", b"a {{"])
def test_what_ansible_stops_at(text: bytes) -> None:
    assert isinstance(started("ansible-shell-model", text), Rejection)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (b"a b", [b"a b"]),
        (b"a%%b %s %- %n", [b"a%b /bin/bash %- run.service"]),
        (b"a ${x#y} ${}", [b"a  "]),
        (b"$x' $LANG '$$", [b"C.UTF-8", b"$"]),
        (rb"\u00e9\x00\400\ ", [b"\xc3\xa9\\x00\\400\\ "]),
        (b"a\\\n# b\nc", [b"a c"]),
        (b"a'\nb='c", [b"a"]),
        (b"a' \\; b '", [b"a", b";", b"b", b""]),
        (b"a $x $$ ${x} ${LANG} $(y)", [b"a $x $  C.UTF-8 $(y)"]),
        (rb"a\tb \x41 \101 \q \'c\'", [b"a\tb A A \\q 'c'"]),
        (b"it's a \"b c\" 'd", [b"its", b"a", b"b c", b"d"]),
        (b"a\\\nb", [b"a b"]),
        (rb"a' \x3b 'b", [b"a", b";", b"b"]),
    ],
)
def test_a_command_line_of_systemd(text: bytes, arguments: list[bytes]) -> None:
    assert started("systemd-model", text) == ((b"bash", b"-c", *arguments), None)


@pytest.mark.parametrize("text", [b"a\nb", b"it's", b"a\n", b"x\\", b"a%Z", b"a\\\\\nb"])
def test_what_is_no_command_line_of_systemd(text: bytes) -> None:
    assert isinstance(started("systemd-model", text), Rejection)
