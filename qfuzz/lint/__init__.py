"""Predictions from text alone: which characters of a reply a boundary will treat as its own. Executes no reply."""
