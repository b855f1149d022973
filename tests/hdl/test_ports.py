# SPDX-License-Identifier: Apache-2.0
"""Connections between blocks by the names of an interface."""

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from xymac.hdl.core.ports import join

WALK = wiring.Signature({"launch": Out(4), "stop": Out(1), "walking": In(1)})


def block(**members):
    """A block without logic."""
    return wiring.PureInterface(wiring.Signature(members), path=("block",))


SOURCE = {"launch": Out(4), "stop": Out(1), "walking": In(1), "other": In(1)}


def test_join_connects_each_sink_with_its_members():
    m, source = Module(), block(**SOURCE)
    walker, stopper = block(launch=In(4), walking=Out(1)), block(stop=In(1), launch=In(4))
    join(m, WALK, source, walker, stopper)
    seen = []

    async def drive(ctx):
        for launch, stop, walking in ((9, 1, 0), (6, 0, 1)):
            ctx.set(source.launch, launch)
            ctx.set(source.stop, stop)
            ctx.set(walker.walking, walking)
            await ctx.delay(1)
            seen.append([ctx.get(port) for port in (
                walker.launch, stopper.launch, stopper.stop, source.walking)])

    simulator = Simulator(m)
    simulator.add_testbench(drive)
    simulator.run()

    assert seen == [[9, 9, 1, 0], [6, 6, 0, 1]]


def test_join_of_a_sink_without_a_member():
    with pytest.raises(ValueError, match=r"^PureInterface has none of launch, stop, walking$"):
        join(Module(), WALK, block(**SOURCE), block(walking=Out(1)), block(other=In(1)))


@pytest.mark.parametrize("count", [0, 2])
def test_join_without_a_single_source_of_an_answer(count):
    sinks = [block(walking=Out(1)) for _ in range(count)]
    with pytest.raises(ValueError, match=rf"^walking must have 1 source, not {count}$"):
        join(Module(), WALK, block(**SOURCE), block(stop=In(1)), *sinks)


@pytest.mark.parametrize("sink", [{"launch": In(5), "walking": Out(1)},
                                  {"launch": Out(4), "walking": Out(1)}])
def test_join_of_other_widths_or_directions(sink):
    with pytest.raises(wiring.ConnectionError, match=r"launch"):
        join(Module(), WALK, block(**SOURCE), block(**sink))


def test_join_of_another_shape_than_declared():
    source, sink = block(**SOURCE | {"launch": Out(5)}), block(launch=In(5), walking=Out(1))
    with pytest.raises(ValueError, match=r"^launch must be unsigned\(4\), not unsigned\(5\)$"):
        join(Module(), WALK, source, sink)
