# Twice: everything a person or a machine needs to run, test and check it.
# A fresh machine needs git, make and python3 (3.11 or newer); the rest is made here, in .venv.

SHELL := /bin/sh
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
LOCKED := .venv/.locked
READY := .venv/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help dream test check lint types layers tests lock format clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

dream: $(READY) ## Read the sessions on this machine (or else the samples) and propose what recurs
	@$(BIN)/twice dream --mode suggest --otherwise examples/sessions

test: check ## Run every check and every test, exactly as CI does

check: lint types layers tests ## The same, by its parts: lint types layers tests

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports --no-cache

tests: $(READY)
	$(BIN)/python -m pytest -n 2

format: $(READY) ## Mend what can be mended by itself: order of imports, layout
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The lock names versions and hashes, never a host: where packages come from is the machine's matter.
lock: ## Renew requirements.lock (versions and hashes of everything that is installed)
	@uv=$$(command -v $(BIN)/uv || command -v uv) || \
	  { echo "make lock needs uv: run 'make test' once, or install uv." >&2; exit 1; }; \
	"$$uv" pip compile pyproject.toml --group dev --upgrade --quiet \
	  --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links \
	  --custom-compile-command "make lock" --output-file requirements.lock
	@if grep -nE '://|^--' requirements.lock; then \
	  echo "requirements.lock names a host or an option of this machine; see the lines above." >&2; \
	  exit 1; fi

clean: ## Remove the environment and every cache
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The environment is made in two steps, each with a mark that is set last: a step that was
# interrupted has no mark, and is done again from its beginning.
$(LOCKED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Twice needs Python 3.11 or newer as $(PYTHON): install it, or name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make environments: install its venv package (Debian, Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@echo "Making the environment in .venv (once, about a minute)" >&2
	@rm -f $(LOCKED) $(READY)
	@$(PYTHON) -m venv --clear .venv
	@$(INSTALL) --require-hashes --requirement requirements.lock
	@echo "$(CURDIR)" > $@

$(READY): $(LOCKED) pyproject.toml
	@rm -f $@
	@$(INSTALL) --no-build-isolation --no-deps --editable .
	@touch $@

# An environment whose Python has gone, or that was made for another folder, is made anew.
ifneq ($(shell cat $(LOCKED) 2>/dev/null; $(BIN)/python -c '' 2>/dev/null && echo runs),$(CURDIR) runs)
.PHONY: $(LOCKED)
endif
