# SPDX-License-Identifier: Apache-2.0
"""Images on the simulated core with a DMA: golden's bits, cycles, faults of the memory."""

from pathlib import Path

import numpy as np
import pytest

from tests.host.image.test_image import NETWORKS
from tests.host.plan.test_cascades import blocks
from tests.support.illegal import whole_pass
from tests.support.images import image_of, run_image
from tests.support.rtl_device import assert_same, run_machine, run_rtl
from tests.support.seed import random_of
from xymac.hdl.config import TINY, find_size
from xymac.hdl.isa import ListStatus, State
from xymac.host.device.device import DeviceError
from xymac.host.image.cycles import predict_list
from xymac.host.image.external import ExternalMemory
from xymac.host.image.run import ImageRunner
from xymac.host.network.load import load_model
from xymac.host.plan.program.waits import set_waits
from xymac.sim.rtl.device import RtlDevice

CONFIG   = find_size("tiny,dma=32")  # its coverage counts by this name
SDRAM    = ExternalMemory()
EXAMPLES = Path(__file__).parents[2] / "host/examples/data"
CNN      = EXAMPLES / "digits_cnn.tflite"
BASE     = 0x4000_0000  # of the memory


@pytest.fixture(scope="module")
def core():
    with RtlDevice(CONFIG) as device:
        yield device


@pytest.fixture
def quiet(core):
    """The core with a memory that neither fails nor pauses."""
    core.time_memory(SDRAM)
    core.harness.disturb_memory()
    yield core
    core.harness.disturb_memory()


@pytest.mark.parametrize("name", [name for name, (_, config) in NETWORKS.items() if config == TINY])
def test_networks(name, quiet):
    network = NETWORKS[name][0]()
    image   = image_of(network, CONFIG, SDRAM)
    for result in run_image(network, image, quiet):
        assert result.state is State.DONE


@pytest.mark.parametrize("memory", [SDRAM, ExternalMemory(width=32, latency=4, miss=0),
                                    ExternalMemory(width=8, latency=40, row=256)])
def test_cycles_are_predicted(memory, quiet):
    quiet.time_memory(memory)
    network = blocks(48, 20, residual=True)
    image   = image_of(network, CONFIG, memory)
    *_, result = run_image(network, image, quiet)
    predicted  = predict_list(image.run.ordered, CONFIG, memory)
    assert predicted.cycles == pytest.approx(result.counters["cycles"], rel=0.02)


def test_pauses_of_the_bus_change_no_bit(quiet):
    quiet.harness.disturb_memory(pauses=40)
    network = blocks(24, 20, residual=True)
    run_image(network, image_of(network, CONFIG, SDRAM), quiet)


@pytest.mark.parametrize("code", [2, 3])
def test_errors_of_the_memory_end_the_list(code, quiet):
    network = load_model(CNN)
    image   = image_of(network, CONFIG, SDRAM)
    runner  = ImageRunner(image, quiet)
    runner.load()
    place   = image.places[0]
    quiet.harness.disturb_memory(first=BASE + place.offset, end=BASE + place.offset + 1, code=code)
    with pytest.raises(DeviceError, match="at command 0 with status BUS"):
        runner.run(*(blank.data for blank in network.inputs))
    assert not quiet.harness.owes

    quiet.harness.disturb_memory()
    run_image(network, image, quiet)


def test_a_command_outside_the_image(quiet):
    image = np.zeros(64, np.uint8)
    image[:32].view("<u4")[:] = [1, 0, 60, 0x10_0000, 8, 1, 0, 0]  # 8 bytes from byte 60 on
    result = quiet.run_list(image, 0)
    assert (result.state, result.status, result.entry) == (State.FAULT, ListStatus.OUTSIDE, 0)


def test_the_host_loads_and_runs_programs_too():
    """Through the host port: a test of the whole way that loads take beside those of the DMA."""
    rng = random_of(438)
    with RtlDevice(CONFIG, backdoor=False) as device:
        for number in range(10):
            program = set_waits([whole_pass(rng, CONFIG) for _ in range(3)], CONFIG)
            assert_same(run_rtl(device, program, seed=number),
                        run_machine(CONFIG, program, seed=number), program)
