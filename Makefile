# SPDX-License-Identifier: Apache-2.0
# What a newcomer types. Everything is installed into .venv; nothing outside this folder is touched.
PYTHON      ?= python3
VENV        := .venv
BIN         := $(VENV)/bin
SIZE        ?= base
PYTEST_ARGS ?=
# Tests to run, files or folders; a few files start sooner without worker processes.
FILE        ?=
PYTEST      := $(BIN)/python -m pytest
PARALLEL    := -n 2 --dist worksteal
# The slowest test takes a minute; one that takes 15 never ends, and its process is ended instead.
LIMITED     := $(PARALLEL) --timeout 900 --timeout-method thread
# Each meets a wheel, a compiler or a simulator in a way that may differ by the version of Python.
VERSIONS    := tests/golden/tflm tests/hdl/test_core.py tests/hdl/test_isa.py tests/host/cli \
    tests/host/kit/test_installed.py tests/rtl/tflite/test_operators.py tests/sim/kit/test_nngen.py \
    tests/sim/test_build.py tests/sim/test_verilator.py tests/test_door.py tests/test_imports.py
# No simulator, no compiler: instruction set, models, plans, command line.
QUICK       := tests/golden/machine tests/golden/mli1 tests/hdl/test_isa.py tests/host/plan/program \
    tests/test_door.py
REGRESS_ARGS ?=
SEED        := $(or $(SEED),$(shell date +%s))
# Bytecode of everything, installed packages too, is compiled once and kept in build.
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help fpga demo demo-tflite test quick versions lint site regress signoff formal mutants coverage gates bitstream board soc long bench docs figures explore fit boards train clean

help:     ## This list
	@awk -F ':.*## *' '/^[a-z-]+:.*##/ {printf "make %-12s%s\n", $$1, $$2}' Makefile

demo: $(VENV)/installed-run   ## Classify handwritten digits on the core in RTL
	@$(BIN)/xymac run host/examples/data/digits_cnn.npz --images host/examples/data/digits_images.npz --size $(SIZE) --backend rtl

demo-tflite: $(VENV)/installed-run   ## The same with a .tflite file of int8 values
	@$(BIN)/xymac run host/examples/data/digits_cnn.tflite --images host/examples/data/digits_pixels.npz --size $(SIZE) --backend rtl

test: $(VENV)/installed-test   ## The tests except the long ones; FILE=tests/... for some of them
	@$(PYTEST) $(or $(FILE),$(LIMITED)) $(PYTEST_ARGS)

quick: lint   ## Lint and the tests of a minute, while editing
	@$(PYTEST) $(LIMITED) $(QUICK) $(PYTEST_ARGS)

versions: $(VENV)/installed-test   ## The tests that may differ by the version of Python
	@$(PYTEST) $(LIMITED) $(VERSIONS) $(PYTEST_ARGS)

lint: $(VENV)/installed-test   ## Style of the sources, imports between packages, and types
	@$(BIN)/ruff check .
	@bin=$(abspath $(BIN)) && cd $$($(BIN)/python -m tests.support.modules) && \
	    PYTHONPATH=. $$bin/lint-imports --no-cache $(CURDIR)/pyproject.toml > lint.log || { cat lint.log; exit 1; }
	@$(BIN)/basedpyright --pythonpath $(BIN)/python

site: $(VENV)/installed-site   ## These documents and the API reference as a site in build/site
	@$(BIN)/python -m sphinx -W --keep-going -q docs build/site

# In processes of this computer; REGRESS_ARGS="--cluster ..." for others. SEED=N repeats a run.
regress: $(VENV)/installed-test   ## All vendor vectors on golden, machine and RTL, new random tests, and more
	@$(BIN)/xymac regress --seed $(SEED) $(REGRESS_ARGS)

signoff: $(VENV)/installed-test $(VENV)/installed-formal   ## The sign-off page docs/signoff.md, after a cut of all checks (an hour)
	@$(BIN)/python -m xymac.sim.signoff $(SIGNOFF_ARGS)

formal: $(VENV)/installed-formal   ## Proofs of properties of the hardware, and planted faults
	@$(BIN)/python -m xymac.sim.formal

coverage: $(VENV)/installed-test   ## Coverage of the hardware in lines of its sources (half an hour); COVERAGE_ARGS=--quick
	@$(BIN)/python -m xymac.sim.coverage $(COVERAGE_ARGS)

# A sample; the whole is in `make regress`. The same command goes on where it was stopped.
mutants: $(VENV)/installed-test $(VENV)/installed-formal   ## Small changes to the sources, which tests must notice
	@$(BIN)/python -m xymac.sim.mutants hardware --sample 600 $(MUTANTS_ARGS)
	@$(BIN)/python -m xymac.sim.mutants.software --sample 500

gates: $(VENV)/installed-test   ## The tiny core after synthesis: a vector of every function; a whole board
	@$(PYTEST) -m gates $(or $(FILE),tests/rtl/test_gate_level.py tests/sim/test_netlist.py) $(PYTEST_ARGS)

bitstream: $(VENV)/installed-test   ## The bitstream of the iCEBreaker twice, byte for byte
	@$(PYTEST) -m bitstream tests/boards/test_bitstream.py $(PYTEST_ARGS)

long: $(VENV)/installed-test   ## Tests that `make test` has no time for
	@$(PYTEST) $(PARALLEL) -m long $(PYTEST_ARGS)

board: $(VENV)/installed-test   ## A simulated board, and 10,000 faults on its line
	@$(PYTEST) -m '' tests/sim/test_board.py --faults 10000 --log-cli-level=INFO \
	    $(PYTEST_ARGS)
	@$(PYTEST) tests/sim/test_board.py --board ulx3s-85f --log-cli-level=INFO \
	    $(PYTEST_ARGS)

soc: $(VENV)/installed-soc   ## A processor that runs digits on the core: the whole system in simulation
	@$(BIN)/xymac simulate --soc --size $(SIZE)

bench: $(VENV)/installed-run   ## Cycles of the benchmarks against their ideal cycles
	@$(BIN)/xymac bench

docs: $(VENV)/installed-test   ## The tables and drawings of README and docs (minutes; WORKLOADS=DIR: all)
	@$(BIN)/python -m docs.tables $(WORKLOADS:%=--workloads=%)

figures: $(VENV)/installed-test   ## The drawings alone, from the tables
	@$(BIN)/python -m docs.tables --figures

fpga: $(VENV)/installed-fpga   ## Install what `xymac build`, `fit` and `explore` need
	@echo "$(BIN)/xymac build --board NAME makes a bitstream; $(BIN)/xymac ports lists boards"

explore: $(VENV)/installed-fpga   ## The drawing of sizes in docs (some minutes of synthesis a size)
	@$(BIN)/python -m xymac.sim.benchmarks.files -o build
	@$(BIN)/xymac explore --network host/examples/data/digits_cnn.tflite build/cifar10_large_fx8.npz \
	    --ways 1,2,4 --x-rows 1024,2048 --y-rows 2048 --device ecp5-25k --plot docs/figures/explore.svg

fit: $(VENV)/installed-fpga   ## Synthesis, place and route of base and small (about an hour)
	@$(BIN)/xymac fit --size base --device ecp5-85k --seeds 5
	@$(BIN)/xymac fit --size small --device ecp5-25k --seeds 5

boards: $(VENV)/installed-fpga   ## The table of the boards in docs, five seeds each (some hours)
	@$(BIN)/python -m docs.tables boards

train: $(VENV)/installed-train   ## Train the shipped networks again
	@$(BIN)/python -m xymac.host.examples.digits

clean:    ## Remove what was built and installed
	rm -rf build $(VENV) *.egg-info .pytest_cache .ruff_cache .hypothesis

# Debian's python3 comes without ensurepip, so the pip beside python3 installs a pip
# there: in an activated .venv, `make` and `pip install` go on to work.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "xymac needs Python 3.11 or later as $(PYTHON)." >&2; exit 2; }
	@$(PYTHON) -m pip --version > /dev/null \
	    || { echo "xymac needs pip for $(PYTHON) (Debian: python3-pip)." >&2; exit 2; }
	$(PYTHON) -m venv --without-pip $(VENV)
	$(PIP_INSTALL) pip

# Setuptools warns of every editable install.
PIP_INSTALL = PYTHONWARNINGS=ignore $(PYTHON) -m pip --python $(BIN)/python install --quiet --no-compile --disable-pip-version-check

$(VENV)/installed-run: pyproject.toml setup.py | $(BIN)/python
	$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/installed-%: pyproject.toml | $(BIN)/python
	$(PIP_INSTALL) --editable '.[$*]'
	@touch $@ $(VENV)/installed-run
