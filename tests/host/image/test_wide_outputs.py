# SPDX-License-Identifier: Apache-2.0
"""Values of 32 bits in images: whole, in parts, and by ``image.json`` alone."""

import numpy as np
import pytest

from tests.host.image.test_compile import Reader
from tests.support.images import image_of, noisy_machine, with_dma
from tests.support.tflite.wide_outputs import WIDE_OUTPUTS, inputs_of
from xymac.hdl.config import BASE, TINY
from xymac.host.executable.steps import Read, Write
from xymac.host.image.description import save_image
from xymac.host.image.places import ElementPlace, WordPlace
from xymac.host.image.run import ImageRunner
from xymac.host.network.session import Session


def kinds_of(image):
    """Types of the places of values with 32 bits in the core."""
    return {type(image.places[step.value]) for step in image.executable.run
            if isinstance(step, Read | Write) and step.layout.bits == 32}


@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
@pytest.mark.parametrize("name", WIDE_OUTPUTS)
def test_an_image_runs_and_its_files_describe_it(name, config, tmp_path):
    network, config = WIDE_OUTPUTS[name](), with_dma(config)
    image = image_of(network, config)
    in_parts = "tiles" in name and config.name.startswith("tiny")
    assert kinds_of(image) == {ElementPlace if in_parts else WordPlace}
    save_image(tmp_path, image)

    reader, session = Reader(tmp_path), Session(network)
    with noisy_machine(config) as device:
        runner = ImageRunner(image, device)
        runner.load()
        for [x] in inputs_of(network, range(2)):
            wanted = [each.data for each in session.run(x).outputs]
            for data, other in zip(wanted, runner.run(x)[0], strict=True):
                np.testing.assert_array_equal(other, data, strict=True)

            reader.write(reader.told["inputs"][0], x)
            device.run_list(reader.image, reader.told["run"]).check()
            for data, entry in zip(wanted, reader.told["outputs"], strict=True):
                np.testing.assert_array_equal(reader.read(entry), data)
