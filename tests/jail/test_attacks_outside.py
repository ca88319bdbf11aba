"""Attacks that reach for what lies outside the jail. The `host` fixture runs a plain reply after each."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from pathlib import Path

import pytest

from tests.jail.hosts import Host


def test_files_of_the_host_can_neither_be_seen_nor_changed(host: Host) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o777)
        secret = Path(folder, "secret")
        secret.write_text("canary-5d1f")
        secret.chmod(0o666)
        observation = host.run(
            f"""
            cat {secret} /etc/shadow /etc/gshadow /root/.bashrc {Path(__file__)} 2>&1
            echo hurt > {secret}; echo hurt > {folder}/new; rm -f {secret}
            ls -A /root /var/tmp /mnt /srv /opt {Path(__file__).parent}
            find / -xdev -name 'shadow*' -o -name 'test_attacks*' 2>/dev/null
            grep -r canary-5d1f /proc/[0-9]*/root/var /proc/[0-9]*/cwd 2>/dev/null
            """
        )
        assert b"canary" not in observation.stdout.data
        assert b"root:" not in observation.stdout.data
        assert b"test_attacks_outside.py\n" not in observation.stdout.data
        assert secret.read_text() == "canary-5d1f"
        assert os.listdir(folder) == ["secret"]


def test_the_system_is_read_only(host: Host) -> None:
    observation = host.run(
        """
        for place in / /usr /usr/bin /usr/local/bin /bin /etc /lib /dev /run /run/qfuzz /run/qfuzz/in /home /var \
            /proc/sys/kernel /sys; do
            touch "$place/probe" 2>/dev/null && echo "wrote $place"
        done
        mount -o remount,rw / 2>/dev/null && echo remounted
        rm -f /bin/sh /etc/passwd 2>/dev/null; test -e /bin/sh -a -e /etc/passwd || echo removed
        for name in /proc/sys/kernel/* /proc/sys/fs/mqueue/* /proc/sys/net/ipv4/ip_local_port_range; do
            value=$(cat "$name" 2>/dev/null) && (echo "$value" > "$name") 2>/dev/null && echo "set $name"
        done
        for device in /dev/mem /dev/kmsg /dev/vda /dev/sda; do test -e $device && echo "device $device"; done
        true
        """
    )
    assert observation.stdout.data == b""
    assert observation.status.code == 0


def test_a_reply_becomes_nobody_else(host: Host) -> None:
    observation = host.run(
        """
        touch f; chown 0:0 f 2>/dev/null || echo kept; setpriv --reuid=0 id 2>/dev/null || echo refused
        cp /usr/bin/id .; chmod 6755 id; ./id -u; id -un
        cat /proc/self/uid_map; grep -E '^(Cap|NoNew)' /proc/self/status
        """
    )
    kept, refused, uid, name, uid_map, *status = observation.stdout.data.splitlines()
    assert (kept, refused, uid, name) == (b"kept", b"refused", b"1000", b"user")
    assert uid_map.split() == [b"1000", b"0", b"1"]
    assert {line.split()[1].lstrip(b"0") for line in status if line.startswith(b"Cap")} == {b""}
    assert status[-1].split() == [b"NoNewPrivs:", b"1"]


def test_listeners_on_the_loopback_of_the_host_are_out_of_reach(host: Host) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        name = f"qfuzz-test-{secrets.token_hex(8)}"
        abstract.bind(f"\0{name}")
        abstract.listen()
        port = tcp.getsockname()[1]
        observation = host.run(
            f"""
            (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached tcp
            python3 - <<'END'
import socket
for address in [("127.0.0.1", {port}), ("localhost", {port})]:
    try:
        socket.create_connection(address, 1)
        print("reached", address)
    except OSError:
        pass
try:
    s = socket.socket(socket.AF_UNIX)
    s.connect("\\0{name}")
    print("reached abstract")
except OSError:
    pass
# The jail's own loopback works.
with socket.create_server(("127.0.0.1", 0)) as own:
    socket.create_connection(own.getsockname(), 1)
    print("own")
END
            ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1
            """
        )
        assert observation.stdout.data.split() == [b"own", b"lo"], observation
        for listener in (tcp, abstract):
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()


@pytest.mark.parametrize(
    "flag", ["--user", "--map-root-user", "--mount", "--pid --fork", "--net", "--ipc", "--uts", "--cgroup"]
)
def test_no_namespace_can_be_made(host: Host, flag: str) -> None:
    observation = host.run(f"unshare {flag} true 2>&1; unshare --user --map-root-user {flag} id && echo made")
    assert b"made" not in observation.stdout.data
    assert observation.status.code != 0


def test_namespaces_of_others_can_not_be_entered(host: Host) -> None:
    observation = host.run(
        """
        python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for name in os.listdir("/proc/self/ns"):
    for pid in ("1", "self"):
        try:
            fd = os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY)
        except OSError:
            continue
        if libc.setns(fd, 0) == 0:
            print("entered", pid, name)
for flags in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000, 0x10020000):
    if libc.unshare(flags) == 0:
        print("unshared", hex(flags))
if libc.chroot(b"/tmp") == 0:
    print("chroot")
if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
    print("mount")
END
        """
    )
    assert observation.stdout.data == b""
    assert observation.status.code == 0, observation


def test_nothing_of_the_host_is_inherited(host: Host) -> None:
    """No descriptor leads to the agent or the host; the environment is the fixed one."""
    observation = host.run(
        """
        for fd in /proc/self/fd/*; do test -e "$fd" && readlink "$fd"; done > /tmp/fds; sed 's/[0-9]*//g' /tmp/fds
        env | cut -d= -f1 | sort | tr '\\n' ' '; tty; readlink /proc/$$/fd/0
        """
    )
    lines = observation.stdout.data.decode().splitlines()
    assert set(lines[:-3]) <= {"/dev/null", "/tmp/fds", "pipe:[]", "/proc//fd"}, lines
    names = (
        "GIT_AUTHOR_DATE GIT_AUTHOR_EMAIL GIT_AUTHOR_NAME GIT_COMMITTER_DATE GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME "
    )
    names += "GIT_CONFIG_NOSYSTEM HOME LC_ALL LOGNAME PATH PWD SHLVL TERM TZ USER _ not a tty"
    assert lines[-2] == names
    assert lines[-1] == "/dev/null"
