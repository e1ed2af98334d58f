# Everything runs in .venv, which the first target that needs it builds. PYTHON chooses the interpreter (3.11 or later).
PYTHON ?= python3
CONFIG ?= ppo.yaml
PYTEST_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.bench-ready
PEERS := .venv-peers
PEERS_READY := $(PEERS)/.ready

# One thread per numeric library: the tests are many small calls, and two pools on two cores only wait for each other.
TEST_ENV := OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 MPLBACKEND=Agg SDL_VIDEODRIVER=dummy

.DEFAULT_GOAL := help
.PHONY: help train test check slow bench family toys peers golden docs pictures site format clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "python 3.11 or later is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[bench]'
	@touch $@

train: $(READY) ## train the default policy (about ten minutes on two cores) and compare it with the bots
	$(BIN)/python train.py --config $(CONFIG)

test: $(READY) ## run the tests, all but the slow ones (PYTEST_ARGS=... is passed on)
	$(TEST_ENV) $(BIN)/python -m pytest -m "not slow" $(PYTEST_ARGS)

slow: $(READY) ## run the slow tests
	$(TEST_ENV) $(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

check: $(READY) ## lint, formatting, types, layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## rewrite the sources in the project's format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(BENCH_READY) ## measure against the peers of the extra `bench`; writes benchmarks/results.json
	OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 $(BIN)/python -m benchmarks

# RLlib pins an older gymnasium, so it gets an environment of its own, with the oldest pettingzoo too.
$(PEERS_READY): pyproject.toml constraints-peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet -c constraints-peers.txt -e '.[agents]' 'ray[rllib]' pytest hypothesis
	@touch $@

peers: $(PEERS_READY) ## run the RLlib example and the conformance tests on the oldest gymnasium and pettingzoo (2 GB in .venv-peers)
	$(TEST_ENV) $(PEERS)/bin/python -m pytest -o addopts="--import-mode=importlib --strict-markers" \
		tests/examples/test_rllib_self_play.py tests/examples/test_constraints.py \
		tests/conformance tests/test_aec.py tests/test_gymnasium.py $(PYTEST_ARGS)

family: $(READY) ## train on every preset for a short budget and compare with the bots (about half an hour); writes docs/family.json
	$(BIN)/python -m docs.family
	$(BIN)/python -m docs.tables

toys: $(READY) ## solve the two-player toy by every tabular method and by networks (about a quarter of an hour); writes docs/toys.json
	OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 $(BIN)/python -m docs.toys
	$(BIN)/python -m docs.tables

site: $(READY) ## build the documentation site into site/, warnings are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

golden: $(READY) ## rewrite the golden deals under tests/golden; read the diff
	$(TEST_ENV) $(BIN)/python tests/golden/rewrite.py

docs: $(READY) ## rewrite the tables that the code prints into docs/
	$(BIN)/python -m docs.tables

pictures: $(READY) ## redraw the sample pictures of the table and the cards under docs/img
	$(BIN)/python -m docs.pictures

clean: ## remove the environment, caches and compiled kernels
	rm -rf $(VENV) $(PEERS) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
