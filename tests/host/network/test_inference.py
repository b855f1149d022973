# SPDX-License-Identifier: Apache-2.0
"""Every layer on a device is compared with golden, and the first difference is named."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.lowered import noise
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import FullyConnected, LstmCell, Softmax, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Memory
from xymac.host.cli.show.report import verdict
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.network.file import load_network
from xymac.host.network.inference import classify
from xymac.host.network.inputs.images import load_images
from xymac.host.network.network import join_layers
from xymac.host.network.session import Difference

HOST = Path(__file__).parents[3] / "host/examples/data"


class FaultyDevice(MachineDevice):
    """Flips the lowest bit of the first cell of read number ``at``, which is of ``memory``."""

    def __init__(self, config, at, memory=Memory.X):
        super().__init__(config)
        self._reads, self._at, self._memory = 0, at, memory

    def read_cells(self, memory, start, count):
        cells = super().read_cells(memory, start, count)
        cells[0] ^= np.uint16(memory is self._memory and self._reads == self._at)
        self._reads += 1
        return cells


@pytest.fixture(scope="module")
def digits():
    network = load_network(HOST / "digits_cnn.npz")
    return network, load_images(HOST / "digits_images.npz", network)


def test_a_device_that_agrees(digits):
    network, images = digits
    with MachineDevice(BASE) as device:
        inference = classify(network, images.data[:3], device=device)

    assert inference.predictions == [0, 6, 2]
    assert inference.difference is None
    assert inference.compared == len(network.layers)


@pytest.mark.parametrize(("read", "image", "layer"), [(0, 0, 0), (3, 0, 3), (7, 1, 2)])
def test_the_first_difference_is_named(read, image, layer, digits):
    network, images = digits
    with FaultyDevice(BASE, read) as device:
        inference = classify(network, images.data[:3], device=device)

    difference = inference.difference
    assert (difference.image, difference.layer) == (image, layer)
    assert difference.what.startswith("element (0")
    assert difference.actual == difference.expected ^ 1
    assert f"RTL differs from golden first at image {image}, layer {layer} (" in verdict(
        "rtl", network, inference)


def test_the_state_of_a_cell_must_agree():
    zeros = [Tensor(np.zeros(shape, np.int8), 7) for shape in ((4, 3, 5), (4, 3), (3,), (3,))]
    network = join_layers("cell", Tensor.zeros((2,), 8, 7), (LstmCell(*zeros, 7),))
    with FaultyDevice(BASE, 0, Memory.Y) as device:
        inference = classify(network, np.zeros((1, 2), np.int8), device=device)

    assert inference.difference == Difference(0, 0, "cell state (0,)", 0, 1)


def test_an_overflow_flag_must_agree(monkeypatch, digits):
    network, images = digits
    monkeypatch.setattr("xymac.host.network.session.golden.run", with_overflow(golden.run))
    with MachineDevice(TINY) as device:
        inference = classify(network, images.data[:1], device=device)

    assert inference.difference == Difference(0, 0, "overflow flag", 1, 0)


def with_overflow(run):
    """``golden.run`` with the overflow flag set."""
    def wrapped(layer, x):
        result = run(layer, x)
        return type(result)(result.output, True)
    return wrapped


def test_weights_that_do_not_fit_are_loaded_one_after_the_other():
    weights = noise(random_of(1), (200, 4000), np.int16, 0)
    layer   = FullyConnected(weights, noise(random_of(2), (200,), np.int16, 0), 0)
    network = join_layers("large", Tensor.zeros((4000,), 16, 0), (layer,))

    with MachineDevice(TINY) as device:
        inference = classify(network, noise(random_of(3), (1, 4000), np.int16, 0).data,
                             device=device)
    assert (inference.difference, inference.compared) == (None, 1)
    assert inference.facts[0].remarks.startswith("bytes of constants loaded: 1,6")


def test_a_network_that_does_not_fit_is_refused():
    network = join_layers("large", Tensor.zeros((9000,), 16, 0), (Softmax(),))
    with MachineDevice(TINY) as device, pytest.raises(InputError, match=r"18000 bytes"):
        classify(network, np.zeros((1, 9000), np.int16), device=device)
