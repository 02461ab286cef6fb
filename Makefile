# Every target works first thing after a clone: each makes or reuses .venv.
PYTHON ?= python3
VENV := .venv
# What pip is told besides: which versions.
VERSIONS := --constraint constraints.txt
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TESTED := $(VENV)/.installed-dev

.PHONY: demo test test-plain test-bounds test-lowest test-newest audit attack lint format bench bench-check docs dist clean

demo: $(INSTALLED)
	$(BIN)/fenchel compare

# One thread a process: there are as many processes as cores.
test: $(TESTED)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses logical --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# Compiled by Numba's public functions alone, dicts read by Python.
test-plain:
	FENCHEL_PLAIN_COMPILER=1 FENCHEL_PLAIN_DICTS=1 $(MAKE) test

# Compiled code looks before each read and write whether it stays inside its array.
test-bounds:
	NUMBA_BOUNDSCHECK=1 $(MAKE) test

# With the lowest versions that pyproject.toml allows.
test-lowest:
	$(MAKE) test VENV=.venv-lowest VERSIONS="--constraint constraints-lowest.txt"

# With the newest versions there are.
test-newest:
	rm -f .venv-newest/.installed*
	$(MAKE) test VENV=.venv-newest VERSIONS="--upgrade --upgrade-strategy eager"

# Every certificate recomputed for ten minutes by code of its own; writes benchmarks/AUDIT.md.
audit: $(TESTED)
	$(BIN)/python -m tests.audit

# Ten minutes of hostile use: interrupts, forged files, races, forks, full disks, damaged caches.
SEED := 1
attack: $(TESTED)
	$(BIN)/python -m tests.attack --minutes 10 --seed $(SEED)

lint: $(TESTED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(TESTED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.speed

# What became slower than at the last tag, or without one than at the commit that benchmarks/check.json names;
# than at any: make bench-check BEFORE=v0.1. STORE=1 keeps the ratios in that file.
bench-check: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.check --before "$(BEFORE)" $(if $(STORE),--store)

docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Wheel and source in dist/, their metadata checked, each installed and tried in an environment of its own.
DIST := .venv-dist
dist:
	rm -rf dist $(DIST)
	$(PYTHON) -m venv $(DIST)
	$(DIST)/bin/python -m pip install --quiet build twine
	$(DIST)/bin/python -m build --outdir dist
	$(DIST)/bin/python -m twine check --strict dist/*
	for file in dist/*.whl dist/*.tar.gz; do \
	  rm -rf $(DIST)-try && $(PYTHON) -m venv $(DIST)-try && \
	  $(DIST)-try/bin/python -m pip install --quiet --constraint constraints.txt "$$file" && \
	  .ci/smoke $(CURDIR)/$(DIST)-try/bin/python || exit 1; \
	done
	rm -rf $(DIST)-try

clean:
	rm -rf dist $(DIST) $(VENV) .venv-lowest .venv-newest .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt constraints-lowest.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet $(VERSIONS) --editable .
	$(BIN)/python -m compileall -q src
	touch $@

$(TESTED): pyproject.toml constraints.txt constraints-lowest.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet $(VERSIONS) --editable ".[dev]"
	$(BIN)/python -m compileall -q src
	touch $@ $(INSTALLED)

# An extra on top of the development set: .installed-docs, .installed-bench.
$(VENV)/.installed-%: $(TESTED)
	$(BIN)/python -m pip install --quiet $(VERSIONS) --editable ".[$*]"
	touch $@
