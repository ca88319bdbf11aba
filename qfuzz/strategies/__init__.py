"""Hypothesis strategies of payloads, words, tasks and programs. Needs Hypothesis: `pip install 'qfuzz[fuzz]'`."""

from qfuzz.strategies.drawn import DrawnChoices
from qfuzz.strategies.grammar import CONSTRUCTS, Program, free_programs, programs
from qfuzz.strategies.tasks import (
    FamilyProgram,
    accepted_payloads,
    family_payloads,
    family_programs,
    references,
    tasks,
)
from qfuzz.strategies.texts import bodies, filenames, payloads
from qfuzz.strategies.words import STYLES, Word, words

__all__ = [
    "CONSTRUCTS",
    "STYLES",
    "DrawnChoices",
    "FamilyProgram",
    "Program",
    "Word",
    "accepted_payloads",
    "bodies",
    "family_payloads",
    "family_programs",
    "filenames",
    "free_programs",
    "payloads",
    "programs",
    "references",
    "tasks",
    "words",
]
