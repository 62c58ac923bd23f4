# The one entry point. Each target does its own set-up; run again, the set-up is a matter of milliseconds.
.DEFAULT_GOAL := help
SHELL := /bin/sh
VENV := .venv
PY := $(VENV)/bin/python

# commands the product runs, and commands only the tests need, each with the Debian package that has it
RUN_NEEDS := bwrap=bubblewrap git=git node=nodejs npm=npm
TEST_NEEDS := $(RUN_NEEDS) strace=strace faketime=faketime zsh=zsh fish=fish groff=groff-base systemd-run=systemd nsenter=util-linux

$(VENV)/.package: pyproject.toml tools/setup
	@tools/setup $(VENV) package $(RUN_NEEDS)
	@touch $@

$(VENV)/.dev: pyproject.toml requirements-dev.txt tools/setup
	@tools/setup $(VENV) dev $(TEST_NEEDS)
	@touch $@ $(VENV)/.package

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(VENV)/.package ## see what affidavit does, on this machine
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" tools/demo

.PHONY: test
test: $(VENV)/.dev ## run the tests
	@$(PY) -m pytest -q -n auto --maxprocesses 4 --ignore=tests/browser $(PYTEST_ARGS)

.PHONY: browser-test
browser-test: $(VENV)/.dev ## open report pages in a real browser, which it installs
	@tools/setup $(VENV) dev "chromium-headless-shell=chromium-headless-shell fonts-dejavu-core"
	@$(PY) -m pytest -q tests/browser

.PHONY: lint
lint: $(VENV)/.dev ## ruff and mypy --strict, over source, tests and benches
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

.PHONY: vectors
vectors: $(VENV)/.dev ## write the conformance vectors again
	@$(PY) tests/vectors/generate.py

.PHONY: reference
reference: $(VENV)/.dev ## write the command reference and the manual page again
	@mkdir -p docs/reference docs/man
	@$(PY) -m affidavit.cli.reference > docs/reference/commands.md
	@$(PY) -m affidavit.cli.reference man > docs/man/affidavit.1

.PHONY: bench
bench: $(VENV)/.dev ## print the ratios that docs/performance.md speaks of
	@$(PY) -m bench

.PHONY: bench-peers
bench-peers: $(VENV)/.dev ## the same, beside programs of others, which it installs into .bench-peers
	@python3 -m venv .bench-peers
	@.bench-peers/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-peers.txt
	@$(PY) -m bench

.PHONY: crash
crash: $(VENV)/.dev ## cut the store off at every system call, and take the power at every step
	@CRASH_EVERY=1 CROWD_RUNS=6 CROWD_SEEDS=8 $(PY) -m pytest -q -n auto --maxprocesses 4 tests/crash tests/concurrency $(PYTEST_ARGS)

.PHONY: stress
stress: $(VENV)/.dev ## a hundred sandboxes at once, and supervisors killed at any moment
	@$(PY) -m tests.sandbox.stress

.PHONY: fuzz
fuzz: $(VENV)/.dev ## the long fuzz and comparison runs (FUZZ_SECONDS=600)
	@$(PY) tests/fuzz/run.py $(or $(FUZZ_SECONDS),600)

.PHONY: mutants
mutants: $(VENV)/.dev ## thousands of mutants of a promotable run, none of them promotable (MUTANTS=6000)
	@$(PY) tests/runtime/mutants.py $(or $(MUTANTS),6000) $(MUTANTS_SEED)

.PHONY: corpus
corpus: $(VENV)/.dev ## replay the corpus of deterministic and nondeterministic programs (CORPUS_TIMES=20)
	@$(PY) -m tests.corpus.corpus $(or $(CORPUS_TIMES),20)

.PHONY: clean
clean: ## remove what was built
	@rm -rf $(VENV) .bench-peers build dist .mypy_cache .ruff_cache .hypothesis bench/results.json
