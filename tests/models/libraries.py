"""Asks the libraries of Go and Rust that models follow. They make texts of texts and start nothing."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.models import get
from tests.models.vectors import Outcome, Vectors, is_text, shortened

_GO_ROOT = ("go", "root/usr/lib/go-1.24")


def go_template(texts: Sequence[bytes]) -> Vectors:
    get.get("go")
    return _asked("go_template", f"text/template of Go {get.version('go', 'golang-1.24-go')} (Debian)", {}, texts)


def kubernetes(texts: Sequence[bytes]) -> Vectors:
    get.get("go")
    package = get.get("kubernetes") / "third_party" / "forked" / "golang" / "expansion"
    title = f"third_party/forked/golang/expansion of Kubernetes {get.KUBERNETES} (Debian's source)"
    return _asked("kubernetes", title, {"expansion": package}, texts)


def terraform(texts: Sequence[bytes]) -> Vectors:
    get.get("go")
    packages = get.get("hcl") / "root" / "usr" / "share" / "gocode" / "src"
    title = f"HCL {get.version('hcl', 'golang-github-hashicorp-hcl-v2-dev')} (Debian), called as templatefile calls it"
    return _asked("terraform", title, {path.name: path for path in packages.iterdir()}, texts)


def rust_shlex(texts: Sequence[bytes]) -> Vectors:
    """The function takes text, so bytes that are not UTF-8 are left out."""
    root = get.get("shlex")
    work = root / "work"
    work.mkdir(parents=True, exist_ok=True)
    (crate,) = (root / "root" / "usr" / "share" / "cargo" / "registry").glob("shlex-*")
    # rustc asks for a crate to be compiled before what uses it.
    common = ("rustc", "--edition=2018", "-O", "--cap-lints=allow", "--out-dir", work)
    _call(*common, "--crate-type=rlib", "--crate-name=shlex", crate / "src" / "lib.rs")
    _call(*common, "-L", work, "--extern", f"shlex={work / 'libshlex.rlib'}", get.SOURCES / "rust_shlex.rs")
    asked = [text for text in texts if is_text(text)]
    given = "".join(f"{text.hex()}\n" for text in asked)
    answers = _call(work / "rust_shlex", given=given.encode()).decode().splitlines()
    rows = [
        (text, Outcome(text=b"bash -c " + bytes.fromhex(answer))) for text, answer in zip(asked, answers, strict=True)
    ]
    return Vectors(f"the crate shlex {get.version('shlex', 'librust-shlex-dev')} (Debian)", tuple(rows))


def _asked(name: str, title: str, packages: dict[str, Path], texts: Sequence[bytes]) -> Vectors:
    """Compiles the program `name` with packages by import path, and asks it about the texts that are UTF-8."""
    root = get.PROGRAMS / _GO_ROOT[0] / _GO_ROOT[1]
    work = get.PROGRAMS / "go" / "work" / name
    shutil.rmtree(work, ignore_errors=True)
    source = work / "src" / name
    source.mkdir(parents=True)
    for path in (get.SOURCES / "lines.go", get.SOURCES / f"{name}.go"):
        shutil.copy(path, source)
    for package, path in packages.items():
        (work / "src" / package).symlink_to(path)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(work),
        "GOPATH": str(work),
        "GOCACHE": str(get.PROGRAMS / "go" / "cache"),
        "GOROOT": str(root),
        "GO111MODULE": "off",
        "GOTOOLCHAIN": "local",
        "GOMAXPROCS": "1",
    }
    _call(root / "bin" / "go", "build", "-p", "1", "-o", work / "program", name, environment=environment)
    asked = [text for text in texts if is_text(text)]
    given = json.dumps([base64.b64encode(text).decode() for text in asked]).encode()
    answers = json.loads(_call(work / "program", given=given))
    return Vectors(title, tuple(zip(asked, map(_outcome, answers), strict=True)))


def _outcome(answer: dict[str, str]) -> Outcome:
    if "error" in answer:
        return Outcome(error=shortened(answer["error"]))
    return Outcome(text=base64.b64decode(answer.get("out", "")))


def _call(*words: object, given: bytes = b"", environment: dict[str, str] | None = None) -> bytes:
    return subprocess.run(
        [str(word) for word in words], input=given, stdout=subprocess.PIPE, check=True, env=environment
    ).stdout
