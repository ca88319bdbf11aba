"""Choices from a seed or from Hypothesis, payload genres, and building task sets from the families."""
