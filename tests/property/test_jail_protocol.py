"""Answers come from inside a jail and may be anything: reading one gives an answer or a typed error."""

from __future__ import annotations

import contextlib
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qfuzz.jail.agent import frames, messages, tree
from qfuzz.jail.agent.serve import Request
from qfuzz.jail.execution import Execution, Tap
from qfuzz.jail.protocol import Answer, ProtocolError, pack_request, read_answer
from qfuzz.model.delivery import Launch, OwnRun, SideFile
from qfuzz.model.observation import Capture, Entry, Kind, Status
from qfuzz.model.task import Fixture, FixtureFile, FixtureSymlink

FIELDS = st.lists(st.binary(max_size=60), max_size=12)
KINDS = {Kind.FILE: 0, Kind.DIR: 1, Kind.SYMLINK: 2, Kind.FIFO: 3, Kind.SOCKET: 4, Kind.OTHER: 5}


def received(data: bytes) -> list[bytes] | None:
    """What `frames.receive` makes of a stream that holds `data` and then ends."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        writer = threading.Thread(target=_send_and_end, args=(theirs, data))
        writer.start()
        try:
            return frames.receive(ours)
        finally:
            ours.close()
            writer.join()


def _send_and_end(channel: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        channel.sendall(data)
        channel.shutdown(socket.SHUT_WR)


@given(FIELDS)
def test_a_frame_gives_its_fields_back(fields: list[bytes]) -> None:
    assert received(frames.pack(fields)) == fields


def test_a_large_frame_gives_its_fields_back() -> None:
    fields = [bytes(5_000_000), b"", b"x" * 70_000]
    assert received(frames.pack(fields)) == fields


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_typed_error(data: bytes) -> None:
    with contextlib.suppress(frames.FrameError):
        fields = received(data)
        assert (fields is None) == (data == b"")


@given(FIELDS, st.data())
def test_a_damaged_frame_is_a_frame_or_a_typed_error(fields: list[bytes], data: st.DataObject) -> None:
    frame = bytearray(frames.pack(fields))
    for _ in range(data.draw(st.integers(1, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    del frame[data.draw(st.integers(1, len(frame))) :]
    with contextlib.suppress(frames.FrameError):
        received(bytes(frame))


def test_a_frame_that_claims_too_much_is_refused_before_it_is_read() -> None:
    with pytest.raises(frames.FrameError, match="limit"):
        received(frames.HEADER.pack(frames.MAX_FRAME_BYTES + 1, 1))
    with pytest.raises(frames.FrameError, match="do not fit"):
        received(frames.HEADER.pack(4, 0xFFFFFFFF) + b"four")


entries = st.builds(
    Entry,
    kind=st.sampled_from(Kind),
    mode=st.integers(0, 0o7777),
    content=st.binary(max_size=20),
    truncated=st.booleans(),
)
trees = st.dictionaries(st.binary(min_size=1, max_size=10), entries, max_size=5)


def answer_fields(
    found: dict[bytes, Entry], git: dict[bytes, Entry], flags: int, outcome: int = 0, value: int = 0
) -> list[bytes]:
    fields = [messages.ANSWER.pack(outcome, value, flags, 0.5, len(found), len(git), 3), b"out", b"err", b"text"]
    for part in (found, git):
        fields += part
        fields += [tree.META.pack(KINDS[entry.kind], entry.mode, entry.truncated) for entry in part.values()]
        fields += [entry.content for entry in part.values()]
    return fields


@given(trees, trees, st.integers(0, 255))
def test_an_answer_is_read_as_it_was_written(found: dict[bytes, Entry], git: dict[bytes, Entry], value: int) -> None:
    answer = read_answer(answer_fields(found, git, messages.ANSWER_GIT | messages.ANSWER_STDERR_CUT, value=value))
    assert answer.status == Status(answer.status.ending, value)
    assert (answer.stdout, answer.stderr) == (Capture(b"out"), Capture(b"err", True))
    assert answer.tree.entries == found
    assert answer.git.entries == git
    assert (answer.shells, answer.left, answer.early) == (3, False, False)
    assert (answer.arrived, answer.spent, answer.limit, answer.seconds) == (None, False, "", 0.5)


head = st.builds(
    messages.ANSWER.pack,
    st.integers(0, 7),
    st.integers(0, 255),
    st.integers(0, 0xFFFF),
    st.floats(width=64),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 0xFFFFFFFF),
)


@given(
    st.one_of(st.binary(max_size=30), head),
    st.lists(st.one_of(st.binary(max_size=5), st.just(b"\0\0\0\0")), max_size=22),
)
def test_any_fields_are_an_answer_or_a_typed_error(first: bytes, rest: list[bytes]) -> None:
    with contextlib.suppress(ProtocolError):
        assert isinstance(read_answer([first, *rest]), Answer)


words = st.lists(st.binary(max_size=6), max_size=3).map(tuple)
owns = st.builds(OwnRun, service=words, ready=words, ready_seconds=st.floats(0, 100))
names = st.binary(min_size=1, max_size=8).filter(lambda name: b"/" not in name and b"\0" not in name)


@pytest.mark.parametrize("argv", [(b"a", b"b\0"), (b"\0",)])
def test_what_execve_has_no_way_to_take_is_never_asked_for(argv: tuple[bytes, ...]) -> None:
    with pytest.raises(frames.FrameError, match="NUL"):
        pack_request(Execution(Launch(b"/bin/x", argv, b""), Fixture(), 1.5))


@given(
    argv=st.lists(st.binary(max_size=20).map(lambda word: word.replace(b"\0", b"")), min_size=1, max_size=4),
    stdin=st.none() | st.binary(max_size=20),
    side=st.dictionaries(names, st.binary(max_size=9), max_size=3),
    files=st.dictionaries(names, st.tuples(st.binary(max_size=9), st.integers(0, 0o7777)), max_size=3),
    links=st.dictionaries(names, names, max_size=2),
    tap=st.sampled_from(Tap),
    own=st.none() | owns,
)
def test_a_request_arrives_as_it_was_asked(
    argv: list[bytes],
    stdin: bytes | None,
    side: dict[bytes, bytes],
    files: dict[bytes, tuple[bytes, int]],
    links: dict[bytes, bytes],
    tap: Tap,
    own: OwnRun | None,
) -> None:
    fixture = Fixture(
        files=tuple(FixtureFile(b"d/e/" + path, content, mode) for path, (content, mode) in files.items()),
        dirs=(b"z",),
        symlinks=tuple(FixtureSymlink(b"l/" + path, target) for path, target in links.items()),
    )
    side_files = tuple(SideFile(b"/run/qfuzz/in/" + path, content) for path, content in side.items())
    launch = Launch(b"/bin/x", tuple(argv), b"", stdin=stdin, files=side_files, inner_shells=2, own=own)
    request = Request(frames.unpack(*_body(pack_request(Execution(launch, fixture, 1.5, tap=tap, shells=4)))))
    if own is None:
        assert request.own is None
    else:
        asked = request.own
        assert (asked.shell, asked.service, asked.ready) == (4, list(own.service), list(own.ready))
        assert asked.ready_seconds == own.ready_seconds
    assert (request.executable, request.argv, request.stdin) == (b"/bin/x", argv, stdin)
    assert (request.timeout, request.inner_shells) == (1.5, 2)
    assert (request.tapped, request.stopped) == (tap is not Tap.OFF, tap is Tap.STOP)
    assert request.files == [(file.path, file.content, file.mode) for file in fixture.files]
    assert request.side_files == [(path, content, 0o444) for path, content in side.items()]
    assert request.symlinks == ([link.path for link in fixture.symlinks], list(links.values()))
    assert set(request.directories) >= {b"z"} | ({b"d", b"d/e"} if files else set()) | ({b"l"} if links else set())
    for path in request.directories:
        assert path.rpartition(b"/")[0] in (b"", *request.directories[: request.directories.index(path)])


def _body(frame: bytes) -> tuple[bytes, int]:
    size, count = frames.HEADER.unpack_from(frame)
    assert size == len(frame) - frames.HEADER.size
    return frame[frames.HEADER.size :], count
