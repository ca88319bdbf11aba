"""The agent's life in a jail: confine itself, say hello, serve until the host closes the channel."""

from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any

from . import command, confine, files, frames, linux
from .memory import MemoryWatch
from .serve import Bounds, Place, Request, Surroundings, serve
from .space import ProcessSpace, SpaceError

HELLO = b"ready"


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
        _Agent(channel, json.loads(first[0])).run()
    except (OSError, SpaceError, frames.FrameError):
        traceback.print_exc(file=sys.stderr)
        sys.exit(1)


class _Agent:
    def __init__(self, channel: socket.socket, config: dict[str, Any]) -> None:
        self._channel = channel
        os.umask(0o022)
        for place in config["places"]:
            confine.mount_tmpfs(place["path"], place["bytes"], place["inodes"], place["mode"])
        side = confine.mount_side_files(config["side"]["path"], config["side"]["bytes"], config["side"]["inodes"])
        for path in config["detach"]:
            linux.umount(path)
        for path in config["remove"]:
            files.remove(path)
        confine.forbid_user_namespaces()
        confine.make_read_only("/")
        confine.make_read_only("/dev")
        confine.enter_user_namespace()
        self._space = ProcessSpace()
        confine.limit_resources(config["rlimits"])
        if not confine.refuse_system_calls():
            raise SpaceError(f"no system call filter is known for {os.uname().machine}")
        work, *others = (Place(place["path"]) for place in config["places"])
        os.fchdir(work.fd)
        self._bounds = Bounds(**config["bounds"])
        self._memory_bytes = config["memory_bytes"]
        self._sockets = os.open(f"{os.getpid()}/net/sockstat", os.O_RDONLY, dir_fd=self._space.own_proc)
        self._around = Surroundings(
            work=work,
            others=tuple(others),
            side=side,
            environment={os.fsencode(name): os.fsencode(value) for name, value in config["environment"].items()},
            channel=channel.fileno(),
            end_others=self._end_others,
            watch=self._watch,
            unharmed=self._unharmed,
        )

    def run(self) -> None:
        self._channel.sendall(frames.pack([HELLO]))
        while True:
            fields = frames.receive(self._channel)
            if fields is None:
                return
            answer = serve(Request(fields), self._around, self._bounds)
            if answer is None:
                return
            self._channel.sendall(frames.pack(answer))

    def _end_others(self, _pid: int, how: int) -> None:
        if how != command.ENDED or not self._space.is_empty():
            self._space.renew()

    def _watch(self) -> Callable[[], str]:
        return MemoryWatch(self._space.proc, self._memory_bytes).look

    def _unharmed(self) -> bool:
        """A connection in TIME_WAIT outlives its processes and keeps its port."""
        return b" tw 0 " in os.pread(self._sockets, 512, 0)
