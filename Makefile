# Everything here starts from a fresh machine with python3 (3.11 or newer), make and a C compiler.
#
#   make selfplay                 the main job, on a small scale
#   make test                     all tests
#   make test ARGS="-k rules"     some of them
#   make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help selfplay test learner lint types tidy bench bench-smoke gate docs ci install-dev clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

# The environment, in steps that are remembered: each stamp is older than what it depends on only after a change.
$(VENV)/.stamp-created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mextrain needs Python 3.11 or newer, but $(PYTHON) is " + sys.version.split()[0] + ": name another one, as in make test PYTHON=python3.13")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.stamp-run: $(VENV)/.stamp-created pyproject.toml
	$(PIP) --editable '.[io]'
	@touch $@

$(VENV)/.stamp-test: $(VENV)/.stamp-created pyproject.toml
	$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/.stamp-docs: $(VENV)/.stamp-created pyproject.toml
	$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp-created pyproject.toml
	$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.stamp-test $(VENV)/.stamp-docs

# A folder that is there already is continued, and a finished one only says so.
selfplay: $(VENV)/.stamp-run ## play 20,000 matches of four random players into runs/demo
	$(BIN)/mextrain selfplay --rules mexican --players 4 --games 20000 --seed 1 --out runs/demo $(if $(wildcard runs/demo),--resume)

test: $(VENV)/.stamp-test ## run all tests
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal $(ARGS)

# Exactly this version: a later one may come with libraries for graphics cards, several gigabytes of them.
$(VENV)/.stamp-learner: $(VENV)/.stamp-test
	$(PIP) torch==2.13.0
	@touch $@

learner: $(VENV)/.stamp-learner ## train the example learner for a minute, and check what it learns
	MEXTRAIN_LEARNER=1 $(BIN)/python -m pytest tests/learner $(ARGS)

lint: $(VENV)/.stamp-dev ## check style and imports
	$(BIN)/ruff check .

types: $(VENV)/.stamp-dev ## check types
	$(BIN)/mypy

tidy: $(VENV)/.stamp-test ## check the habits of the house
	$(BIN)/python -m pytest -q tests/tidy $(ARGS)

bench: $(VENV)/.stamp-test ## run the benchmarks in full
	MEXTRAIN_BENCH=full $(BIN)/python -m pytest bench $(ARGS)

bench-smoke: $(VENV)/.stamp-test ## run every benchmark once, small
	MEXTRAIN_BENCH=smoke $(BIN)/python -m pytest -q bench --benchmark-disable $(ARGS)

gate: $(VENV)/.stamp-test ## is the engine what it was, and as fast?
	$(BIN)/python -m bench.gate

docs: $(VENV)/.stamp-docs ## build the site of the documentation into site/
	$(BIN)/python -m ci.site $(ARGS)

install-dev: $(VENV)/.stamp-dev ## create the environment with all tools

ci: ## run what must pass before a change is accepted
	.ci/run

clean: ## remove the environment and all caches, but no runs
	rm -rf $(VENV) .cache build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
