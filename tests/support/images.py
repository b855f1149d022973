# SPDX-License-Identifier: Apache-2.0
"""Networks as images, run through their command lists and compared with golden."""

from dataclasses import replace

import numpy as np

from tests.support.seed import random_of
from xymac.hdl.isa import Memory
from xymac.host.device.device import MachineDevice
from xymac.host.image.build import build_image
from xymac.host.image.external import ExternalMemory
from xymac.host.image.run import ImageRunner
from xymac.host.network.inference import each_input
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.linker import compile_network
from xymac.host.network.session import Session

__all__ = ["SHORT", "image_of", "images_of", "run_image", "with_dma"]

#: A memory of few wait cycles, and one of many.
SHORT = ExternalMemory(width=32, latency=2, miss=0, refresh_every=0)


def with_dma(config, width=32):
    return replace(config, name=f"{config.name}_dma{width}", dma=width)


def image_of(network, config, memory=SHORT, *, cascades=True):
    return build_image(compile_network(network, config, cascades=cascades), config, memory)


def images_of(network, seeds):
    """Random inputs, each a tuple of arrays."""
    return [next(each_input(random_images(network, seed).data)) for seed in seeds]


def noisy_machine(config):
    """A golden machine whose memories hold anything but zeros."""
    device = MachineDevice(config)
    for memory, size in ((Memory.X, config.x_bytes), (Memory.Y, config.y_bytes)):
        device.write_cells(memory, 0, random_of(size).integers(0, 1 << 16, size // 2))
    return device


def run_image(network, image, device, runs=2):
    """Assert that runs of an image give golden's outputs, states included; returns the results."""
    runner, results = ImageRunner(image, device), []
    runner.load()
    session = Session(network)
    for inputs in images_of(network, range(runs)):
        outputs, result = runner.run(*inputs)
        for wanted, data in zip(session.run(*inputs).outputs, outputs, strict=True):
            np.testing.assert_array_equal(data, wanted.data)
        results.append(result)
    return results
