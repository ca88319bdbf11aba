"""Counts in, estimates out: effects, intervals, ranks. Pure; each function names the source of its formula."""
