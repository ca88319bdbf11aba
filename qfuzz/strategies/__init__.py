"""Hypothesis strategies for tasks. Needs Hypothesis installed; nothing else of qfuzz imports this room."""

from qfuzz.strategies.tasks import DrawnChoices, accepted_payloads, payloads, programs, tasks

__all__ = ["DrawnChoices", "accepted_payloads", "payloads", "programs", "tasks"]
