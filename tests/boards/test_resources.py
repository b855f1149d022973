# SPDX-License-Identifier: Apache-2.0
"""Block RAMs and multipliers of a core follow from its size, as synthesis finds them."""

import json
from collections import Counter

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.boards.alone import core_flow
from xymac.boards.design import NEEDS, check_device_fit
from xymac.boards.tools.flow import make_netlist
from xymac.boards.tools.resources import block_rams, hard_cells
from xymac.boards.tools.rtlil import rtlil_of
from xymac.hdl.config import COMPACT, SIZES, find_size
from xymac.hdl.core.xmem import word_memory
from xymac.hdl.dma.dma import Dma
from xymac.host.errors import InputError


class Memories(wiring.Component):
    """Memories of the widths and depths ``shapes``, their ports those of the component."""

    def __init__(self, shapes):
        self.shapes = shapes
        super().__init__({name: port for at, (bits, words) in enumerate(shapes) for name, port in {
            f"read{at}": In(range(words)), f"write{at}": In(range(words)), f"data{at}": In(bits),
            f"enable{at}": In(bits // 8), f"o{at}": Out(bits)}.items()})

    def elaborate(self, platform):
        m = Module()
        for at, (bits, words) in enumerate(self.shapes):
            m.submodules[f"memory{at}"] = memory = word_memory(width=bits, depth=words)
            reader, writer = memory.read_port(), memory.write_port(granularity=8)
            m.d.comb += [reader.addr.eq(getattr(self, f"read{at}")), reader.en.eq(1),
                         writer.addr.eq(getattr(self, f"write{at}")),
                         writer.data.eq(getattr(self, f"data{at}")),
                         writer.en.eq(getattr(self, f"enable{at}"))]
            m.d.sync += getattr(self, f"o{at}").eq(reader.data)
        return m


@pytest.mark.parametrize("size", SIZES)
def test_sizes_with_a_name(size):
    assert hard_cells(SIZES[size]).items() <= NEEDS[size].items()


@pytest.mark.parametrize(("size", "multipliers", "rams"), [
    ("w1_x512_y512_p2_s2", 9, 4 + 4 + 2),            # program and trace in logic
    ("w1_x1024_y1536_p16_s4", 9, 4 + 8 + 2 + 1 + 2),
    ("w2_x1536_y3584_p64_s2", 26, 16 + 8 * (4 + 3) + 4 + 1 + 2),
    ("w4_x4096_y512_p256_s4", 84, 16 * 4 + 16 * 2 + 16 + 4 + 4)])
def test_other_sizes(size, multipliers, rams):
    assert hard_cells(find_size(size)) == {"MULT18X18D": multipliers, "block RAM": rams}


def test_the_compact_core_is_not_for_such_a_device():
    with pytest.raises(ValueError, match=r"^Size compact is of the compact core, which is not"):
        hard_cells(COMPACT)


def test_a_size_without_a_name_does_not_fit():
    check_device_fit("LFE5U-85F", "base,y_rows=2048", "board")
    with pytest.raises(InputError, match=r"needs 302 block RAM of 208$"):
        check_device_fit("LFE5U-85F", "base,y_rows=4096", "board")


@pytest.mark.long
@pytest.mark.parametrize(("size", "most"), [
    ("tiny", NEEDS["tiny"]["LUT4"]), ("w1_x1024_y1536_p16_s4", 18_400)])
def test_synthesis_finds_the_same(size, most):
    config, flow = find_size(size), core_flow(find_size(size), "ecp5-25k")
    flow.synthesise()
    cells = flow.count()

    assert hard_cells(config).items() <= cells.items()
    assert 8_000 < cells["LUT4"] <= most


@pytest.mark.long
def test_memories_of_all_shapes(tmp_path):
    shapes = [*((16, rows) for rows in range(512, 4097, 512)),
              *((bits, rows) for bits in (32, 64) for rows in range(512, 2049, 512)),
              *((64, 16 * passes) for passes in (2, 4, 8, 16, 256)),
              *((32, 8 * passes) for passes in (2, 4, 8, 16, 32))]
    path   = make_netlist(rtlil_of(Memories(shapes), "top"), "top", cache=tmp_path)
    cells  = json.loads(path.read_text())["modules"]["top"]["cells"]
    actual = Counter(name.partition(".")[0] for name, cell in cells.items()
                     if cell["type"] == "DP16KD")

    for at, shape in enumerate(shapes):
        assert actual[f"memory{at}"] == block_rams(*shape), shape


def test_a_dma_takes_no_block_ram(tmp_path):
    plain, config = find_size("tiny"), find_size("tiny,dma=32")
    netlist = json.loads(make_netlist(rtlil_of(Dma(config), "dma"), "dma",
                                      cache=tmp_path).read_text())

    cells = Counter(cell["type"] for cell in netlist["modules"]["dma"]["cells"].values())
    more  = hard_cells(config)["block RAM"] - hard_cells(plain)["block RAM"]
    assert (cells["DP16KD"], cells["MULT18X18D"]) == (more, 0) == (0, 0)
