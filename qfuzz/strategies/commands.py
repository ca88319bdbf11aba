"""The commands of free programs, one function each."""

from __future__ import annotations

from qfuzz.bash import quote
from qfuzz.strategies.code import Code
from qfuzz.strategies.texts import body, line, some
from qfuzz.strategies.writer import EXPRESSIONS, Commands, Writer

FILTERS: tuple[bytes, ...] = (
    *(b"cat", b"tr a b", b"sort", b"wc -c", b"sed 's/a/\"b\"/g'", b"head -n 1", b"grep -c a", b"cut -c 1-3"),
    *(b"tr ' ' '\\n'", b'sed "s/a/$v/"', b"awk '{ print $1 }'", b"sed -n '$p'", b"uniq", b"tac", b"wc -l | tr -d ' '"),
)
PATTERNS = (b"a*", b"*", b"[ab]*", b"?", b"'a b'", b'"$v"*', b"a\\ b")
REGULAR = (b"^a", b"a|b", b"^(a|b)+$", b"[[:space:]]", b"'a.b'", b"$v")
BRACES = (b"{a,b}", b"{1..3}", b"a{0,b}c", b"{a,'b c'}", b"{01..03}")


def _plain(_: Writer, __: int) -> Code:
    # Without a further choice, so that nothing is plainer.
    return Code(b"echo a")


def _echo(of: Writer, depth: int) -> Code:
    return Code(b"echo " + of.words(depth))


def _printf(of: Writer, depth: int) -> Code:
    form = of.choices.pick((b"'%s\\n'", b'"<%s>\\n"', b"%s", b"%q'\\n'", b"'%b\\n'", b"'%5s|%-5s|\\n'"))
    return Code(b"printf " + form + b" " + of.words(depth))


def _assignment(of: Writer, depth: int) -> Code:
    name = of.variable()
    shown = of.choices.pick((b'"$%s"', b"$%s", b'"${%s}"', b'"a${%s}b"')) % name
    return Code(name + b"=" + of.word(depth) + of.choices.pick((b"; ", b"\n")) + b"echo " + shown)


def _array(of: Writer, depth: int) -> Code:
    if of.substituted:
        return _printf(of, depth)
    name = of.fresh(b"a")
    values = some(of.choices, lambda: of.word(depth), 1, 3)
    joint = of.choices.pick((b" ", b"\n"))
    made = name + b"=(" + joint.join(values) + b")"
    if of.choices.integer(0, 3) == 3:
        made = b"{ declare -A %s=([k]=%s ['a b']=%s)" % (name, values[0], values[-1])
        return Code(made + b'; echo "${%s[k]}" "${%s[\'a b\']}"; }' % (name, name))
    use = of.choices.pick((b"${%s[@]}", b"${#%s[@]}", b"${%s[0]}", b"${%s[*]}", b"${%s[@]:1}", b"${!%s[@]}")) % name
    return Code(made + b"; printf '<%s>\\n' \"" + use + b'"')


def _here_string(of: Writer, depth: int) -> Code:
    return Code(of.choices.pick((b"cat", b"tr a b", b"wc -c")) + b" <<< " + of.word(depth))


def _heredoc(of: Writer, depth: int) -> Code:
    if of.substituted:
        return _here_string(of, depth)
    text = body(of.choices)
    name = quote.heredoc_delimiter(text)
    spelled = of.choices.pick((b"'%s'", b'"%s"', b"\\%s")) % name
    return Code(_reader(of, spelled), text + name + b"\n")


_HEREDOC_PIECES = (
    *(b"a", b"b ", b"'", b'"', b"\\$", b"\\\\", b"\\`", b"$v", b"${v:-'a'}", b"$((1+2))", b"$(echo a)", b"`echo a`"),
    *(b"#", b" * ", b";", b"(a)", b"\\a", b"$ ", b"$'a'", b"\t", b"&", b"!", b"\\\n", b"\n"),
)


def _heredoc_open(of: Writer, depth: int) -> Code:
    if of.substituted:
        return _here_string(of, depth)
    text = b"".join(some(of.choices, lambda: of.choices.pick(_HEREDOC_PIECES), 1, 8)) + b"\n"
    return Code(_reader(of, b"E"), text + b"E\n")


def _heredoc_tabs(of: Writer, depth: int) -> Code:
    if of.substituted:
        return _here_string(of, depth)
    text = b"".join(b"\t" + each + b"\n" for each in some(of.choices, lambda: line(of.choices), 1, 3))
    name = quote.heredoc_delimiter(text.replace(b"\t", b""))
    return Code(_reader(of, b"-'%s'" % name), text + b"\t" + name + b"\n")


def _reader(of: Writer, delimiter: bytes) -> bytes:
    use = of.choices.integer(0, 5)
    if use == 4:
        of.constructs.add("pipe")
        return b"cat <<" + delimiter + b" | " + of.choices.pick(FILTERS)
    if use == 5:
        of.constructs.add("read-loop")
        return b"while IFS= read -r v; do printf '<%s>\\n' \"$v\"; done <<" + delimiter
    return b"cat <<" + delimiter


def _pipe(of: Writer, depth: int) -> Code:
    first = of.command(depth - 1)
    text = first.text if first.pending else b"{ " + first.text + b"; }"
    pipe = of.choices.pick((b" | ", b" |\n")) if not first.pending else b" | "
    return Code(text + pipe + of.choices.pick(FILTERS), first.pending)


def _list(of: Writer, depth: int) -> Code:
    first, second = of.command(depth - 1), of.command(depth - 1)
    return first.then(of.choices.pick((b" && ", b" || ")), second)


def _negation(of: Writer, depth: int) -> Code:
    return Code(b"! " + _echo(of, depth).text)


def _for(of: Writer, depth: int) -> Code:
    name = of.variable()
    head = b"for " + name + b" in " + of.words(depth - 1) + of.choices.pick((b"; ", b"\n"))
    show = Code(b'echo "$' + name + b'"').then(b"; ", of.block(depth - 1))
    return Code(head + show.between(b"do", b"done", lines=of.lines()))


def _for_arithmetic(of: Writer, depth: int) -> Code:
    name = of.fresh(b"i")
    head = b"for ((%s=0; %s<%d; %s++)); " % (name, name, of.choices.integer(1, 3), name)
    return Code(head + of.block(depth - 1).between(b"do", b"done", lines=of.lines()))


def _while(of: Writer, depth: int) -> Code:
    """A loop that ends as well where a path takes its dollars away, or is no Bash: then its test fails before its step.

    A loop without end would hold up who looks for what a path breaks.
    """
    name = of.fresh(b"n")
    bound = of.choices.integer(1, 3)
    if of.substituted or of.choices.integer(0, 2) < 2:
        test = of.choices.pick((b"while [ $%s -lt %d ]; ", b'until ! [ "$%s" -lt %d ]; ', b"while [[ $%s -lt %d ]]; "))
        step = b"%s=$((%s + 1))" % (name, name)
    else:
        test = b"while ((%s < %d)); "
        step = of.choices.pick((b"((%s++, %s))" % (name, name), b"let %s+=1" % name))
    inner = Code(step).then(b"; ", of.block(depth - 1))
    return Code(name + b"=0; " + test % (name, bound) + inner.between(b"do", b"done", lines=of.lines()))


def _read_loop(of: Writer, depth: int) -> Code:
    source = b" <<< " + of.word(depth - 1)
    if of.choices.integer(0, 1):
        source = b" < " + of.process_substitution(depth)
    return Code(b"while IFS= read -r v; do printf '[%s]\\n' \"$v\"; done" + source)


def _if(of: Writer, depth: int) -> Code:
    head = b"if " + _condition(of, depth - 1)
    text = head + b"; " + of.block(depth - 1).between(b"then", b"", lines=True)
    if of.choices.integer(0, 1):
        text += of.block(depth - 1).between(b"else", b"", lines=True)
    return Code(text + b"fi")


def _condition(of: Writer, depth: int) -> bytes:
    kind = of.choices.integer(0, 4)
    if kind == 0:
        return b'[ "$v" = ' + of.word(depth) + b" ]"
    if kind == 1:
        of.constructs.add("arithmetic")
        forms = (b"[ $((%s)) -gt 1 ]", *_unless(of, b"((%s))", b'let "%s"'))
        return of.choices.pick(forms) % of.choices.pick(EXPRESSIONS)
    of.constructs.add("test")
    if kind == 2:
        return b"[[ " + of.word(depth) + of.choices.pick((b" == ", b" != ", b" < ")) + of.word(depth) + b" ]]"
    if kind == 3:
        return b'[[ "$v" =~ ' + of.choices.pick(REGULAR) + b" && -n " + of.word(depth) + b" ]]"
    return b"[[ ! ( " + of.word(depth) + b" == " + of.choices.pick(PATTERNS) + b" || -z $v ) ]]"


def _test(of: Writer, depth: int) -> Code:
    return Code(_condition(of, depth) + b" && echo a || echo b")


def _case(of: Writer, depth: int) -> Code:
    pattern = of.choices.pick((*PATTERNS, of.word(-1)))
    first = of.block(depth - 1).between(b"case " + of.word(depth - 1) + b" in\n" + pattern + b")", b";;\n", lines=True)
    last = of.choices.pick((b"(*) echo b;; esac", b"*) echo 'c';;\nesac", b"a|b) ;; esac"))
    return Code(first + last)


def _function(of: Writer, depth: int) -> Code:
    name = of.fresh(b"f")
    opening = of.choices.pick((b"%s() {", b"function %s {", b"%s()\n{")) % name
    inner = Code(of.choices.pick((b'echo "$1"', b'echo "$#" "$@"', b'local v="$1"; echo "$v"', b":")))
    text = inner.then(b"; ", of.block(depth - 1)).between(opening, b"}", lines=of.lines())
    return Code(text + b"\n" + name + b" " + of.words(depth - 1))


def _subshell(of: Writer, depth: int) -> Code:
    return Code(of.block(depth - 1).between(b"(", b")", lines=of.lines()))


def _group(of: Writer, depth: int) -> Code:
    return Code(of.block(depth - 1).between(b"{", b"}", lines=of.lines()))


def _unless(of: Writer, *forms: bytes) -> tuple[bytes, ...]:
    """Forms with `((` and `let`, where they can be written."""
    return () if of.substituted else forms


def _arithmetic(of: Writer, _: int) -> Code:
    more = _unless(of, b"((v = %s)); echo $v", b'let "v = %s"; echo "$v"')
    form = of.choices.pick((b"echo $((%s))", b"echo $[%s]", *more))
    expression = of.choices.pick(tuple(each for each in EXPRESSIONS if b"," not in each))
    return Code(form % expression)


def _file(of: Writer, depth: int) -> Code:
    if of.beside:
        return _echo(of, depth)
    name = of.file()
    first = of.command(depth - 1)
    write = of.choices.pick((b" > ", b" >| ", b" 1>", b" >> "))
    return Code(first.between(b"{", b"}", lines=of.lines()) + write + name + b"; cat < " + name)


def _redirection(of: Writer, depth: int) -> Code:
    to = of.choices.pick((b" 2>&1", b" 2>/dev/null", b" >&1", b" 3>&1 >&3", b" >/dev/null"))
    return Code(_echo(of, depth).text + to)


def _process_substitution(of: Writer, depth: int) -> Code:
    if of.choices.integer(0, 2) == 2:
        return Code(b"paste -d '|' " + of.process_substitution(depth) + b" " + of.process_substitution(depth))
    return Code(b"cat " + of.process_substitution(depth))


def _command_substitution(of: Writer, depth: int) -> Code:
    return Code(b"echo " + of.substitution(depth))


def _backquotes(of: Writer, depth: int) -> Code:
    """What backquotes take away is put before each dollar, backquote and backslash of the command in them."""
    text = of.raw(depth - 1)
    for byte in (b"\\", b"$", b"`"):
        text = text.replace(byte, b"\\" + byte)
    return Code(b"v=`" + text + b'`; echo "$v"')


def _braces(of: Writer, _: int) -> Code:
    return Code(b"echo " + of.choices.pick(BRACES))


def _eval(of: Writer, depth: int) -> Code:
    return Code(b"eval " + of.quoted(of.raw(depth - 2)))


def _inner_shell(of: Writer, depth: int) -> Code:
    return Code(b"bash -c " + of.quoted(of.raw(depth - 2)) + of.choices.pick((b"", b" bash " + of.word(-1))))


def _continuation(of: Writer, depth: int) -> Code:
    return Code(b"echo \\\n" + of.word(depth) + b" \\\n  " + of.word(depth))


def _background(of: Writer, depth: int) -> Code:
    if of.beside:
        return _echo(of, depth)
    return Code(b"{ " + _echo(of, depth).text + b"; } > ./bg & wait; cat ./bg")


SIMPLE: Commands = (
    ("echo", _plain),
    ("echo", _echo),
    ("printf", _printf),
    ("assignment", _assignment),
    ("here-string", _here_string),
    ("heredoc-quoted", _heredoc),
    ("heredoc", _heredoc_open),
    ("arithmetic", _arithmetic),
    ("array", _array),
    ("test", _test),
    ("brace-expansion", _braces),
)
COMMANDS: Commands = (
    *SIMPLE,
    ("heredoc-tabs", _heredoc_tabs),
    ("pipe", _pipe),
    ("list", _list),
    ("negation", _negation),
    ("for", _for),
    ("for-arithmetic", _for_arithmetic),
    ("while", _while),
    ("read-loop", _read_loop),
    ("if", _if),
    ("case", _case),
    ("function", _function),
    ("subshell", _subshell),
    ("group", _group),
    ("file", _file),
    ("redirection", _redirection),
    ("process-substitution", _process_substitution),
    ("command-substitution", _command_substitution),
    ("backquotes", _backquotes),
    ("eval", _eval),
    ("inner-shell", _inner_shell),
    ("continuation", _continuation),
    ("background", _background),
)
