"""The agent's life: confine itself, say that it is ready, serve until the host closes the channel."""

from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from typing import Any

from . import confine, files, frames, linux
from .group import ProcessGroup
from .serve import Bounds, Place, Request, Space, Surroundings, serve
from .shells import Shells
from .space import ProcessSpace, SpaceError
from .tap import Tap

READY = b"ready"


def main() -> None:
    """Standard input is the channel to the host; the first message is the configuration as JSON."""
    channel = socket.socket(fileno=os.dup(0))
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    first = frames.receive(channel)
    if first is None:
        return
    try:
        _serve_all(channel, json.loads(first[0]))
    except (OSError, SpaceError, frames.FrameError):
        traceback.print_exc(file=sys.stderr)
        sys.exit(1)


def _serve_all(channel: socket.socket, config: dict[str, Any]) -> None:
    os.umask(0o022)
    if config["confined"]:
        side, space = _confine(config)
    else:
        side, space = _stay(config)
    work, *others, tap = (Place(place["path"], place.get("spared", ())) for place in config["places"])
    os.fchdir(work.fd)
    around = Surroundings(
        work=work,
        others=(*others, tap),
        side=side,
        tap=Tap(tap.fd, config["places"][-1]["path"], *((0, 1) if config["confined"] else (os.getpid(), os.getpid()))),
        shells=Shells(tap.fd, config["places"][-1]["path"], config["confined"]),
        environment={os.fsencode(name): os.fsencode(value) for name, value in config["environment"].items()},
        channel=channel.fileno(),
        space=space,
    )
    bounds = Bounds(**config["bounds"])
    channel.sendall(frames.pack([READY]))
    while True:
        fields = frames.receive(channel)
        if fields is None:
            return
        answer = serve(Request(fields), around, bounds)
        if answer is None:
            return
        channel.sendall(frames.pack(answer))


def _confine(config: dict[str, Any]) -> tuple[int, Space]:
    """Gives up all that replies must not have; the directory for side files and the space for processes."""
    id_mapped = config["id_mapped"]
    if id_mapped:
        confine.act_on_files_as_user()
    for place in config["places"]:
        confine.mount_tmpfs(place["path"], place["bytes"], place["inodes"], place["mode"])
    side = confine.mount_side_files(config["side"]["path"], config["side"]["bytes"], config["side"]["inodes"])
    for path in config["detach"]:
        linux.umount(path)
    for path in config["remove"]:
        files.remove(path)
    for each in config["shown"]:
        confine.show(each["stage"], each["path"], each["cover"])
    for cover in {each["cover"] for each in config["shown"] if each["cover"] != each["path"]} - {""}:
        confine.make_read_only(cover)
    confine.forbid_user_namespaces(0 if id_mapped else 1)
    confine.make_read_only("/")
    confine.make_read_only("/dev")
    if id_mapped:
        confine.stay_in_user_namespace()
    else:
        confine.enter_user_namespace()
    space = ProcessSpace(config["memory_bytes"])
    confine.limit_resources(config["rlimits"])
    if not confine.refuse_system_calls():
        raise SpaceError(f"no system call filter is known for {os.uname().machine}")
    return side, space


def _stay(config: dict[str, Any]) -> tuple[int, Space]:
    """The same without any protection: directories, limits, and the run's processes found by descent."""
    for place in (*config["places"], config["side"]):
        os.makedirs(place["path"], exist_ok=True)
        os.chmod(place["path"], place["mode"])
    confine.limit_resources(config["rlimits"])
    confine.die_with_parent()
    return os.open(config["side"]["path"], os.O_RDONLY | os.O_DIRECTORY), ProcessGroup(config["memory_bytes"])
