"""Steps of CI systems: the reply in the YAML of GitHub and GitLab, and the shell options that these run it with."""

from __future__ import annotations

from qfuzz.bash.quote import one_line
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Launch, Refusal, Rejection, SideFile
from qfuzz.transports.afresh import afresh
from qfuzz.transports.base import Boundary
from qfuzz.transports.script_file import script_path
from qfuzz.transports.yaml_text import YamlPlain, refuse, scalar_at

_SCRIPT = "the script's name, the status of an error that ends the shell"


class _Step(Boundary):
    """A step that a YAML parser reads, and that is written to a file which a shell runs."""

    cannot_carry = "NUL; bytes that are not UTF-8; more than 131,071 bytes"
    faithful = False
    starts_shell = True
    exceptions = (Declared.NAME, Declared.ENDED)
    modules = ("yaml",)
    before = ""
    head = b""
    path: tuple[str | int, ...] = ()
    options: tuple[bytes, ...] = ()

    def embed(self, text: bytes) -> Launch | Refusal | Rejection:
        refusal = refuse(self.name, text)
        if refusal is not None:
            return refusal
        step = scalar_at(self.name, self.before + text.decode("utf-8") + "\n", self.path)
        if isinstance(step, Rejection):
            return step
        script = self.head + step
        path = script_path(script, b".sh")
        return Launch(b"/bin/bash", (b"bash", *self.options, path), step, files=(SideFile(path, script),))

    def armor(self, program: bytes) -> bytes:
        return one_line(afresh(program), b" #:\"'`%&*!|>@,[]{}?-")


class GithubRun(_Step):
    """`- run: R` in a GitHub workflow, in plain style: one line as people write it, with the rules of `yaml-plain`.
    The runner writes the step to a file and starts `bash -e FILE`, so that the first command that fails ends it.
    It owns what a plain scalar owns, and every failure; what a script file does not keep is not kept either; it can't
    carry a NUL or bytes that are not UTF-8.
    Source: GitHub's workflow syntax, jobs.<job_id>.steps[*].shell, the default on Linux; PyYAML stands in for
    the runner's parser."""

    name = "github-run"
    summary = "- run: R in a GitHub workflow, then bash -e FILE"
    owns = f"{YamlPlain.owns}; any command that fails; {_SCRIPT}"
    witness = b"false; echo x"
    before = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: "
    path = ("jobs", "test", "steps", 0, "run")
    options = (b"-e",)

    def disclosure(self) -> str:
        return (
            "R is pasted behind `- run: ` in a GitHub workflow; the runner parses the YAML and runs the step "
            "with `bash -e FILE`."
        )


class GitlabScript(_Step):
    """`- R` below `script:` in a GitLab pipeline, in plain style, with the rules of `yaml-plain`; a colon and a
    blank make the item a mapping, which GitLab refuses. The runner puts `set -eo pipefail` before the lines. It
    owns what a plain scalar owns, every failure and every failing part of a pipeline; what a script file does not keep
    is not kept either; it can't carry a NUL or bytes that are not UTF-8. Source: GitLab's CI/CD YAML reference,
    script; GitLab Runner, shells, bash; PyYAML stands in for GitLab's parser."""

    name = "gitlab-script"
    summary = "- R below script: in a GitLab pipeline, with set -eo pipefail"
    owns = f"{YamlPlain.owns}; any command that fails, in pipelines too; {_SCRIPT}"
    witness = b"false | true; echo $?"
    before = "test:\n  script:\n    - "
    path = ("test", "script", 0)
    head = b"set -eo pipefail\n"

    def disclosure(self) -> str:
        return (
            "R is pasted as an item `- R` below `script:` in a GitLab pipeline; GitLab parses the YAML, and the "
            "runner runs the "
            "item with bash under `set -eo pipefail`."
        )


BOUNDARIES: tuple[Boundary, ...] = (GithubRun(), GitlabScript())
