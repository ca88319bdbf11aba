"""Asking for replies: the prompts of each contract."""
