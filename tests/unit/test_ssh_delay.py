"""The time for which sshd waits at each login: next to none with the configuration that it is given."""

from __future__ import annotations

import hashlib
import struct

from qfuzz.model.delivery import Launch
from qfuzz.transports import ssh
from qfuzz.transports.loader import resolve


def test_a_connection_waits_for_no_delay_of_its_user() -> None:
    """By auth2.c, user_specific_delay, and sshd.c, accumulate_host_timing_secret, of OpenSSH 9.2.

    The secret is of the host key as it is serialized and of the configuration as it is read; with the user's name it
    gives a number of 32 bits, which counts picoseconds.
    """
    launch = resolve("ssh-argv").deliver(b"true")
    assert isinstance(launch, Launch)
    (configuration,) = (file.content for file in launch.files if file.path.endswith(b"/sshd_config"))
    private = ssh._strings(b"ssh-ed25519", ssh._PUBLIC, ssh._SECRET + ssh._PUBLIC)
    secret = int.from_bytes(hashlib.sha512(private + configuration + b"\0").digest()[:8])
    for user in ("user", "fish"):
        digest = hashlib.sha512(f"{secret}{user}".encode()).digest()
        (delay,) = struct.unpack(">I", digest[:4])
        assert delay < 50_000_000, f"choose another number in the first line: {user} waits {delay / 1e9:.2f} ms"
