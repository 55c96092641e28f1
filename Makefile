# Two commands for strangers: `make demo` and `make test`. Both make .venv first, from requirements.lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TRAIN := .venv-train

.PHONY: help venv venv-train demo test train check ci lock clean

help:
	@echo "make demo   a simulated hand through the real detector, with the dashboard"
	@echo "make test   the fast tests"
	@echo "make train  trains both networks further; interrupted, the same command goes on (MINUTES=120)"
	@echo "make check  types, lint, layers"
	@echo "make ci     everything that must be green (.ci/run)"
	@echo "make lock   renew requirements.lock and requirements-train.lock"

venv: $(VENV)/.installed

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Bookwatch needs Python 3.11 or newer; $(PYTHON) is older or missing. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

venv-train: $(TRAIN)/.installed

$(TRAIN)/.installed: requirements-train.lock pyproject.toml
	@test -x $(TRAIN)/bin/python || $(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-train.lock
	$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

demo: venv
	$(BIN)/bookwatch demo

test: venv
	$(BIN)/python -m pytest -q -m "not slow and not browser"

train: venv-train
	$(TRAIN)/bin/python -m vision.training.sitting --minutes $(or $(MINUTES),120)

check: venv
	$(BIN)/mypy engine vision device webui
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

ci:
	.ci/run

# torch is held back to the version that the training figures were measured with.
lock: venv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
	  --no-header --no-annotate --no-emit-index-url --quiet --output-file requirements.lock
	printf 'torch==2.14.1\ntorchvision==0.29.1\n' | $(BIN)/uv pip compile pyproject.toml --extra train -c - \
	  --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url --quiet \
	  --output-file requirements-train.lock

clean:
	rm -rf $(VENV) $(TRAIN) build dist runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
