"""Minimal forms of a breaker: pure search over functions that execute; nothing here starts a process."""
