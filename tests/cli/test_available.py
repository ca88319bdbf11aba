"""Transports that this machine can't have: an error where they are named, a note among all, and no reply's failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from qfuzz.cli.doctor import Finding, examine
from qfuzz.cli.options import open_pool
from qfuzz.cli.stacks import without_failed
from qfuzz.engine.here import require_here
from qfuzz.engine.machinery import machinery
from qfuzz.jail import id_mapped
from qfuzz.jail.pool import Pool
from qfuzz.model.errors import HostError, QfuzzError
from qfuzz.model.extras import EXTRAS
from qfuzz.transports import available, ssh
from qfuzz.transports.base import NodePackage
from qfuzz.transports.loader import load, resolve
from tests.cli.inside import Inside
from tests.cli.replies import write_replies


@pytest.fixture
def without_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(available, "SEARCH_PATH", "/nowhere")


@pytest.fixture
def without_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setattr("qfuzz.model.extras.find_spec", lambda _: None)


@pytest.mark.usefixtures("without_programs")
@pytest.mark.parametrize("stack", ["zsh", "nested > zsh", "zsh > nested"])
def test_a_named_transport_that_is_missing_is_an_error(inside: Inside, stack: str) -> None:
    replies = write_replies(Path("replies.jsonl"))
    said = inside.refuses("diff", replies, "--transport", stack)
    assert said == "zsh is not available here, because zsh is not in /nowhere:/usr/sbin; sudo apt-get install zsh"


@pytest.mark.usefixtures("without_programs")
def test_of_all_transports_what_is_missing_is_left_out_with_a_note(
    inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise HostError("stopped here")

    monkeypatch.setattr("qfuzz.cli.diff.open_pool", stop)
    replies = Path("replies.jsonl")
    replies.write_text('{"reply": "echo hi"}\n')
    said = inside.call("diff", replies, "--transport", "all")
    *notes, last = said.err.splitlines()
    assert last == "qfuzz: stopped here"
    # Libraries are left out in the same way, where a developer does without one.
    missing = [name for name, each in load().boundaries.items() if each.programs or available.missing(each)]
    assert len(missing) > 5
    assert [note.split()[2] for note in notes] == missing
    assert all("is not available here, because" in note for note in notes)


@pytest.mark.usefixtures("without_programs")
def test_show_says_what_is_missing(inside: Inside) -> None:
    said = inside.call("transports", "show", "fish")
    assert said.status == 0
    assert said.out.endswith(
        "fish is not available here, because fish is not in /nowhere:/usr/sbin; sudo apt-get install fish\n"
    )


@pytest.mark.usefixtures("without_programs")
def test_doctor_has_one_command_that_gets_the_rest() -> None:
    (found,) = (finding for finding in examine() if finding.name == "transports")
    assert found.ok
    assert found.remedy.startswith("sudo apt-get install bsdutils busybox ")


@pytest.mark.usefixtures("without_libraries")
def test_a_missing_library_has_its_extra() -> None:
    for name, boundary in load().boundaries.items():
        found = available.missing_of(resolve(name))
        if boundary.modules:
            assert found is not None
            bashlex = "bashlex" in boundary.modules
            assert found.remedy == ("pip install bashlex" if bashlex else "pip install 'qfuzz[boundaries]'")


@pytest.mark.usefixtures("without_libraries")
def test_doctor_names_the_same_commands_as_diff_does() -> None:
    findings = list(examine())
    (found,) = (finding for finding in findings if finding.name == "transports")
    *absent, extras = (finding for finding in findings if finding.name == "extras")
    assert [finding.detail.split()[0] for finding in absent] == list(EXTRAS)
    assert extras == Finding("extras", True, "here: none", f"pip install 'qfuzz[{','.join(EXTRAS)}]'")
    lacking = [each for each in map(available.missing, load().boundaries.values()) if each is not None]
    commands = found.remedy.split(" && ")
    assert {"pip install bashlex", "pip install 'qfuzz[boundaries]'"} <= set(commands)
    assert {each.remedy for each in lacking if not each.packages} == {
        command for command in commands if not command.startswith("sudo apt-get ")
    }


def test_doctor_has_a_version_of_every_program_and_library_of_a_boundary() -> None:
    found = {finding.name: finding for finding in examine()}
    spoken_for = {"sshd": "ssh", "yaml": "PyYAML", "jinja2": "Jinja2", "markupsafe": "MarkupSafe"}
    for name, boundary in load().boundaries.items():
        if available.missing(boundary):
            assert found[name].label == "absent", name
            continue
        for program in (
            *boundary.programs,
            *boundary.tools,
            *boundary.modules,
            *(each.name for each in boundary.node_packages),
        ):
            finding = found[spoken_for.get(program, program)]
            assert finding.label == "ok", program
            assert any(map(str.isdigit, finding.detail)), finding


def test_a_package_that_does_not_say_its_version_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    package = NodePackage("p", ("index.js",), "p")
    assert available.version_of(package) is None
    folder = tmp_path / "node" / "node_modules" / "p"
    folder.mkdir(parents=True)
    for text, version in (('{"version": "1.2"}', "1.2"), ('{"version": 1}', None), ("[]", None), ("{", None)):
        (folder / "package.json").write_text(text)
        assert available.version_of(package) == version


def test_a_program_of_a_package_has_the_extra_and_is_named_with_its_package(
    inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(available, "find_tool", lambda _: None)
    monkeypatch.setattr("qfuzz.jail.bubblewrap.shown_tools", lambda: iter(()))
    said = inside.refuses("diff", write_replies(Path("replies.jsonl")), "--transport", "taskfile")
    what = "task of the package go-task-bin is not installed"
    assert said == f"taskfile is not available here, because {what}; pip install 'qfuzz[boundaries]'"
    found = list(examine())
    assert "task" not in {finding.name for finding in found}
    (without,) = (finding for finding in found if finding.name == "taskfile")
    assert (without.ok, without.detail) == (True, f"not available here, because {what}")


def test_doctor_says_which_task_there_is() -> None:
    if available.missing_of(resolve("taskfile")):
        pytest.skip("task is not here")
    (found,) = (finding for finding in examine() if finding.name == "task")
    assert found.ok
    assert found.detail.startswith("3.")


def test_every_program_of_a_boundary_has_a_package_that_setup_installs(checkout: Path) -> None:
    lines = (checkout / "scripts" / "debian-packages.txt").read_text().splitlines()
    installed = {line.split()[0] for line in lines if not line.startswith("#")} | {"python3"}
    for boundary in load().boundaries.values():
        for program in boundary.programs:
            assert available.PACKAGES[program] in installed, (boundary.name, program)


def in_a_jail(inside: Inside, monkeypatch: pytest.MonkeyPatch, stack: str) -> str:
    """What diff says of a stack that fails in the jail only."""
    monkeypatch.setattr("qfuzz.cli.diff.open_pool", open_pool)
    path = Path("free.jsonl")
    path.write_text('{"reply": "echo hi"}\n')
    said = inside.call("diff", path, "--transport", stack)
    assert (said.status, said.out) == (2, "")
    return said.err.removeprefix("qfuzz: ").removesuffix("\n")


@pytest.fixture
def broken_sshd(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if available.missing_of(resolve("ssh-argv")):
        pytest.skip("ssh is not here")
    monkeypatch.setattr(ssh, "_SSHD_CONFIG", "NoSuchKeyword yes\n")
    ssh._side_files.cache_clear()
    yield
    ssh._side_files.cache_clear()


@pytest.mark.usefixtures("broken_sshd")
def test_a_server_that_does_not_start_is_charged_to_no_reply(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    begins = "ssh-argv is not available here, because it does not run even `true` (status 255, saying: "
    for stack in ("ssh-argv", "nested > ssh-argv"):
        said = in_a_jail(inside, monkeypatch, stack)
        assert said.startswith(begins)
        assert said.endswith("); sudo apt-get install --reinstall openssh-client openssh-server")
    failed: dict[str, QfuzzError] = {}
    stacks = (resolve("ssh-argv"), resolve("nested"), resolve("ssh-pasted"))
    with Pool(1) as pool:
        machinery(pool, 10.0, stacks, failed)
    notes = StringIO()
    with redirect_stderr(notes):
        assert [each.name for each in without_failed(stacks, failed, ["all"])] == ["nested"]
    assert notes.getvalue().startswith(f"left out: {begins}")
    found = {finding.name: finding for finding in examine()}
    assert (found["ssh-argv"].ok, found["ssh-argv"].absent) == (True, True)
    assert found["ssh-argv"].detail.startswith("not available here, because it does not run even `true`")
    assert found["ssh-argv"].remedy == "sudo apt-get install --reinstall openssh-client openssh-server"
    assert found["ssh-pasted"].remedy == ""


def test_a_plugin_of_sudo_that_is_broken_is_charged_to_no_reply(
    inside: Inside, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    try:
        require_here(resolve("sudo-bash"), "bwrap")
    except HostError as error:
        pytest.skip(str(error))
    (tmp_path / "sudoers.so").touch()
    monkeypatch.setattr(id_mapped, "_PLUGINS", (tmp_path,))
    said = in_a_jail(inside, monkeypatch, "sudo-bash")
    assert said.startswith("sudo-bash is not available here, because it does not run even `true` (status 1, saying: ")


def test_doctor_says_of_users_what_diff_says(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: int) -> None:
        raise HostError("there are no users", hint="get some")

    monkeypatch.setattr("qfuzz.engine.here.unused_ids", none)
    said = inside.refuses("diff", write_replies(Path("replies.jsonl")), "--transport", "sudo-bash")
    assert said == "sudo-bash is not available here, because there are no users; get some"
    found = {finding.name: finding for finding in examine()}
    for name in ("su-command", "sudo-bash", "sudo-login"):
        assert (found[name].label, found[name].detail) == ("absent", "not available here, because there are no users")
    assert [found[name].remedy for name in ("su-command", "sudo-bash", "sudo-login")] == ["get some", "", ""]
