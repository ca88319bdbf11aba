"""Benchmarks: they measure and judge nothing. `make bench` runs all."""
