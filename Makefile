# Everything is installed in .venv, which the first target that needs it creates.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
TESTS := $(BIN)/python -m pytest -n auto --dist worksteal
export PYTHONDONTWRITEBYTECODE :=  # the processes that tests start would compile all of outplay each time

.PHONY: demo test nightly check docs site package matrix benchmark clean

demo: .venv/installed  ## analyse a Connect Four position
	$(BIN)/outplay analyse connect-four --moves 4444 --seconds 2

test: .venv/developer  ## run the tests, in about eleven minutes on two cores
	@# in parts: a process keeps all that it compiles, 30 MB for each game
	$(TESTS) -m "not nightly" tests/compile
	$(TESTS) -m "not nightly" tests/tables
	$(TESTS) -m "not nightly" --ignore tests/compile --ignore tests/tables

nightly: .venv/developer  ## run all other tests, and those of make test with compiled games, twice, and beside busy loops: hours
	@# in parts, for the same reason
	for part in $$(ls -d tests/*/ | grep -v torture) tests/torture/test_*.py; do \
		$(TESTS) -m nightly $$part || test $$? = 5 || exit 1; done
	for part in tests/*/ src; do $(TESTS) -m "not nightly" --compiled $$part || test $$? = 5 || exit 1; done
	$(BIN)/python tests/programs/try_programs.py --programs 2000 --seed $$(date +%j)
	$(BIN)/python tools/repeat.py

check: .venv/developer  ## check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: .venv/developer  ## run the code of all pages and notebooks, and build them as static files
	$(TESTS) tests/project/test_docs.py tests/project/test_notebooks.py
	$(MAKE) site

site: .venv/developer  ## build the documentation as static files in docs/_build/html
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs auto --doctree-dir docs/_build/doctrees docs docs/_build/html
	@echo "open docs/_build/html/index.html"

package: .venv/bin/python  ## build the wheel, install and try it in an empty environment, and resolve its extras
	$(BIN)/python tools/package.py

matrix: .venv/bin/python  ## test the oldest and newest Numba with each Python on this machine: some minutes
	$(BIN)/python tools/matrix.py

benchmark: .venv/benchmarks  ## compare the speed of outplay with other libraries, as ratios
	$(BIN)/python -m benchmarks

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "outplay needs Python 3.11 or newer: install it, or run make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(INSTALL) --editable .
	@touch $@

.venv/developer: .venv/bin/python pyproject.toml
	$(INSTALL) --editable '.[dev,docs]'
	@touch .venv/installed $@

.venv/benchmarks: .venv/installed
	$(INSTALL) --editable '.[benchmarks]'
	$(INSTALL) --no-deps 'aima3>=1.0.11'  # pins an old networkx
	@touch $@

clean:  ## remove the environments, and what the tests have compiled
	rm -rf .venv .matrix .cache
