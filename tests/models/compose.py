"""Asks docker-compose for its `config`: it reads a file, replaces variables and prints it, and starts nothing."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence

from tests.models import get
from tests.models.vectors import Outcome, Vectors, is_text

_FAULT = re.compile(r"invalid interpolation format|required variable \S+ is missing a value")
_AT = re.compile(r"services\.s(\d+)\.command")


def compose(texts: Sequence[bytes]) -> Vectors:
    """Each text is an argument of a service; one that has a fault is named by the program, and left out then."""
    asked = [text for text in texts if is_text(text)]
    outcomes: dict[int, Outcome] = {}
    while True:
        services = {f"s{number}": _service(text) for number, text in enumerate(asked) if number not in outcomes}
        ended = _config(services)
        if ended.returncode == 0:
            break
        message = ended.stderr.decode()
        faulty = int(_known(_AT.search(message), message)[1])
        outcomes[faulty] = Outcome(error=_known(_FAULT.search(message), message)[0])
    for name, service in json.loads(ended.stdout)["services"].items():
        # A dollar is printed as two.
        made = service["command"][2].encode("utf-8", "surrogatepass").replace(b"$$", b"$")
        outcomes[int(name[1:])] = Outcome(text=made)
    title = f"docker-compose {get.version('compose', 'docker-compose')} (Debian), config"
    return Vectors(title, tuple((text, outcomes[number]) for number, text in enumerate(asked)))


def _service(text: bytes) -> dict[str, object]:
    return {"image": "x", "command": ["bash", "-c", text.decode()]}


def _config(services: dict[str, dict[str, object]]) -> subprocess.CompletedProcess[bytes]:
    root = get.get("compose") / "root"
    libraries = root / "usr" / "lib" / "x86_64-linux-gnu"
    path = get.PROGRAMS / "compose" / "compose.yaml"
    # JSON is YAML, but for what it writes as two escapes.
    written = json.dumps({"services": services}, ensure_ascii=False)
    path.write_text(re.sub("[\u007f-\u009f\u2028\u2029\ufeff]", lambda each: f"\\u{ord(each[0]):04x}", written))
    program = root / "usr" / "libexec" / "docker" / "cli-plugins" / "docker-compose"
    words = [libraries / "ld-linux-x86-64.so.2", "--library-path", libraries, program]
    words += ["--project-name", "models", "--file", path, "config", "--format", "json"]
    return subprocess.run(words, capture_output=True, env={}, check=False)


def _known(found: re.Match[str] | None, message: str) -> re.Match[str]:
    if found is None:
        raise RuntimeError(f"docker-compose says: {message}")
    return found
