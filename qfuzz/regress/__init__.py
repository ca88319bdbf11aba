"""Breaker files: read, replayed, told of, and filled from a store."""
