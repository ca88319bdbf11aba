"""JUnit XML of a run of cases, in the form that CI services read (the schema of Jenkins' xUnit plugin, `junit-10`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from qfuzz.model.case import SUFFIX
from qfuzz.regress.judge import Replayed, Standing

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 can't hold, not even escaped (production 2, Char)."""

_FAULTS = frozenset({Standing.BROKE, Standing.MENDED, Standing.OTHERWISE})


@dataclass(frozen=True, slots=True)
class Told:
    """A case with the lines that are said of it; the first is the message."""

    replayed: Replayed
    lines: Sequence[str]


def junit_xml(cases: Iterable[Told], *, refused_is_fault: bool, left_out_is_fault: bool = True) -> bytes:
    """One suite a file, in the order of the cases.

    What is not as expected is a failure, what could not be judged an error, and what is not carried or left out a
    skipped case, unless that is a fault here.
    """
    skipped = {Standing.REFUSED: not refused_is_fault, Standing.LEFT_OUT: not left_out_is_fault}
    files: dict[str, list[Told]] = {}
    for told in cases:
        files.setdefault(told.replayed.placed.where.rpartition(":")[0], []).append(told)
    root = ET.Element("testsuites", name="qfuzz regress")
    total = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for file, listed in files.items():
        suite = ET.SubElement(root, "testsuite", name=_text(file))
        counts = dict.fromkeys(total, 0)
        for told in listed:
            counts["tests"] += 1
            kind = _add_case(suite, file, told, skipped.get(told.replayed.standing, False))
            if kind:
                counts[kind] += 1
        for name, count in counts.items():
            suite.set(name, str(count))
            total[name] += count
    for name, count in total.items():
        if name != "skipped":
            root.set(name, str(count))
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _add_case(suite: ET.Element, file: str, told: Told, skipped: bool) -> str:
    """Adds one case; says under which count it goes, or nothing."""
    replayed = told.replayed
    classname = file.removesuffix(SUFFIX).replace("/", ".").strip(".")
    case = ET.SubElement(suite, "testcase", classname=_text(classname), name=_text(replayed.placed.name))
    standing = replayed.standing
    if standing is Standing.AS_EXPECTED:
        return ""
    message = _text(told.lines[0])
    if skipped:
        ET.SubElement(case, "skipped", message=message)
        return "skipped"
    kind = "failure" if standing in _FAULTS or standing is Standing.REFUSED else "error"
    element = ET.SubElement(case, kind, message=message, type=standing.value)
    element.text = _text("\n".join(told.lines))
    return f"{kind}s"


def _text(text: str) -> str:
    """`text` with what XML can't hold as escapes."""
    return _NOT_IN_XML.sub(lambda found: ascii(found[0])[1:-1], text)
