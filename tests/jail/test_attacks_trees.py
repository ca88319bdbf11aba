"""Attacks through what is left in the work directory. The `host` fixture runs a plain reply after each."""

from __future__ import annotations

import time

from qfuzz.jail.limits import Limits
from qfuzz.model.observation import Entry, Kind
from tests.jail.hosts import Host


def test_ten_thousand_nested_directories(host: Host) -> None:
    began = time.monotonic()
    observation = host.run(
        """
        python3 - <<'END'
import os
for place in "/work", "/tmp":
    os.chdir(place)
    for i in range(10000 if place == "/work" else 9000):
        os.mkdir("d")
        os.chdir("d")
    open("leaf", "w").close()
END
        """
    )
    assert observation.status.code == 0, observation
    assert observation.tree.truncated
    assert len(observation.tree.entries) == Limits().tree_depth + 1
    assert time.monotonic() - began < 5


def test_names_that_the_wipe_would_use_itself(host: Host) -> None:
    observation = host.run(
        """
        for i in {1..50}; do mkdir -p wipe-$i/wipe-$i/wipe-$((i + 1)); touch wipe-$i/wipe-$i/wipe-$((i + 1))/f; done
        mkdir deep; cd deep; for i in {1..20}; do mkdir wipe-$i; mkdir wipe-$i/d; touch wipe-$i/d/wipe-1; done
        """
    )
    assert observation.status.code == 0
    assert not observation.tree.truncated


def test_mode_000_trees_are_read_and_wiped(host: Host) -> None:
    observation = host.run("mkdir -p a/b/c; echo secret > a/b/c/f; chmod 000 a/b/c/f a/b/c a/b; chmod 111 a; chmod 0 .")
    assert observation.tree.entries == {
        b"a": Entry(Kind.DIR, 0o111),
        b"a/b": Entry(Kind.DIR, 0),
        b"a/b/c": Entry(Kind.DIR, 0),
        b"a/b/c/f": Entry(Kind.FILE, 0, b"secret\n"),
    }


def test_special_files_and_bits(host: Host) -> None:
    observation = host.run(
        """
        mkfifo fifo; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
        touch set; chmod 6755 set; mkdir sticky; chmod 1777 sticky; mknod device c 1 3 2>/dev/null; ln set hard
        """
    )
    assert observation.tree.entries == {
        b"fifo": Entry(Kind.FIFO, 0o644),
        b"sock": Entry(Kind.SOCKET, 0o755),
        b"set": Entry(Kind.FILE, 0o6755),
        b"hard": Entry(Kind.FILE, 0o6755),
        b"sticky": Entry(Kind.DIR, 0o1777),
    }


def test_links_are_never_followed(host: Host) -> None:
    observation = host.run(
        """
        ln -s . self; ln -s loop2 loop1; ln -s loop1 loop2; ln -s /etc/passwd file; ln -s /usr dir; ln -s '' empty
        ln -s ../../../../etc/shadow up; ln -s $'\\xff\\n' odd; mkdir d; ln -s ../d d/again; ln -s /proc/1/root proc
        """
    )
    links = {path: entry.content for path, entry in observation.tree.entries.items() if entry.kind is Kind.SYMLINK}
    assert links == {
        b"self": b".",
        b"loop1": b"loop2",
        b"loop2": b"loop1",
        b"file": b"/etc/passwd",
        b"dir": b"/usr",
        b"up": b"../../../../etc/shadow",
        b"odd": b"\xff\n",
        b"d/again": b"../d",
        b"proc": b"/proc/1/root",
    }
    assert all(entry.mode == 0 for entry in observation.tree.entries.values() if entry.kind is Kind.SYMLINK)


def test_names_are_bytes(host: Host) -> None:
    observation = host.run(
        r"""
        touch $'new\nline' $'\xff\xfe' -- '-rf' ' ' $'\a\e[31m' '*' "$(printf 'x%.0s' {1..255})" 'é' $'e\xcc\x81' '\'
        mkdir $'dir\n'; echo in > $'dir\n/\x80'
        """
    )
    assert set(observation.tree.entries) == {
        *(b"new\nline", b"\xff\xfe", b"-rf", b" ", b"\a\x1b[31m", b"*", b"x" * 255, "é".encode(), b"e\xcc\x81", b"\\"),
        *(b"dir\n", b"dir\n/\x80"),
    }
    assert observation.tree.entries[b"dir\n/\x80"].content == b"in\n"


def test_the_working_directory_itself_can_not_be_replaced(host: Host) -> None:
    observation = host.run(
        "cd /; rm -rf /work 2>/dev/null; mv /work /tmp/w 2>/dev/null; ln -s / /work 2>/dev/null; ls -d /work"
    )
    assert observation.stdout.data == b"/work\n"
    assert set(observation.tree.entries) <= {b"work"}


def test_what_is_cut_off_does_not_depend_on_the_order_of_making(host: Host) -> None:
    forward = host.run("for i in {1..200}; do head -c 100000 /dev/zero > f$i; done")
    backward = host.run("for i in {200..1}; do head -c 100000 /dev/zero > f$i; done")
    assert forward.tree.entries == backward.tree.entries
    assert sum(len(entry.content) for entry in forward.tree.entries.values()) == Limits().tree_bytes


def test_attributes_and_immutable_flags(host: Host) -> None:
    observation = host.run(
        """
        touch f; mkdir d; touch d/g; chattr +i f d 2>/dev/null; chattr +a d/g 2>/dev/null
        python3 -c 'import os
for i in range(200):
    try: os.setxattr("f", f"user.a{i}", bytes(4000))
    except OSError: break'
        """
    )
    assert {b"f", b"d", b"d/g"} == set(observation.tree.entries)


def test_hostile_repositories(host: Host) -> None:
    observation = host.run(
        """
        git init -q; echo x > a; git add a; git commit -qm one
        printf '[core]\\n\\tfsmonitor = touch /tmp/x\\n[filter "x"]\\n\\tclean = touch /tmp/x\\n' >> .git/config
        head -c 3000000 /dev/zero | gzip > .git/index
        """
    )
    assert observation.git is not None
    assert observation.git.error
    observation = host.run("mkdir .git; ln -s /etc/passwd .git/HEAD; mkfifo .git/index; mkdir -p .git/objects/aa")
    assert observation.git is not None
    assert observation.git.error == "there is no HEAD"
    assert host.run("ln -s /tmp .git").git is None
    assert host.run("echo gitdir: /x > .git").git is None
