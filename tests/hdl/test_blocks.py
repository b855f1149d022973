# SPDX-License-Identifier: Apache-2.0
"""The cocotb benches of the blocks; each has its cases in ``sim/blocks``."""

import pytest

from tests.support.sizes import between, rarely
from xymac.boards.tools.gates import gate_level
from xymac.boards.tools.rtlil import rtlil_of
from xymac.hdl.arith import DelayLine
from xymac.hdl.config import TINY, find_size
from xymac.hdl.core.agu import Agu
from xymac.hdl.core.array import Array
from xymac.hdl.core.fetch.checker import Checker
from xymac.hdl.core.fetch.loader import Loader
from xymac.hdl.core.fetch.repeat import Repeat
from xymac.hdl.core.fetch.scan import Scan
from xymac.hdl.core.fetch.sequencer import Sequencer
from xymac.hdl.core.hold import Save
from xymac.hdl.core.hostport import HostPort
from xymac.hdl.core.issue import Dispatch, Gather, Issue
from xymac.hdl.core.lane import Lane
from xymac.hdl.core.loop_nest import LoopNest
from xymac.hdl.core.output import OutputStage
from xymac.hdl.core.padding_clip import PaddingClip
from xymac.hdl.core.reduction import Extremes, Heap, Reduction
from xymac.hdl.core.reduction.census import Census
from xymac.hdl.core.scalar_override import ScalarOverride
from xymac.hdl.core.scale import ScaleUnit
from xymac.hdl.core.tables import Tables
from xymac.hdl.core.trace import Counters
from xymac.hdl.core.trace.bank import Bank
from xymac.hdl.core.trace.notes import Notes
from xymac.hdl.core.trace.write_monitor import WriteMonitor
from xymac.hdl.core.writeback import Writeback
from xymac.hdl.core.xmem import XMemory
from xymac.hdl.link.link import Link
from xymac.hdl.link.uart import UartReceiver, UartTransmitter
from xymac.hdl.multiply import Multiply
from xymac.hdl.ring import Ring
from xymac.sim.build.compile import ports_of, verilog_of


def test_multiply(bench):
    bench(Multiply(), "xymac.sim.blocks.multiply", "multiply")


@pytest.mark.parametrize("vendor", ["Ecp5", "xilinx", ""])
def test_multiply_for_unknown_vendor(vendor):
    with pytest.raises(ValueError, match=rf"^Vendor must be None or 'ecp5', not '{vendor}'$"):
        Multiply(vendor=vendor)


@pytest.mark.parametrize("bits", [1, 19])
def test_multiply_of_what_does_not_fit(bits):
    with pytest.raises(ValueError, match=rf"^Bits must be between 2 and 18, not {bits}$"):
        Multiply(bits=bits)


@pytest.mark.parametrize(("vendor", "cycles"), [
    (None, 3), ("ecp5", 18), between(None, 7), between(None, 18), between("ecp5", 3),
    between("ecp5", 7)])
def test_delay_line(bench, cycles, vendor):
    bench(DelayLine(9, cycles, vendor=vendor), "xymac.sim.blocks.delay", f"delay_{vendor}_{cycles}",
          cycles=cycles)


@pytest.mark.parametrize("cycles", [2, 19])
def test_delay_line_of_what_does_not_fit(cycles):
    with pytest.raises(ValueError, match=rf"^Cycles must be between 3 and 18, not {cycles}$"):
        DelayLine(9, cycles)


def test_scale_unit(bench):
    bench(ScaleUnit(), "xymac.sim.blocks.scale", "scale")


def test_output_stage(bench):
    bench(OutputStage(), "xymac.sim.blocks.output", "output")


@pytest.mark.parametrize("slots", [*rarely(2), 4])
def test_scalar_override(bench, slots):
    bench(ScalarOverride(slots=slots), "xymac.sim.blocks.scalar_override",
          f"scalar_override_{slots}", slots=slots)


def test_write_monitor(bench):
    bench(WriteMonitor(), "xymac.sim.blocks.trace.write_monitor", "watch")


@pytest.mark.parametrize("ways", [1, *rarely(2), 4])
def test_scan(bench, ways):
    bench(Scan(ways=ways, x_rows=512, y_rows=512), "xymac.sim.blocks.fetch.scan", f"scan_{ways}",
          ways=ways)


@pytest.mark.parametrize("columns", [*rarely(1), 2])
def test_tables(bench, columns):
    bench(Tables(columns=columns), "xymac.sim.blocks.tables", f"tables_{columns}", columns=columns)


@pytest.mark.parametrize("columns", [0, 3])
def test_tables_for_too_many_columns(columns):
    with pytest.raises(ValueError, match=rf"^Columns must be between 1 and 2, not {columns}$"):
        Tables(columns=columns)


@pytest.mark.parametrize("ways", [*rarely(1, 2), 4])
def test_extremes(bench, ways):
    bench(Extremes(ways=ways), "xymac.sim.blocks.reduction.extremes", f"extremes_{ways}", ways=ways)


def test_census(bench):
    bench(Census(), "xymac.sim.blocks.reduction.census", "census")


def test_heap(bench):
    bench(Heap(), "xymac.sim.blocks.reduction.heap", "heap")


@pytest.mark.parametrize("ways", [1, *rarely(2), 4])
@pytest.mark.parametrize("cases", ["reduction", "programs"])
def test_reduction(bench, cases, ways):
    bench(Reduction(ways=ways), f"xymac.sim.blocks.reduction.{cases}", f"reduction_{ways}",
          ways=ways)


def gates_of(component):
    """Its netlist for an ECP5: carry cells with logic in front of them included."""
    return gate_level(rtlil_of(component, "top", ports=ports_of(component)), "top")


def test_ring(bench):
    bench(Ring(9), "xymac.sim.blocks.ring", "ring")


@pytest.mark.parametrize("vendor", [None, *rarely("ecp5")])
def test_agu(bench, vendor):
    bench(Agu(vendor=vendor), "xymac.sim.blocks.agu", f"agu_{vendor}",
          verilog=gates_of if vendor else verilog_of)


@pytest.mark.parametrize("vendor", [None, *rarely("ecp5")])
def test_loop_nest(bench, vendor):
    bench(LoopNest(y_rows=100, bias_rows=2, vendor=vendor), "xymac.sim.blocks.loop_nest",
          f"loop_nest_{vendor}", verilog=gates_of if vendor else verilog_of, y_rows=100,
          bias_rows=2)


@pytest.mark.parametrize("vendor", [None, *rarely("ecp5")])
def test_padding_clip(bench, vendor):
    bench(PaddingClip(vendor=vendor), "xymac.sim.blocks.padding_clip", f"padding_clip_{vendor}",
          verilog=gates_of if vendor else verilog_of)


@pytest.mark.parametrize("size", [
    *rarely("tiny"), "base", "w2_x2048_y2048_p64_s2_no_heap_no_window_no_comparison"])
def test_checker(bench, size):
    config  = find_size(size)
    checker = Checker(ways=config.ways, x_rows=config.x_rows, y_rows=config.y_rows,
                      functions=config.capabilities.functions)
    bench(checker, "xymac.sim.blocks.fetch.checker", f"checker_{size}", size=size)


@pytest.mark.parametrize(("passes", "slots"), [between(8, 2), between(64, 2), (128, 4)])
def test_loader(bench, passes, slots):
    """Of the passes as many as make a program memory of lines of 1, 2 and 4 words."""
    bench(Loader(passes=passes, ways=1, x_rows=512, y_rows=512, slots=slots,
                 functions=TINY.capabilities.functions), "xymac.sim.blocks.fetch.loader",
          f"loader_{passes}", passes=passes, slots=slots)


@pytest.mark.parametrize("ways", [*rarely(1, 2), 4])
def test_x_memory(bench, ways):
    bench(XMemory(ways=ways, rows=512), "xymac.sim.blocks.xmem", f"xmem_{ways}", ways=ways,
          rows=512)


@pytest.mark.parametrize(("ways", "rows", "lane"), [between(1, 4096, 2), between(2, 512, 5),
                                                    (4, 2560, 15)])
def test_lane(bench, ways, rows, lane):
    bench(Lane(ways=ways, rows=rows, lane=lane), "xymac.sim.blocks.lane", f"lane_{ways}", ways=ways,
          rows=rows, lane=lane)


def test_save(bench):
    bench(Save(), "xymac.sim.blocks.save", "save")


@pytest.mark.parametrize("ways", [*rarely(1, 2), 4])
def test_array(bench, ways):
    bench(Array(ways=ways, x_rows=512, y_rows=512), "xymac.sim.blocks.array", f"array_{ways}",
          ways=ways, rows=512)


@pytest.mark.parametrize("passes", [*rarely(8), 128])
def test_counters(bench, passes):
    """Of the passes as many as make a trace of lines of 1 and 2 words."""
    bench(Counters(passes=passes), "xymac.sim.blocks.trace.counters", f"counters_{passes}",
          passes=passes)


@pytest.mark.parametrize("slots", [*rarely(2), 4])
def test_notes(bench, slots):
    bench(Notes(passes=128, slots=slots), "xymac.sim.blocks.trace.notes", f"notes_{slots}",
          passes=128, slots=slots)


@pytest.mark.parametrize(("counters", "recorded"), [(8, 7), between(4, 4), between(4, 3)])
def test_bank(bench, counters, recorded):
    bench(Bank(counters=counters, recorded=recorded), "xymac.sim.blocks.trace.bank",
          f"bank_{counters}_{recorded}", counters=counters, recorded=recorded)


@pytest.mark.parametrize(("ways", "vendor"), [between(1, None), (4, None), between(2, "ecp5")])
@pytest.mark.parametrize("cases", ["writeback", "writeback_alone"])
def test_writeback(bench, cases, ways, vendor):
    bench(Writeback(ways=ways, vendor=vendor), f"xymac.sim.blocks.{cases}",
          f"writeback_{ways}_{vendor}", verilog=gates_of if vendor else verilog_of, ways=ways)


@pytest.mark.parametrize("ways", [*rarely(1), 4])
def test_host_port(bench, ways):
    port = HostPort(ways=ways, x_rows=512, y_rows=512, passes=4)
    bench(port, "xymac.sim.blocks.hostport", f"hostport_{ways}", ways=ways, rows=512, passes=4)


@pytest.mark.parametrize("bias_rows", [*rarely(1), 3])
@pytest.mark.parametrize("cases", ["fields", "order", "waits"])
def test_issue(bench, cases, bias_rows):
    bench(Issue(ways=4, bias_rows=bias_rows), f"xymac.sim.blocks.issue.{cases}",
          f"issue_{bias_rows}", bias_rows=bias_rows)


def test_dispatch(bench):
    bench(Dispatch(), "xymac.sim.blocks.issue.dispatch", "dispatch")


@pytest.mark.parametrize("ways", [*rarely(1), 4])
def test_gather(bench, ways):
    bench(Gather(ways=ways), "xymac.sim.blocks.gather", f"gather_{ways}", ways=ways)


@pytest.mark.parametrize("slots", [*rarely(2), 4])
@pytest.mark.parametrize("cases", ["sequencer", "pace", "outputs", "ends"])
def test_sequencer(bench, cases, slots):
    bench(Sequencer(passes=8, ways=1, x_rows=512, y_rows=512, slots=slots,
          functions=TINY.capabilities.functions), f"xymac.sim.blocks.fetch.{cases}",
          f"sequencer_{slots}", passes=8, ways=1, slots=slots)


@pytest.mark.parametrize(("passes", "vendor"), [(8, None), between(128, None), between(8, "ecp5")])
def test_repeat(bench, passes, vendor):
    bench(Repeat(passes=passes, vendor=vendor), "xymac.sim.blocks.fetch.repeat",
          f"repeat_{passes}_{vendor}", verilog=gates_of if vendor else verilog_of, passes=passes)


@pytest.mark.parametrize("divisor", [4, *rarely(5, 16)])
@pytest.mark.parametrize("end", [UartReceiver, UartTransmitter])
def test_uart(bench, end, divisor):
    name = end.__name__.removeprefix("Uart").lower()
    bench(end(divisor=divisor), "xymac.sim.blocks.uart", f"uart_{name}_{divisor}", end=name,
          divisor=divisor)


@pytest.mark.parametrize("component", [Link, UartReceiver, UartTransmitter])
def test_uart_divisor(component):
    with pytest.raises(ValueError, match=r"^Divisor must be at least 4 cycles a bit, not 3$"):
        component(divisor=3)
    with pytest.raises(TypeError, match=r"^Divisor must be an int, not 8\.5$"):
        component(divisor=8.5)


def test_link(bench):
    bench(Link(divisor=4), "xymac.sim.blocks.link", "link", divisor=4)
