# `make run` and `make test` start from nothing but Python 3.11 or newer, with pip and venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= $(or $(NNM_DATA),../shared/data)

.PHONY: run test lint types bench clean

run: $(VENV)/.installed
	$(BIN)/nnm

# Two of the workers begin with the browser's tests, which mostly wait; tests/conftest.py says what runs together.
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

bench: $(VENV)/.installed-test $(VENV)/.installed-bench
	$(BIN)/python benchmarks/fit_peers.py --data "$(DATA)"
	$(BIN)/python benchmarks/converged_peers.py --data "$(DATA)"
	$(BIN)/python benchmarks/generic_solver.py --data "$(DATA)"
	$(BIN)/python benchmarks/one_answer.py --data "$(DATA)"
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/curve.py --data "$(DATA)"
	$(BIN)/python benchmarks/hierarchy.py --data "$(DATA)"
	$(BIN)/python benchmarks/ranking.py --data "$(DATA)"
	NNM_DATA="$(DATA)" $(BIN)/python benchmarks/ingestion.py
	$(BIN)/python benchmarks/dashboard.py

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	@echo "Compiling the inner loops, once on this machine ..."
	$(BIN)/nnm fit --output $(VENV)/first.nnm >/dev/null
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

$(VENV)/.installed-bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable ".[benchmarks]"
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
