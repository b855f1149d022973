# SPDX-License-Identifier: Apache-2.0
"""The DMA: its parts around a bus with pauses and errors, and the whole core with it."""

import re
from dataclasses import replace

import pytest

from tests.support.sizes import rarely
from xymac.hdl.axi import CoreAxi
from xymac.hdl.config import TINY, find_size
from xymac.hdl.core.core import Core
from xymac.hdl.dma import CoreDma
from xymac.hdl.dma.dma import Dma
from xymac.sim.build.compile import verilog_once
from xymac.sim.rtl.device import core_sources

MOST = 100  # commands of a list, so that a bench can exceed it


@pytest.mark.parametrize("size", [
    "base,dma=32", *rarely("tiny,dma=32", "tiny,dma=64", "tiny,dma=128", "small,dma=32",
                           "small,dma=64", "small,dma=128", "base,dma=64", "base,dma=128")])
def test_lists(bench, size):
    dma = Dma(find_size(size), most=MOST)
    bench(dma, "xymac.sim.blocks.dma.lists", f"dma_{find_size(size).name}", size=size)


@pytest.mark.parametrize("size", ["base,dma=32", *rarely("tiny,dma=32", "small,dma=64")])
def test_faults(bench, size):
    dma = Dma(find_size(size), most=MOST)
    bench(dma, "xymac.sim.blocks.dma.faults", f"dma_{find_size(size).name}", size=size, most=MOST)


@pytest.mark.parametrize("size", ["tiny,dma=32", *rarely("small,dma=64", "base,dma=32")])
def test_core(bench, size):
    config = find_size(size)
    bench(CoreDma(config), "xymac.sim.blocks.dma.core", f"core_dma_{config.name}", config=config,
          size=size)


def test_the_verilog_of_a_core_without_a_dma_names_none():
    with_dma = find_size("tiny,dma=32")
    text = verilog_once(lambda: CoreAxi(TINY), "bus-tiny-verilog", core_sources(TINY))

    assert "request__payload" in text
    assert not re.search(r"dma|wide__|m_axi|list_st|burst", text)
    assert "dma_took" in verilog_once(lambda: CoreDma(with_dma), f"dma-{with_dma.name}-verilog",
                                      core_sources(with_dma))


@pytest.mark.parametrize("name", ["tiny", "small", "base"])
def test_a_core_without_a_dma_has_no_port_or_register_of_it(name):
    with pytest.raises(ValueError, match=rf"^Size {name} has no DMA, this core has one$"):
        CoreDma(find_size(name))
    with pytest.raises(ValueError, match=rf"^Size {name}_dma32 has a DMA, this core has none$"):
        Core(replace(find_size(name), name=f"{name}_dma32", dma=32))
