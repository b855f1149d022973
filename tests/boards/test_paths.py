# SPDX-License-Identifier: Apache-2.0
"""The worst paths of a design from the delays that nextpnr writes, with names of the source."""

import pytest

from xymac.boards.tools.paths import path_lines, signal_name, worst_paths
from xymac.boards.tools.sdf import read_sdf

#: Two registers a and b, in two bits each, and one of another clock; a LUT between them.
SDF = r"""
(DELAYFILE
  (CELL
    (CELLTYPE "top")
    (INSTANCE )
        (INTERCONNECT clk/O x.a\[0\]_TRELLIS_FF_Q/CLK (0:0:0) (0:0:0))
        (INTERCONNECT clk/O x.b\[0\]_TRELLIS_FF_Q/CLK (0:0:0) (0:0:0))
        (INTERCONNECT clk/O x.b\[1\]_TRELLIS_FF_Q/CLK (0:0:0) (0:0:0))
        (INTERCONNECT other/O y_TRELLIS_FF_Q/CLK (0:0:0) (0:0:0))
        (INTERCONNECT x.a\[0\]_TRELLIS_FF_Q/Q x.b\[0\]_LUT4_Z/A (10:20:1000) (10:20:900))
        (INTERCONNECT x.a\[0\]_TRELLIS_FF_Q/Q x.b\[1\]_TRELLIS_FF_Q/M (10:20:400) (10:20:400))
        (INTERCONNECT x.b\[0\]_LUT4_Z/F x.b\[0\]_TRELLIS_FF_Q/DI (1:2:100) (1:2:100))
        (INTERCONNECT x.b\[1\]_TRELLIS_FF_Q/Q x.a\[0\]_TRELLIS_FF_Q/DI (1:2:100) (1:2:100))
        (INTERCONNECT y_TRELLIS_FF_Q/Q x.b\[0\]_LUT4_Z/B (1:2:9000) (1:2:9000))
        (INTERCONNECT x.b\[1\]_TRELLIS_FF_Q/Q y_TRELLIS_FF_Q/DI (1:2:9000) (1:2:9000))
        (INTERCONNECT pad/O x.b\[0\]_LUT4_Z/C (1:2:9000) (1:2:9000))
  (CELL
    (INSTANCE x.b\[0\]_LUT4_Z)
        (IOPATH A F (1:2:200) (1:2:300))
        (IOPATH B F (1:2:200) (1:2:300))
        (IOPATH C F (1:2:200) (1:2:300))
"""
REGISTER = r"""
  (CELL
    (INSTANCE {name}_TRELLIS_FF_Q)
        (IOPATH CLK Q (1:2:500) (1:2:400))
      (SETUPHOLD (posedge {port}) (posedge CLK) (0:0:50) (1:2:3))
"""
LINES = (SDF + "".join(REGISTER.format(name=name, port=port) for name, port in
                       ((r"x.a\[0\]", "DI"), (r"x.b\[0\]", "DI"), (r"x.b\[1\]", "M"),
                        ("y", "DI")))).splitlines()


def test_each_register_has_one_path():
    slow, fast = worst_paths(read_sdf(LINES), "x.a[0]_TRELLIS_FF_Q")

    assert (slow.start, slow.end, slow.signals, slow.cells, slow.ends) == (
        "x.a[0]", "x.b[0]", ("x.a[0]", "x.b[0]"), 1, 2)
    assert (slow.delay, slow.logic, slow.routing) == (1.95, 0.85, 1.1)
    assert (fast.start, fast.end, fast.cells, fast.ends) == ("x.b[1]", "x.a[0]", 0, 1)
    assert list(path_lines([fast])) == ["1. 0.65 ns (logic 0.55, routing 0.10, 0 cells)",
                                        "   x.b[1] > x.a[0]"]


@pytest.mark.parametrize("like", ["", "pad"])
def test_without_a_clock_there_is_no_path(like):
    assert worst_paths(read_sdf(LINES), like) == []


def test_a_circle_of_logic_ends():
    lines = [*LINES, r"(INTERCONNECT x.b\[0\]_LUT4_Z/F x.b\[0\]_LUT4_Z/D (1:2:9) (1:2:9))",
             r"(INSTANCE x.b\[0\]_LUT4_Z)", "(IOPATH D F (1:2:9) (1:2:9))"]

    assert worst_paths(read_sdf(lines), "x.a[0]_TRELLIS_FF_Q")[0].delay == 1.95


@pytest.mark.parametrize(("cell", "name"), [
    ("core.host.request[21]_LUT4_C_D_LUT4_D_Z_CCU2C_COUT$CCU2_COMB0", "core.host.request[21]"),
    ("core.x$179.x_2.0.0", "core.x.x_2"), ("core.held.0.5_DO_2", "core.held"),
    ("core.lane_3.mem.0.0$RAMW_BLOCK0", "core.lane_3.mem"),
    (r"\$signal$15_TRELLIS_FF_Q", "$signal"),
    ("core.tables_0.o[1][4]_TRELLIS_FF_Q", "core.tables_0.o[1][4]"),
    ("$nextpnr_CCU2C_57$CCU2_COMB0", ""), ("response__ready$tr_io", "response__ready"),
    ("core.state_SB_DFFER_Q_D_SB_LUT4_O$nextpnr_ICESTORM_LC", "core.state")])
def test_names_are_those_of_signals(cell, name):
    assert signal_name(cell) == name
