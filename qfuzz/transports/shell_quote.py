"""The npm package shell-quote, as agents written in JavaScript use it: parsed and glued, parsed and quoted, quoted
for eval.

The package's own files go with the launch, so that its version is part of what determines a result, and node reads
them in the jail: a parser of hostile text has no place on the host."""

from __future__ import annotations

import functools

from qfuzz.bash.quote import any_shell, one_line
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.available import folder_of, require_boundary
from qfuzz.transports.base import Boundary, NodePackage
from qfuzz.transports.limits import refuse_bytes, refuse_long
from qfuzz.transports.script_file import SCRIPT_DIRECTORY, script_path

_FILES = ("index.js", "parse.js", "quote.js", "package.json")
PACKAGE = NodePackage("shell-quote", _FILES, "shell-quote")
OLD_PACKAGE = NodePackage("shell-quote-1.7.2", ("index.js", "package.json"), "shell-quote-1.7.2@npm:shell-quote@1.7.2")
"""A version in wide use that quotes otherwise than the newest."""
_FOLDER = SCRIPT_DIRECTORY + b"node_modules/shell-quote/"
_RUN = """
const { spawnSync } = require('child_process');
const { constants } = require('os');
const { parse, quote } = require('/run/qfuzz/in/node_modules/shell-quote');
const R = require('fs').readFileSync(process.argv[2], 'utf8');
const done = spawnSync('bash', ['-c', (%s)(R)], { stdio: 'inherit' });
if (done.error) { console.error(String(done.error)); process.exit(126); }
process.exit(done.signal ? 128 + constants.signals[done.signal] : done.status);
"""


class _ShellQuote(Boundary):
    """What a function of JavaScript makes of the reply, run by bash."""

    cannot_carry = "NUL; bytes that are not UTF-8; more than 100,000 bytes"
    faithful = False
    starts_shell = True
    tool = True
    programs = ("node",)
    node_packages = (PACKAGE,)
    function = ""

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_bytes(self.name, text, "a string of JavaScript") or refuse_long(
            self.name, text, 100_000, "a command"
        )
        if refusal is not None:
            return refusal
        require_boundary(self)
        script = (_RUN % self.function).encode()
        reply = script_path(text, b".txt")
        files = [SideFile(script_path(script, b".js"), script), SideFile(reply, text)]
        files += [SideFile(_FOLDER + each.encode(), content) for each, content in _package(self.node_packages[0])]
        return Launch(b"/usr/bin/node", (b"node", files[0].path, reply), text, files=tuple(files))

    def armor(self, program: bytes) -> bytes:
        return any_shell(program)


class ShellQuoteGlued(_ShellQuote):
    """`parse(R)`, the words quoted and the operators put between them: how an agent's shell tool took a command
    with a pipe apart. Descriptors before a redirection become words, command substitution is no token, newlines
    are blanks, variables are replaced by nothing. It owns all syntax but quotes and single operators, and can't
    carry a NUL or bytes that are not UTF-8. Source: the readme of npm's shell-quote; the package runs."""

    name = "shell-quote-glued"
    summary = "npm shell-quote: parse(R), words quoted, operators between them"
    owns = "2>&1, $( ), variables, newlines, backticks, braces"
    witness = b"echo hi 2>&1 | cat"
    plain = b"touch out.txt && echo done"
    function = "R => parse(R).map(t => typeof t === 'string' ? quote([t]) : t.pattern || t.op || '').join(' ')"

    def disclosure(self) -> str:
        return (
            "R is parsed by npm's shell-quote, the words are quoted and joined with the operators, and bash runs "
            "what comes out."
        )


class ShellQuoteQuoted(_ShellQuote):
    """`quote(parse(R))`: the two functions of the package, one after the other, as their names suggest. Operators
    come back escaped, a glob as the word `glob`, and a comment throws (in 1.7.2, which runs here; the newest brings
    a glob through). It owns all syntax but quotes, and can't
    carry a NUL or bytes that are not UTF-8. Source: the readme of npm's shell-quote; the package runs."""

    name = "shell-quote-quoted"
    summary = "npm shell-quote: quote(parse(R)), run by bash"
    owns = "operators, globs, variables, comments, newlines"
    witness = b"echo *"
    plain = b"touch out.txt"
    node_packages = (OLD_PACKAGE,)
    function = "R => quote(parse(R))"

    def disclosure(self) -> str:
        return "R is parsed and quoted again by npm's shell-quote, and bash runs what comes out."


class ShellQuoteEval(_ShellQuote):
    """`eval ` and `quote([R])`: a whole command quoted as one word for a shell that is kept alive. Where the text
    holds an apostrophe the package writes double quotes and a backslash before each exclamation mark, which a
    shell that is not interactive keeps (in 1.7.2, which runs here, and till 1.8.3); without one it doubles
    backslashes. It owns the exclamation mark, and can't carry a NUL or bytes that are not UTF-8. Source: the
    readme of npm's shell-quote; the package runs."""

    name = "shell-quote-eval"
    summary = "npm shell-quote: eval and quote([R]), run by bash"
    owns = "exclamation mark beside an apostrophe, backslash without one"
    witness = b"printf '%s\\n' 'a != b'"
    adds_text = True
    arrival_note = "the shell that gets the text reads it twice"
    sees_arrival = False
    node_packages = (OLD_PACKAGE,)
    function = "R => 'eval ' + quote([R])"

    def armor(self, program: bytes) -> bytes:
        return one_line(program, b"!")

    def disclosure(self) -> str:
        return "R is quoted as one word by npm's shell-quote, and bash runs `eval` with that word."


@functools.cache
def _package(package: NodePackage) -> tuple[tuple[str, bytes], ...]:
    return tuple((name, (folder_of(package) / name).read_bytes()) for name in package.files)


BOUNDARIES: tuple[Boundary, ...] = (ShellQuoteGlued(), ShellQuoteQuoted(), ShellQuoteEval())
