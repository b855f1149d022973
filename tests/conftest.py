# SPDX-License-Identifier: Apache-2.0
"""Options of the tests, and simulated cores that tests share."""

import gc
import os
import sys
import warnings
from pathlib import Path

import pytest

try:
    from amaranth.hdl import UnusedElaboratable

    from tests.support.seed import SEED
    from xymac.hdl.config import find_size
    from xymac.sim.build.cocotb import run_bench
    from xymac.sim.build.compile import verilog_of
    from xymac.sim.regress.counted import PREFIX
    from xymac.sim.rtl.device import RtlDevice, core_sources
except ModuleNotFoundError as error:
    raise pytest.UsageError(f"The tests need {str(error.name).partition('.')[0]}, which is not "
                            f"installed here: `make test FILE=tests/...` installs all they need, "
                            f"and runs a file of them") from error

pytest_plugins = ["tests.support.seed_option"]


class _Installed:
    """Import finder without the folders of the tree, as where ``pip install`` put ``xymac``."""

    def find_spec(self, name, path=None, target=None):
        if name in {"boards", "golden", "hdl", "host", "sim"}:
            raise ModuleNotFoundError(f"{name} is xymac.{name}", name=name)


sys.meta_path.insert(0, _Installed())

os.environ.pop("COLUMNS", None)  # tables in pipes have their own width
os.environ.setdefault("XYMAC_PROFILE", "no")  # tests simulate less than a profile takes
# Loading the assertion rewriter into a simulation takes longer than most devices of the kit.
os.environ.setdefault("COCOTB_REWRITE_ASSERTION_FILES", "")


def pytest_addoption(parser):
    parser.addoption("--waves", action="store_true", help="benches write build/<name>.fst")
    parser.addoption("--workloads", type=Path, help="folder of reference workloads")
    parser.addoption("--board", help="simulate this board as it is (default: a fast line, tiny)")
    parser.addoption("--stimuli", type=int, help="random stimuli of each test that counts them")
    parser.addoption("--netlist", default="tiny", choices=("tiny", "small", "compact"),
                     help="size of the core whose netlist the gate-level tests simulate")
    parser.addoption("--faults", type=int, default=50, help="faults on the simulated line")


def pytest_configure(config):
    """Allow unused components, and name the files that a missing file may be: tests lie in the
    folders of their sources.
    """
    config.addinivalue_line("filterwarnings", "ignore::amaranth.hdl.UnusedElaboratable")
    warnings.filterwarnings("ignore", category=UnusedElaboratable)  # behind the last test, too
    for argument in config.args:
        path = Path(argument.partition("::")[0])
        if path.suffix == ".py" and not (config.invocation_params.dir / path).exists():
            found = [str(each.relative_to(config.rootpath))
                     for each in sorted((config.rootpath / "tests").rglob(path.name))]
            if found:
                raise pytest.UsageError(f"There is no file {path}; of this name there is "
                                        f"{', '.join(found)}")


def pytest_collection(session):
    """Collected tests stay: looking for garbage among them, again and again, would find none."""
    gc.disable()


def pytest_collection_finish(session):
    """From now on only what tests make is looked at."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def bench(request):
    """``run_bench`` that obeys ``--waves``; a whole core of a ``config`` is elaborated once."""
    def run(component, module, name, verilog=verilog_of, config=None, **plusargs):
        run_bench(component, bench=module, name=name, verilog=verilog,
                  sources=config and [type(component).__name__, *core_sources(config)],
                  plusargs=plusargs | {"stimuli": SEED.value},
                  waves=request.config.getoption("--waves"))
    return run


@pytest.fixture
def stimuli(request):
    """Function from the usual number of stimuli of a test to that of ``--stimuli``."""
    def get(usual):
        given = request.config.getoption("--stimuli")
        return usual if given is None else given

    return get


@pytest.fixture
def counted(record_property):
    """Function that reports so many stimuli (int) under a name (str) to `xymac regress`."""
    def report(name, number):
        record_property(f"{PREFIX}{name}", number)

    return report


@pytest.fixture(scope="session")
def rtl():
    """Function from a size, see ``find_size``, to its simulated core, one a session."""
    devices = {}

    def get(size):
        if size not in devices:
            devices[size] = RtlDevice(find_size(size))
        return devices[size]

    yield get
    for device in devices.values():
        device.close()


@pytest.fixture
def device(rtl):
    """A core of size tiny after reset."""
    device = rtl("tiny")
    device.harness.reset()
    return device


@pytest.fixture(scope="session")
def workloads(request):
    """Folder given by ``--workloads``; without it the test skips."""
    folder = request.config.getoption("--workloads")
    if folder is None:
        pytest.skip("needs networks that are not ours to ship: --workloads=DIR")
    return folder
