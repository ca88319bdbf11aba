"""Kubernetes: the reply in `command:` and `args:` of a container, after `$(NAME)` was replaced. A model; no cluster
runs here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from qfuzz.model.delivery import Refusal
from qfuzz.transports.base import Boundary
from qfuzz.transports.limits import refuse_bytes

ENVIRONMENT: Mapping[bytes, bytes] = MappingProxyType({b"NAME": b"web", b"PORT": b"8080"})
"""What the container of the model has in `env:`."""


class KubernetesModel(Boundary):
    """A model of `args: ["bash", "-c", R]` of a container. `$(NAME)` is replaced where the container's `env:` has
    that name, and stays otherwise; two dollars are one, so that `$$` loses its meaning and `$$(x)` is a way to
    write `$(x)`; and the first byte of a longer character behind a dollar is written as a character of its own. It
    owns these, and can't carry a NUL or bytes that are not UTF-8. The model's `env:` has NAME and PORT. Source:
    Kubernetes, Define Dependent Environment Variables; compared with the kubelet's own package
    third_party/forked/golang/expansion of 1.20, not with a running kubelet."""

    name = "kubernetes-model"
    summary = 'args: ["bash", "-c", R] of a container (model)'
    owns = "$(NAME) of the container's env, $$, $ before a character beyond ASCII"
    cannot_carry = "NUL; bytes that are not UTF-8"
    witness = b"printf '%s\\n' 'a$$b'"
    faithful = False
    starts_shell = False
    rules = MappingProxyType({ord("$"): "begins a reference to a variable of the container, or is half of a dollar"})

    def inert(self, text: bytes, offset: int) -> bool:
        before, after = text[max(0, offset - 1) : offset], text[offset + 1 : offset + 2]
        return before != b"$" and after not in (b"$", b"(") and after < b"\x80"

    def embed(self, text: bytes) -> bytes | Refusal:
        return refuse_bytes(self.name, text, "a manifest") or _expanded(text)

    def armor(self, program: bytes) -> bytes:
        return program.replace(b"$", b"$$")

    def disclosure(self) -> str:
        return (
            "R is an argument of a Kubernetes container: $(NAME) of its environment is replaced, $$ is $, and "
            "then bash runs it."
        )


def _expanded(text: bytes) -> bytes:
    parts: list[bytes] = []
    place = 0
    while (dollar := text.find(b"$", place)) >= 0:
        parts.append(text[place:dollar])
        following = text[dollar + 1 : dollar + 2]
        closing = text.find(b")", dollar + 2) if following == b"(" else -1
        if following == b"$":
            parts.append(b"$")
            place = dollar + 2
        elif closing >= 0:
            name = text[dollar + 2 : closing]
            parts.append(ENVIRONMENT.get(name, text[dollar : closing + 1]))
            place = closing + 1
        else:
            # One byte behind a dollar is taken for a character of its own: a part of a longer one becomes Latin-1.
            parts.append(b"$" + following.decode("latin-1").encode("utf-8"))
            place = dollar + 1 + len(following)
    return b"".join([*parts, text[place:]])


BOUNDARIES: tuple[Boundary, ...] = (KubernetesModel(),)
