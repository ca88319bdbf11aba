"""Boundaries, one file a kind, and how a stack of them carries a reply to a launch."""
