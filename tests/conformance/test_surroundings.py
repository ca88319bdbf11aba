"""What a reply finds around it is the same over boundaries that begin anew somewhere else: ssh, su, sudo, terminals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qfuzz.engine.machinery import machinery
from qfuzz.jail.pool import Pool
from qfuzz.jail.userland import find_userland
from qfuzz.model.delivery import Launch
from qfuzz.model.errors import HostError
from qfuzz.model.task import Fixture
from qfuzz.transports.loader import load, resolve
from tests.available import available

HERE = Path(__file__).resolve().parent
STACKS = [name for name, boundary in load().boundaries.items() if boundary.needs_jail and name != "ssh-fish"]
PLACE = b'pwd; echo "$PATH"; command -v grep; id -un; ls -la'


def place(pool: Pool, name: str) -> bytes:
    delivery = resolve(name).deliver(PLACE if name != "ssh-words" else b"'" + PLACE + b"'")
    if name == "ssh-pasted":
        delivery = resolve(name).deliver(PLACE.replace(b"$", b"\\$").replace(b'"', b'\\"'))
    if name == "sudo-login":
        delivery = resolve(name).deliver(b"pwd; printenv PATH; command -v grep; id -un; ls -la")
    assert isinstance(delivery, Launch)
    return machinery(pool, 20.0).run(delivery, Fixture()).stdout.data


@pytest.fixture(scope="module")
def under_busybox() -> Iterator[Pool]:
    try:
        userland = find_userland("busybox")
    except HostError as error:
        pytest.skip(str(error))
    with Pool(1, userland=userland) as pool:
        yield pool


@pytest.fixture(scope="module")
def beside_a_shown_folder() -> Iterator[Pool]:
    """A jail whose work directory is not where it is elsewhere, because a shown folder is."""
    work = Path("/work")
    if not work.is_dir() or work not in HERE.parents:
        pytest.skip("there is no folder below /work to show")
    with Pool(1, shown=(HERE,)) as pool:
        yield pool


@pytest.mark.parametrize("name", available(STACKS))
def test_another_userland_comes_first_everywhere(under_busybox: Pool, name: str) -> None:
    direct = place(under_busybox, "direct")
    assert direct.splitlines()[1].startswith(b"/run/qfuzz/userland:")
    assert place(under_busybox, name) == direct


@pytest.mark.parametrize("name", available(STACKS))
def test_the_work_directory_is_where_it_is(beside_a_shown_folder: Pool, name: str) -> None:
    direct = place(beside_a_shown_folder, "direct")
    assert direct.startswith(b"/work-\n")
    assert place(beside_a_shown_folder, name) == direct


LOOKS = b'echo "$_ ${SHELL:-none} $LINENO"; declare -p SHELL OLDPWD; "$SHELL" -c \'echo inner\'; env | sort'
"""What a program can see of how it was started, without the options of the shell."""

LEFT = {
    "exec-string": b"",
    "base64-piped": b"_",
    "pty-typed": b"_",
    "pty-pasted": b"_ TERM",
    "pty-plain": b"_",
    "tmux-keys": b"_ SHELL",
    "tmux-literal": b"_ SHELL",
}
"""Names that armor leaves changed, in transports that can't be armored otherwise."""


def looks(pool: Pool, name: str, program: bytes) -> list[bytes]:
    delivery = resolve(name).deliver(program)
    assert isinstance(delivery, Launch)
    return machinery(pool, 20.0).run(delivery, Fixture()).stdout.data.splitlines()


@pytest.mark.parametrize("name", available(load().names()))
def test_an_armored_program_finds_what_it_finds_directly(pool: Pool, name: str) -> None:
    armored = resolve(name).armor(LOOKS)
    if armored is None:
        assert name in LEFT
        return
    direct, found = looks(pool, "direct", LOOKS), looks(pool, name, armored)
    names = LEFT.get(name, b"").split()
    if b"_" in names:
        direct, found = direct[1:], found[1:]
    kept = [
        [line for line in lines if not any(each in line for each in names if each != b"_")] for lines in (direct, found)
    ]
    assert kept[0] == kept[1]


@pytest.mark.parametrize("name", available(["ssh-argv", "ssh-stdin", "quoted"]))
def test_what_a_remote_shell_finds_is_what_bash_finds(pool: Pool, name: str) -> None:
    assert looks(pool, name, LOOKS) == looks(pool, "direct", LOOKS)


@pytest.mark.parametrize("name", available(["ssh-argv", "ssh-pasted"]))
def test_an_empty_reply_arrives_over_ssh(pool: Pool, name: str) -> None:
    delivery = resolve(name).deliver(b"")
    assert isinstance(delivery, Launch)
    assert machinery(pool, 20.0).stopped_text(delivery, Fixture()) == b""


@pytest.mark.parametrize("name", available(["ssh-argv", "ssh-stdin"]))
def test_ssh_waits_for_a_job_that_holds_the_output(pool: Pool, name: str) -> None:
    """What their `owns` says: directly, the job dies with the shell."""
    for program, waits in ((b"(%s) & exit 0", True), (b"(%s) > /dev/null 2>&1 & exit 0", False)):
        delivery = resolve(name).deliver(program % b"sleep 0.3; touch late")
        assert isinstance(delivery, Launch)
        left = machinery(pool, 20.0).run(delivery, Fixture()).tree.entries
        assert (b"late" in left) is waits, program


@pytest.mark.parametrize(("program", "status"), [(b"exit 3", 123), (b"exit 255", 124), (b"kill -9 $$", 125)])
def test_xargs_has_a_status_of_its_own(pool: Pool, program: bytes, status: int) -> None:
    delivery = resolve("xargs").deliver(program)
    assert isinstance(delivery, Launch)
    assert machinery(pool, 20.0).run(delivery, Fixture()).status.code == status
