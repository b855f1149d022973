# SPDX-License-Identifier: Apache-2.0
"""Random graphs of all libraries as images: their command lists are exact and without a hazard."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.graphs import LIBRARIES, random_graphs
from tests.support.images import image_of, noisy_machine, run_image, with_dma
from tests.support.sizes import each_name
from xymac.hdl.config import SIZES
from xymac.host.image.entries import RunEntry
from xymac.host.network.network import Network


def network_of(nodes, x):
    """The graph as a network; its outputs are the values that no node reads."""
    read    = {source for node in nodes for source in node.sources}
    outputs = tuple(number for number in range(1, len(nodes) + 1) if number not in read)
    return Network("graph", tuple(nodes), (replace(x, data=np.zeros_like(x.data)),),
                   outputs=outputs)


def run_graphs(library, size, number, seed):
    """Two runs of each graph on a golden machine, which refuses a hazard; returns the count of
    graphs whose lists run programs.
    """
    config, ran = with_dma(SIZES[size]), 0
    for nodes, x in random_graphs(library, number, seed):
        network = network_of(nodes, x)
        image   = image_of(network, config)
        with noisy_machine(config) as device:
            run_image(network, image, device)
        ran += any(isinstance(entry, RunEntry) for entry in image.run.ordered.entries)
    return ran


@pytest.mark.parametrize("library", LIBRARIES)
@each_name
def test_some_images(library, size):
    assert run_graphs(library, size, 6, 1000 + len(size)) > 3  # others only move values


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
@each_name
@pytest.mark.parametrize("seed", range(1010, 1016))
def test_images(library, size, seed):
    assert run_graphs(library, size, 20, seed) > 10
