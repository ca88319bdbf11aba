"""Frozen data that every room shares, its JSON forms and the errors. Standard library only."""
