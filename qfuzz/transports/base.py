"""What a boundary is, and what a transport is: a stack of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from qfuzz.bash.quote import as_word
from qfuzz.model.declared import Declared
from qfuzz.model.delivery import Delivery, Launch, OwnRun, Refusal, Rejection, SideFile
from qfuzz.transports.protection import is_left_alone, protection_of
from qfuzz.transports.stacking import merged


@dataclass(frozen=True, slots=True)
class NodePackage:
    """A package from npm, and those of its files that are needed of it. `source` is what npm installs as `name`."""

    name: str
    files: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class OwnNeeds:
    """What a boundary of the user's own asks of a run: folders that the jail shows, and as in `OwnRun`."""

    shown: tuple[Path, ...] = ()
    identity: str = ""
    timeout_seconds: float | None = None


class Boundary(ABC):
    """One layer between the text of a reply and the shell that runs it.

    A boundary is either a carrier, which turns the text into a larger or decoded text for the next layer (`embed`
    returns bytes), or a starter, which says which process reads the text (`embed` returns a Launch).
    """

    name: str
    summary: str
    """Where people meet it, in one line."""
    owns: str
    """The characters that it treats as its own, for a reader."""
    cannot_carry: str
    """Its declared limits, for a reader."""
    witness: bytes | None
    """A small program that works directly and not over this boundary; None for a faithful one."""
    faithful: bool
    """Whether it claims that every text it does not refuse reaches the next layer as it was."""
    starts_shell: bool
    """Whether one more shell is started by it, or by the text that it makes."""
    arrival_note = ""
    """Why an untouched text can still be broken here, where it can: then comparing what arrived shows too little."""
    exceptions: tuple[Declared, ...] = ()
    """What differs from a direct run though every byte arrives, as far as that can be told from what was observed."""
    keeps_status = True
    """Whether the exit status of what it carries comes back; if not, no armor brings it back either."""
    shell = "bash"
    """The shell that it starts, for that shell's own syntax check."""
    sees_arrival = True
    """Whether a shell that it starts is looked up in PATH, where a recorder can stand before it."""
    adds_text = False
    """Whether it puts text of its own beside the reply's, as a part of one program: the reply arrives inside of
    more."""
    tool = False
    """Whether a shell that it starts gets the text otherwise than as a word of a command line: from a program that
    reads it, or from a variable."""
    expands = False
    """Whether a shell may run parts of the text while it reads what this layer made of it: before, and beside, what the
    text is."""
    encodes = False
    """Whether no byte of the text stands as it was in what it makes, so that no layer after it can read any."""
    programs: tuple[str, ...] = ()
    """Programs that must be on the jail's PATH, beyond bash, sh and coreutils."""
    tools: tuple[str, ...] = ()
    """Programs that packages from PyPI bring along (see `qfuzz.model.tools`)."""
    modules: tuple[str, ...] = ()
    """Python modules that it needs beyond those of qfuzz itself."""
    node_packages: tuple[NodePackage, ...] = ()
    """Packages from npm that it needs."""
    shells = 1
    """How many shells that read the text one after another it starts, where it starts any."""
    id_mapped = False
    """Whether its launch is one of a jail of several users."""
    needs_jail = False
    """Whether what it starts is at home in the jail's own file system only."""
    plain = b"echo plain > out.txt; echo done"
    """A program that it carries whole, as far as it can carry any."""
    own: OwnNeeds | None = None
    """For a boundary of the user's own, of which no rules are known; None for one of ours."""
    runs_reply = False
    """Whether it runs the reply by itself, so that no layer can follow it."""

    @abstractmethod
    def embed(self, text: bytes) -> bytes | Launch | Refusal | Rejection:
        """Carry `text`. Pure: nothing is started. Refusal for declared limits, Rejection for the parser's error."""

    def embed_last(self, text: bytes) -> bytes | Launch | Refusal | Rejection:
        """The same where no layer follows in the stack.

        A carrier may have what it would refuse elsewhere decoded in the jail, by a Launch that starts `inner_shells`
        of its own, the last of them in place of the stack's usual end.
        """
        return self.embed(text)

    def files(self) -> tuple[SideFile, ...]:
        """What the text that it makes needs beside the work directory; a Launch brings its own."""
        return ()

    rules: Mapping[int, str] = MappingProxyType({})
    """The bytes that this boundary treats as its own and `armor` protects one by one, each with the rule behind it.

    Empty where it owns none, and where armor takes the program as a whole.
    """

    def inert(self, text: bytes, offset: int) -> bool:  # noqa: ARG002
        """Whether the byte at `offset`, one of `rules`, means itself where it stands, all others being protected."""
        return False

    def armor(self, program: bytes) -> bytes | None:  # noqa: ARG002
        """A text that has the effect of `program` when this boundary carries it; None where no lossless way exists."""
        return None

    def shield(self, one: bytes) -> bytes | None:
        """How `one` of the bytes of `rules` is protected by itself; the same as `armor` where that goes byte by
        byte."""
        return self.armor(one)

    def reproduction(self, text: bytes) -> bytes | None:  # noqa: ARG002
        """A shell line that shows what this boundary, met first, does to `text`, where a Launch can't show it."""
        return None

    @abstractmethod
    def disclosure(self) -> str:
        """What a contract tells a model of this boundary, in the second person, R standing for the reply."""


@dataclass(frozen=True, slots=True)
class Step:
    """The text after one boundary, for a reader of `qfuzz transports show`."""

    boundary: str
    result: bytes | Launch | Refusal | Rejection


@dataclass(frozen=True, slots=True)
class Transport:
    """Boundaries in the order in which the text meets them. `starter` is what a stack without one ends in."""

    name: str
    boundaries: tuple[Boundary, ...]
    starter: Boundary

    @property
    def faithful(self) -> bool:
        return all(boundary.faithful for boundary in self.boundaries)

    @property
    def adds_text(self) -> bool:
        """Whether the reply arrives as a part of a longer program."""
        return any(boundary.adds_text for boundary in self.boundaries)

    @property
    def keeps_status(self) -> bool:
        return all(boundary.keeps_status for boundary in self.boundaries)

    @property
    def arrival_note(self) -> str:
        """Why equality of the arrived text says nothing about this transport; empty where it is what it should give."""
        return next((boundary.arrival_note for boundary in self.boundaries if boundary.arrival_note), "")

    @property
    def sees_arrival(self) -> bool:
        """Whether recorders can stand before all its shells; one behind another shell may not be told for its child."""
        return all(boundary.sees_arrival for boundary in self.boundaries if boundary.starts_shell)

    @property
    def exceptions(self) -> tuple[Declared, ...]:
        return tuple(dict.fromkeys(each for boundary in self.boundaries for each in boundary.exceptions))

    @property
    def is_own(self) -> bool:
        """Whether a layer is the user's own, so that the path must be tested before it is used."""
        return any(boundary.own is not None for boundary in self.boundaries)

    @property
    def shown(self) -> tuple[Path, ...]:
        """The folders of the host that a jail must show for it."""
        return tuple(path for boundary in self.boundaries if boundary.own is not None for path in boundary.own.shown)

    def _marked(self, launch: Launch) -> Launch:
        """The launch, told that layers of the user's own are on its way."""
        needs = [boundary.own for boundary in self.boundaries if boundary.own is not None]
        if not needs:
            return launch
        times = [each.timeout_seconds for each in needs if each.timeout_seconds is not None]
        own = replace(
            launch.own or OwnRun(),
            transport=self.name,
            identity=" ".join(each.identity for each in needs if each.identity),
            timeout_seconds=max(times) if times else None,
        )
        return replace(launch, own=own, inner_shells=max(1, launch.inner_shells))

    def steps(self, text: bytes) -> Iterator[Step]:
        """Carry `text` layer by layer; the last step is a Launch, a Refusal or a Rejection."""
        files: tuple[SideFile, ...] = ()
        shells: list[Boundary] = []
        id_mapped = False
        current = text
        for index, boundary in enumerate(self.boundaries):
            is_last = index == len(self.boundaries) - 1
            result = boundary.embed_last(current) if is_last else boundary.embed(current)
            files += boundary.files()
            if boundary.starts_shell:
                shells += [boundary] * boundary.shells
            if isinstance(result, Launch):
                files += result.files
                id_mapped |= result.id_mapped
                if is_last:
                    result = _with_shells(replace(result, files=merged(files), id_mapped=id_mapped), shells)
                    result = self._marked(result)
                else:
                    result = launch_as_program(result)
            yield Step(boundary.name, result)
            if not isinstance(result, bytes):
                return
            current = result
        last = self.starter.embed(current)
        if isinstance(last, Launch):
            shells.append(self.starter)
            last = self._marked(_with_shells(replace(last, files=merged(files), id_mapped=id_mapped), shells))
        yield Step(self.starter.name, last)

    def deliver(self, text: bytes) -> Delivery:
        """What this transport hands over for `text`."""
        result: bytes | Delivery = b""
        for step in self.steps(text):
            result = step.result
        assert not isinstance(result, bytes), f"the stack {self.name} ends in text"
        return result

    def protects_characters(self) -> bool:
        """Whether each active character can be protected by itself: what causes are found with."""
        return protection_of(self.boundaries) is not None

    def active(self, text: bytes) -> tuple[tuple[int, str], ...]:
        """Offset and rule of each character that a boundary of this stack may treat as its own.

        Empty unless `protects_characters`. What a boundary's rules leave alone where it stands is left out, where only
        one boundary has rules; behind another one it can stand elsewhere by then.
        """
        protection = protection_of(self.boundaries)
        if protection is None:
            return ()
        with_rules = [boundary for boundary in self.boundaries if boundary.rules]
        one = with_rules[0] if len(with_rules) == 1 else None
        return tuple(
            (offset, protection.rules[byte])
            for offset, byte in enumerate(text)
            if byte in protection.rules and not (one and one.inert(text, offset))
        )

    def protect(self, text: bytes, offsets: Collection[int]) -> bytes:
        """`text` with the active characters at `offsets` protected, each by itself."""
        protection = protection_of(self.boundaries)
        parts = []
        for offset, byte in enumerate(text):
            one = text[offset : offset + 1]
            protected = protection.shield(one) if protection is not None and offset in offsets else None
            assert protected is not None or offset not in offsets, f"byte {byte} can't be protected over {self.name}"
            parts.append(one if protected is None else protected)
        return b"".join(parts)

    def armor(self, program: bytes) -> bytes | None:
        """A reply that has the effect of `program` over this whole stack, or None where no lossless way exists.

        Where a layer has no rules for single characters, one that wraps the text in a program of its own can only be
        armored if all that follows is faithful: what comes after would otherwise damage the wrapper, which no reply
        can protect.
        """
        protection = protection_of(self.boundaries)
        if protection is not None:
            return protection.armor(program)
        if is_left_alone(self.boundaries, program):
            return program
        text: bytes | None = program
        followed_by_damage = False
        for boundary in reversed(self.boundaries):
            if text is None or (followed_by_damage and (boundary.starts_shell or boundary.adds_text)):
                return None
            text = boundary.armor(text)
            followed_by_damage |= not boundary.faithful
        return text


def _with_shells(launch: Launch, shells: list[Boundary]) -> Launch:
    """The launch, told which shell reads the reply and how many stand between it and what the launch starts.

    Shells that no recorder can stand before are not counted: what the last visible one gets is what arrived.
    """
    seen = launch.inner_shells + sum(boundary.sees_arrival for boundary in shells)
    # The first one needs no recorder: what it gets is in the launch.
    first_is_seen = launch.first_shell is not None and bool(shells) and shells[-1].sees_arrival
    shell = shells[0].shell if shells else "bash"
    hides = bool(shells) and not shells[0].sees_arrival
    return replace(launch, inner_shells=seen - first_is_seen, shell=shell, hides_arrival=hides)


def launch_as_program(launch: Launch, word: Callable[[bytes], bytes] = as_word) -> bytes:
    """A Bash program that starts `launch`: how a starter is embedded when another layer follows it.

    `word` writes a text as one word.
    """
    # The path finds the same programs as the absolute names.
    words = b" ".join(map(word, launch.argv))
    if launch.stdin is None:
        return words
    return words + b" <<< " + word(launch.stdin)
