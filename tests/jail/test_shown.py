"""Folders of the host in a jail: where they are, what a reply can do to them, and which are refused."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qfuzz.engine.machinery import context_of
from qfuzz.jail.pool import Pool
from qfuzz.jail.shown import Shown, shown_folders, spared, work_directory
from qfuzz.model.errors import UsageError
from qfuzz.model.tools import FOLDER as TOOLS
from qfuzz.store.keys import context_key
from tests.jail.hosts import execution

TRY_TO_CHANGE = """
cd "{0}"; ls; cat greeting; echo x > greeting; echo x > new; rm -f greeting; chmod 777 greeting; touch new
mv "{0}" "{0}-moved"; rm -rf "{0}"; mkdir -p "{0}/../beside"; echo "{0}"/*
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that anybody may read, below one that only its owner may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as hidden:
        open_to_all = Path(hidden) / "deep er" / "open"
        open_to_all.mkdir(parents=True)
        open_to_all.chmod(0o755)
        (open_to_all / "greeting").write_text("hello\n")
        yield open_to_all


@pytest.mark.usefixtures("user_namespaces")
class TestShown:
    def test_a_folder_below_tmp_is_there_read_only_and_survives_wiping(self, folder: Path) -> None:
        with Pool(1, shown=(folder,)) as pool:
            jails = set()
            for _ in range(2):
                look = f"touch /tmp/mine ~/mine; ls '{folder}/..' /tmp; readlink /proc/self/ns/mnt"
                observation = pool.run(execution(TRY_TO_CHANGE.format(folder) + look))
                lines = observation.stdout.data.decode().splitlines()
                assert lines[:2] == ["greeting", "hello"]
                assert lines[2] == f"{folder}/greeting"
                # Nothing can be put beside it, and what is put into /tmp is gone by the next run.
                top = folder.relative_to("/tmp").parts[0]
                assert lines[3:-1] == ["/tmp:", *sorted(["mine", top]), "", f"{folder}/..:", "open"]
                assert observation.tree.entries == {}
                jails.add(lines[-1])
            assert len(jails) == 1
        assert (folder / "greeting").read_text() == "hello\n"

    def test_several_folders_in_places_of_all_kinds(self, folder: Path) -> None:
        second = folder.parent / "second"
        second.mkdir(mode=0o755)
        prefix = Path(sys.base_prefix).resolve()
        with Pool(1, shown=(folder, second, prefix, folder / ".", Path("/usr/share"))) as pool:
            assert pool.shown == tuple(sorted({str(folder), str(second), str(prefix)} - {"/usr"}))
            python = f"{prefix}/bin/python{sys.version_info.major}.{sys.version_info.minor}"
            found = pool.run(execution(f"ls -d '{folder}' '{second}' /run/qfuzz/*; {python} -c 'print(6 * 7)'"))
            # Where Task is installed, a folder has it.
            assert [line for line in found.stdout.data.decode().splitlines() if line != TOOLS] == [
                *("/run/qfuzz/in", "/run/qfuzz/tap", str(folder), str(second), "42"),
            ]
            assert found.status.code == 0

    def test_a_virtual_environment_works_where_it_is(self) -> None:
        environment = Path(sys.prefix)
        if environment == Path(sys.base_prefix):
            pytest.skip("this Python runs in no virtual environment")
        with Pool(1, shown=(environment, Path(sys.base_prefix))) as pool:
            found = pool.run(execution(f"{environment}/bin/python -c 'import click; print(click.__file__)'; pwd"))
            assert found.stdout.data.decode().splitlines()[0].startswith(str(environment)), found

    def test_the_place_of_the_interpreter_can_be_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from qfuzz.jail import pool as pool_module
        from qfuzz.jail.interpreter import running_interpreter

        own = running_interpreter()
        if not own.home:
            pytest.skip("this Python is the system's")
        monkeypatch.setattr(pool_module, "find_interpreter", lambda: own)
        with Pool(1, shown=(Path(own.home),)) as pool:
            assert pool.run(execution(f"{own.path} -c 'print(6 * 7)'")).stdout.data == b"42\n"

    def test_which_folders_are_shown_is_part_of_the_context(self, folder: Path) -> None:
        with Pool(1) as bare, Pool(1, shown=(folder,)) as pool:
            assert context_key(context_of(bare, 1.0)) != context_key(context_of(pool, 1.0))

    def test_a_folder_below_the_work_directory_moves_that(self) -> None:
        with tempfile.TemporaryDirectory(dir="/work" if os.path.isdir("/work") else None) as name:
            Path(name).chmod(0o755)
            with Pool(1, shown=(Path(name),)) as pool:
                observation = pool.run(execution(f"pwd; ls -d '{name}'; ls; touch made"))
                work = "/work-" if name.startswith("/work/") else "/work"
                assert observation.stdout.data.decode().splitlines() == [work, name]
                assert list(observation.tree.entries) == [b"made"]


@pytest.mark.parametrize(
    "folder", ["/", "/proc", "/proc/self", "/dev/shm", "/run", "/run/qfuzz", "/tmp", "/etc", "/var"]
)
def test_what_would_hide_a_part_of_the_jail_is_refused(folder: str) -> None:
    with pytest.raises(UsageError, match=r"would hide|a jail has its own") as caught:
        Pool(1, shown=(Path(folder),))
    assert caught.value.exit_status == 2


def test_a_link_to_such_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    with pytest.raises(UsageError, match="would hide"):
        shown_folders([tmp_path / "link"], by_root=False)


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="not a folder"):
        shown_folders([tmp_path / "file"], by_root=False)
    with pytest.raises(UsageError, match="No such file"):
        shown_folders([tmp_path / "none"], by_root=False)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door, contextlib.chdir(path.parent):
        door.bind(path.name)


@pytest.mark.parametrize(("make", "what"), [(make_socket, "a socket"), (os.mkfifo, "a FIFO")])
def test_a_door_to_a_process_of_the_host_is_refused(tmp_path: Path, make: Callable[[Path], None], what: str) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    tmp_path.chmod(0o755)
    (tmp_path / "file").touch()
    (tmp_path / "around").symlink_to(tmp_path)
    shown_folders([tmp_path], by_root=False)
    make(deep / "door")
    with pytest.raises(UsageError) as caught:
        Pool(1, shown=(tmp_path,))
    assert f"{deep / 'door'} is {what}" in str(caught.value)
    assert caught.value.where == str(tmp_path)
    # A link to it is none: it leads nowhere in the jail.
    other = tmp_path / "other"
    other.mkdir()
    (other / "link").symlink_to(deep)
    (other / "linked").symlink_to(deep / "door")
    assert shown_folders([other], by_root=False)


def test_a_folder_with_too_much_to_look_at_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qfuzz.jail.shown.MAX_ENTRIES", 10)
    for number in range(10):
        (tmp_path / str(number)).touch()
    assert shown_folders([tmp_path], by_root=False)
    (tmp_path / "10").touch()
    with pytest.raises(UsageError, match=r"holds more than 10 files.*show folders below it"):
        shown_folders([tmp_path], by_root=False)


def test_the_folders_of_the_machine_that_are_shown_anyhow_are_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qfuzz.jail.shown.MAX_ENTRIES", 0)
    assert shown_folders([Path("/usr/share")], by_root=False) == ()


def test_a_folder_that_the_jails_user_may_not_read_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(UsageError, match="may not read it; allow it: chmod"):
        shown_folders([tmp_path], by_root=True)
    tmp_path.chmod(0o755)
    assert shown_folders([tmp_path], by_root=True)


def test_what_lies_below_another_is_shown_with_it(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a-b").mkdir()
    found = shown_folders([tmp_path / "a" / "b", tmp_path / "a", tmp_path / "a-b"], by_root=False)
    assert [each.path for each in found] == [str(tmp_path / "a"), str(tmp_path / "a-b")]


def test_a_link_in_a_shown_folder_leads_out_of_it(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    found = shown_folders([inside, inside / "link"], by_root=False)
    assert [each.path for each in found] == [str(inside), str(outside)]
    assert [each.path for each in shown_folders([inside / "link"], by_root=False)] == [str(inside / "link")]


def test_where_folders_lie_decides_what_is_spared() -> None:
    shown = (Shown("/home/user/x/y", "/home/user"), Shown("/opt/z"), Shown("/tmp/t", "/tmp"))
    assert [each.cover for each in shown] == ["/home/user/x", "", "/tmp/t"]
    assert (spared(shown, "/home/user"), spared(shown, "/tmp")) == (["x"], ["t"])
    assert work_directory(shown) == "/work"
    assert work_directory((Shown("/work/a"), Shown("/work-/b"))) == "/work--"


def test_an_ordinary_user_can_show_what_it_can_read(folder: Path) -> None:
    """Run by an ordinary user, whose own files they are."""
    if os.geteuid() == 0:
        pytest.skip("the tests are run by root")
    folder.chmod(0o700)
    with Pool(1, shown=(folder,)) as pool:
        assert pool.run(execution(f"cat '{folder}/greeting'")).stdout.data == b"hello\n"


def test_root_needs_no_folder_on_the_way_to_be_open(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("the tests are not run by root")
    folder.parent.chmod(0o700)
    with Pool(1, shown=(folder,)) as pool:
        assert pool.run(execution(f"cat '{folder}/greeting'; id -u")).stdout.data == b"hello\n1000\n"
    assert subprocess.run(["findmnt", "-n", str(folder)], capture_output=True).stdout == b""
