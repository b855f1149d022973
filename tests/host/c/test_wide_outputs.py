# SPDX-License-Identifier: Apache-2.0
"""Values of 32 bits on the core, moved by the driver in C."""

import pytest

from tests.host.c.test_network import assert_golden, run_in_c
from tests.support.c import external
from tests.support.c.golden_core import GoldenCore, run_beside
from tests.support.c.programs import compile_c, link_with_core, run_program
from tests.support.images import with_dma
from tests.support.tflite.wide_outputs import (
    WIDE_OUTPUTS,
    far_network,
    far_places,
    inputs_of,
)
from xymac.hdl.config import TINY


@pytest.mark.parametrize("name", WIDE_OUTPUTS)
def test_the_core_in_simulation_is_driven(name, tmp_path):
    network = WIDE_OUTPUTS[name]()
    images  = [*inputs_of(network, range(3))]

    assert_golden(network, images, run_in_c(tmp_path, network, images))


@pytest.mark.parametrize("name", WIDE_OUTPUTS)
def test_images(name, tmp_path):
    network = WIDE_OUTPUTS[name]()
    images  = [*inputs_of(network, range(3))]

    outputs, _ = external.run_in_c(tmp_path, network, images)

    assert_golden(network, images, outputs)


@pytest.mark.parametrize("name", ["classes", "converted", "tiles"])
def test_an_image_on_a_core_in_simulation(name, tmp_path):
    network = WIDE_OUTPUTS[name]()
    external.write_image(tmp_path, network, external.image_for(network))
    program = link_with_core(with_dma(TINY), tmp_path, *(
        compile_c(tmp_path / name, tmp_path) for name in ("network.c", "main.c")))

    code, out = run_program(program)

    assert code == 0
    assert out.decode().endswith(external.GOLDEN)


def test_sanitizers(tmp_path):
    network = WIDE_OUTPUTS["converted"]()
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    external.write_image(tmp_path, network, external.image_for(network))

    code, out = run_beside(GoldenCore(external.CONFIG), external.build(
        tmp_path, *options, links=options))

    assert code == 0
    assert out.decode().endswith(external.GOLDEN)


def test_indices_of_more_than_a_byte(tmp_path):
    network = far_network(3000)
    given   = [*far_places(3000)]

    outputs = run_in_c(tmp_path, network, [(x,) for x, _ in given])

    assert [each.item() for [each] in outputs] == [place for _, place in given]
