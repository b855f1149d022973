# SPDX-License-Identifier: Apache-2.0
"""Passes whose footprints do not meet leave the same in either order."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from tests.support.drawn_passes import passes
from tests.support.rtl_device import fill, run_rtl
from tests.support.seed import examples
from tests.support.sizes import each_size
from xymac.hdl.config import BASE
from xymac.hdl.isa import Access, Adjust, Memory, Move, Op, Pass, Reduce, Shape, State
from xymac.host.device.device import MachineDevice
from xymac.host.plan.program.fillers import may_move
from xymac.host.plan.program.footprint import Footprint

FIRST = Pass(x=Access(0, 0, 63), y=Access(0, 0, 7), z=Access(80, 80, 87))


def plain(pass_):
    """A pass that a filler may be: without held sums, scalars or a reduction."""
    op = pass_.accumulate.op
    return replace(pass_, op=Op.MAC if op is Op.SHARE else op, reduce=Reduce.NONE, hold=False,
                   adjust=Adjust.NONE, anchored=False, inverted=False, resume=False, repeat=0,
                   back=0, wait=True, last=False)


@each_size
@settings(max_examples=examples(60), deadline=None,
          phases=[Phase.explicit, Phase.generate],
          suppress_health_check=[HealthCheck.filter_too_much])  # many passes meet, or fault
@given(data=st.data())
def test_order_matters_only_where_footprints_meet(config, data):
    pair = [plain(data.draw(passes(config))) for _ in range(2)]
    assert all(map(may_move, pair))
    assume(not Footprint.of(pair[0], config).meets(Footprint.of(pair[1], config)))

    runs = []
    for first, last in (pair, pair[::-1]):
        with MachineDevice(config) as machine:
            fill(machine, 0, pair)
            runs.append(run_rtl(machine, [first, replace(last, last=True)]))

    assume(runs[0].result.state is State.DONE)
    assert runs[1].result.state is State.DONE
    for memory in Memory:
        assert (runs[0].cells[memory] == runs[1].cells[memory]).all()


@pytest.mark.parametrize(("fields", "meets"), [
    ({"x": Access(80, 80, 87)}, True),                # reads what the first writes
    ({"x": Access(88, 80, 95)}, False),               # only beside it, in the same row
    ({"x": Access(77, 72, 95), "x_shape": Shape.LANES, "y_shape": Shape.LANES}, True),
    ({"x": Access(88, 80, 95), "op": Op.CROSS}, False),
    ({"x": Access(82, 80, 95), "op": Op.CROSS}, True),  # all four groups of its row
    ({"x": Access(88, 80, 95, move=Move.FIRST)}, True),
    ({"z": Access(0, 0, 7)}, True),                   # writes what the first reads
    ({"z": Access(8, 0, 15)}, False),
    ({"z": Access(80, 80, 87)}, True),                # writes the same
    ({"z": Access(79, 79, 87), "beats": 1}, False),
    ({"z": Access(79, 79, 87), "beats": 2}, True),
    ({"z": Access(0, 0, 7), "z_memory": Memory.Y}, True),
    ({"z": Access(0, 0, 7), "hold": True}, False),
    ({"y": Access(5, 0, 7)}, False)])
def test_what_meets(fields, meets):
    other = replace(FIRST, **{"x": Access(16, 16, 63), "z": Access(96, 96, 103)} | fields)

    assert Footprint.of(FIRST, BASE).meets(Footprint.of(other, BASE)) is meets
    assert Footprint.of(other, BASE).meets(Footprint.of(FIRST, BASE)) is meets


def test_records_are_read():
    words = replace(FIRST, z=Access(48, 48, 55), z_memory=Memory.Y, z_width=FIRST.epilogue.z_width)
    row   = 48 // 32  # of bytes in Y: 32 groups a row

    for bias, meets in ((row, True), (row + 1, False)):
        reader = replace(FIRST, x=Access(16, 16, 63), y=Access(16, 16, 31), z=Access(96, 96, 103),
                         bias_row=bias)
        assert Footprint.of(words, BASE).meets(Footprint.of(reader, BASE)) is meets
