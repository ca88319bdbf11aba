# Everything that is done with a checkout. `make help` lists it. Each target first sets up what is missing.
#
# PYTHON=python3.12  the interpreter to set up with     VENV=.venv-3.12  where; several can live side by side
# ARGS='...'         more arguments for pytest

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV ?= .venv
export VENV PYTHON

python := "$(VENV)"/bin/python
# Three workers for two cores, since many tests wait, and no more than six: each starts sandboxes of its own.
pytest := $(python) -m pytest
workers := $(shell cores=$$(nproc); echo $$((cores * 3 / 2 > 6 ? 6 : (cores * 3 + 1) / 2)))
parallel := -n $(workers) --dist worksteal
SECONDS ?= 3600

.PHONY: help setup tools demo test test-long arch lint types format lock bench breakers fuzz-long wheel clean distclean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv with locked tools, install Debian packages where possible, check the sandbox
	@scripts/setup.sh

tools: ## Make .venv only: enough for lint, types and wheel
	@scripts/setup.sh --tools

demo: setup ## Validate the public tasks, replay the shipped replies, print what each transport broke
	@scripts/demo.sh

test: setup ## Run the whole test suite
	@$(pytest) $(parallel) $(ARGS)

test-long: setup ## Run the tests that take too long for every day
	@$(pytest) $(parallel) --nightly -m nightly $(ARGS)

arch: tools ## Check who imports whom, cycles, file sizes, start-up weight, help texts
	@$(pytest) tests/arch $(ARGS)

lint: tools ## Check style and formatting
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .

types: tools ## Check types, strictly, in qfuzz/ and families/
	@$(python) -m mypy

format: tools ## Rewrite the code in the one format that lint accepts
	@$(python) -m ruff check --fix --exit-zero --quiet .
	@$(python) -m ruff format .

lock: tools ## Lock the newest releases that pyproject.toml allows
	@scripts/lock.sh --upgrade

bench: setup ## Measure speed: both sides in one run, medians and ratios, as JSON
	@$(python) -m bench

breakers: setup ## Make corpus/breakers/ for transports that have no file there
	@$(python) scripts/corpus_breakers.py

fuzz-long: setup ## Hold faithful transports and every armor to drawn programs, for SECONDS=3600
	@$(python) -m tests.conformance.test_faithful_fuzz $(SECONDS)

wheel: tools ## Build a wheel into dist/
	@rm -rf build/lib build/bdist.*
	@$(python) -m build --wheel --no-isolation --outdir dist .

clean: ## Remove what make built and every cache
	@rm -rf build dist qfuzz.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find qfuzz families corpus tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove .venv as well
	@rm -rf "$(VENV)"
