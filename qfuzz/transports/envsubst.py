"""envsubst of GNU gettext: every `$NAME` of a script is replaced before a shell sees it."""

from __future__ import annotations

from qfuzz.bash.quote import one_line
from qfuzz.model.delivery import Launch, Refusal, SideFile
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_nul
from qfuzz.transports.script_file import script_path


class Envsubst(Boundary):
    """`bash -c "$(envsubst < FILE)"`: Dockerfiles, Kubernetes manifests and deploy scripts that are templates of
    environment variables. `$NAME` and `${NAME}` are replaced by the environment's value or by nothing, in every
    kind of quotes; other dollars stay, and there is no way to escape one. Newlines at the end are lost. It owns
    the dollar before a name, and can't carry a NUL. Source: envsubst(1) of GNU gettext; it runs."""

    name = "envsubst"
    summary = 'bash -c "$(envsubst < FILE)" with the reply in the file'
    owns = "$NAME and ${NAME}; newlines at the end"
    cannot_carry = "NUL"
    witness = b"x=1; echo $x"
    faithful = False
    starts_shell = True
    shells = 2
    tool = True
    programs = ("envsubst",)
    _SCRIPT = b'exec bash -c "$(exec envsubst < "$1")"'

    def embed(self, text: bytes) -> Launch | Refusal:
        refusal = refuse_nul(self.name, text)
        path = script_path(text, b".tmpl")
        words = (b"bash", b"-c", self._SCRIPT, b"bash", path)
        return refusal or Launch(b"/bin/bash", words, self._SCRIPT, files=(SideFile(path, text),))

    def armor(self, program: bytes) -> bytes:
        return one_line(program, b"$")

    def disclosure(self) -> str:
        return (
            "In R every $NAME and ${NAME} is replaced by envsubst from the environment, and bash runs what comes out."
        )


BOUNDARIES: tuple[Boundary, ...] = (Envsubst(),)
