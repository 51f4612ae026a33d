# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXTRAS := tables,leiden,tensorboard,export,web,scale,ray,test,browser,check,docs
# One thread a test worker: two workers with a pool of threads each fight over the same cores.
WORKERS ?= 2
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS)

.PHONY: setup demo test test-all check format docs bench reproduce clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$(EXTRAS)]"
	touch $(STAMP)

demo: setup
	$(BIN)/abclust demo

test: setup
	$(PYTEST)

test-all: setup
	$(PYTEST) -m "slow or not slow"

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright
	$(BIN)/codespell

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup
	$(BIN)/sphinx-build --fail-on-warning --keep-going --builder html docs docs/_build/html

bench: setup
	for benchmark in benchmarks/bench_*.py; do $(BIN)/python $$benchmark || exit 1; done

reproduce: setup
	for name in $$($(BIN)/abclust reproduce --list); do $(BIN)/abclust reproduce $$name || exit 1; done

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .ruff_cache .import_linter_cache
