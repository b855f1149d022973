# SPDX-License-Identifier: Apache-2.0
"""Variables, copies and host computations at the ends of command lists."""

import pytest

from tests.support.images import image_of, images_of, noisy_machine, run_image, with_dma
from tests.support.tflite.list_ends import COMPUTED, LIST_ENDS
from tests.support.tflite.micro import open_file
from xymac.hdl.config import BASE, TINY
from xymac.host.image.run import ImageRunner
from xymac.host.network.tflite import network_of
from xymac.host.tflite.writer import write_model

MODELS = LIST_ENDS | COMPUTED


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [TINY, BASE])
def test_outputs_are_those_of_the_network(name, size):
    network, config = network_of(MODELS[name](), "ends"), with_dma(size)
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device, runs=3)


@pytest.mark.parametrize("name", MODELS)
def test_outputs_are_those_of_tflite_micro(name):
    model   = MODELS[name]()
    network = network_of(model, "ends")
    config  = with_dma(TINY)
    inputs  = images_of(network, range(3))
    run     = open_file(write_model(model))
    expected = [run(*each) for each in inputs]
    with noisy_machine(config) as device:
        runner = ImageRunner(image_of(network, config), device)
        runner.load()
        for _ in range(2):
            for each, wanted in zip(inputs, expected, strict=True):
                outputs, _ = runner.run(*each)
                assert [x.tolist() for x in outputs] == [x.tolist() for x in wanted]
            runner.reset_states()
