# SPDX-License-Identifier: Apache-2.0
"""Plans of several layers: equality, placement, waits, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, FullyConnected, Layout, LstmCell, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import (
    COUNTERS,
    Access,
    Adjust,
    Count,
    Flag,
    Memory,
    Pass,
    Reduce,
    Shape,
    State,
    Status,
)
from xymac.host.device.device import DeviceError, MachineDevice, RunResult, TraceRecord, open_device
from xymac.host.plan.plan import Plan
from xymac.host.plan.program.waits import set_waits
from xymac.host.plan.run import layer_counters, run_layer

RNG = random_of(5)


def constants(*shape, frac_bits=7):
    return Tensor(RNG.integers(-128, 128, shape).astype(np.int8), frac_bits)


NETWORK = [
    Conv2d(constants(13, 3, 3, 3), constants(13), 5, pad=(1, 1, 1, 1)),
    DepthwiseConv2d(constants(13, 1, 3, 3), constants(13), 4, stride=(2, 2), pad=(0, 1, 0, 1)),
    Conv2d(constants(22, 13, 1, 1), constants(22), 3),
    FullyConnected(constants(10, 22 * 4 * 4), constants(10), 0),
]
SHAPE = (3, 8, 8)
INPUT = constants(*SHAPE, frac_bits=6)


def inputs(count):
    return [constants(*SHAPE, frac_bits=6) for _ in range(count)]


def golden_outputs(layers, x):
    outputs = []
    for layer in layers:
        x = golden.run(layer, x).output
        outputs.append(x)
    return outputs


@pytest.mark.parametrize("keep", [True, False])
@each_size
def test_network_equals_golden_image_by_image(config, keep):
    plan = Plan(config, NETWORK, INPUT, keep=keep)
    with MachineDevice(config) as device:
        plan.load(device)
        for x in inputs(3):
            run, expected = plan.run(device, x), golden_outputs(NETWORK, x)
            assert run.output == expected[-1]
            assert list(run.outputs[:-1]) == (expected[:-1] if keep else [None] * 3)


def test_input_of_a_dense_layer_may_lie_in_either_layout():
    first = Conv2d(constants(5, 2, 2, 3), constants(5), 5, layout=Layout.HWC)
    layers, x = [first, FullyConnected(constants(7, 60), constants(7), 0)], constants(5, 4, 3)
    with MachineDevice(BASE) as device:
        plan = Plan(BASE, layers, x)
        plan.load(device)
        assert plan.run(device, x).output == golden_outputs(layers, x)[-1]


def test_steps_name_their_passes_and_readers_of_old_rows_do_not_wait():
    plan = Plan(BASE, NETWORK, INPUT)
    assert [step.passes for step in plan.steps] == [(0,), (1,), (2, 3), (4,)]
    # All layers begin with rows that the layer before has long written.
    assert not any(pass_.control.wait for pass_ in plan.program)
    assert [pass_.control.last for pass_ in plan.program] == [False] * 4 + [True]


def test_activations_share_memory_unless_all_are_kept():
    layers = [Conv2d(constants(16, 16, 1, 1), constants(16), 7) for _ in range(5)]
    shape  = (16, 40, 40)  # 25 KiB: two of them fit
    plan = Plan(BASE, layers, constants(*shape))
    assert not plan.keeps_all
    assert {step.target.row for step in plan.steps} == {0, 2048 - 800}
    with pytest.raises(ValueError, match=r"^Layer 1 \(Conv2d\): its output needs 25600 bytes of "
                                         "X memory: of its 65536 bytes 14336 are free, 14336 in "
                                         "one piece$"):
        Plan(BASE, layers, constants(*shape), keep=True)


@pytest.mark.parametrize(("config", "layers", "shape", "message"), [
    (TINY, [FullyConnected(constants(2, 40000), constants(2), 0)], (40000,),
     (r"^Layer 0 \(FullyConnected\): its input needs 40000 bytes of X memory: of its 16384 bytes "
      r"16384 are free, 16384 in one piece$")),
    (TINY, [LstmCell(constants(4, 60, 260), constants(4, 60), constants(60), constants(60), 7)],
     (200,), r"^Layer 0 \(LstmCell\) needs 6[0-9]+ bytes of Y memory: of its 32768 "),
    (BASE, [], SHAPE, "A plan must have at least one layer, not 0"),
    (BASE, [NETWORK[0], NETWORK[2], NETWORK[2]], SHAPE, "Weights have 13 input channels, input"),
    (TINY, [Conv2d(constants(1, 1, 4, 1), constants(1), 0, stride=(3, 99), pad=(3, 3, 0, 0))],
     (1, 1, 15000), (r"^Layer 0 \(Conv2d\) has a stride of 45000 addresses: a pass holds strides "
                     r"of up to 32767$")),
])
def test_refuses_what_does_not_fit(config, layers, shape, message):
    with pytest.raises(ValueError, match=message):
        Plan(config, layers, constants(*shape, frac_bits=6))


@pytest.mark.parametrize("x", [Tensor(np.zeros((3, 8, 7), np.int8), 6),
                               Tensor(np.zeros(SHAPE, np.int16), 6),
                               Tensor(np.zeros(SHAPE, np.int8), 5)], ids=str)
def test_refuses_an_input_of_another_kind(x):
    plan = Plan(BASE, NETWORK, INPUT)
    with pytest.raises(ValueError, match=r"Input must have shape, type and frac_bits \(\(3, 8, 8"):
        plan.run(MachineDevice(BASE), x)


def test_link_waits_only_for_what_a_pass_reads():
    first  = Pass(x=Access(0, 0, 7), y=Access(0, 0, 7), z=Access(80, 80, 87))
    other  = replace(first, z=Access(160, 160, 167))
    reader = replace(first, x=Access(80, 80, 87), z=Access(240, 240, 247))
    program = set_waits([first, other, reader, replace(reader, x=other.epilogue.z)], BASE)
    assert [pass_.control.wait for pass_ in program] == [False, False, True, False]


def test_link_waits_for_what_the_iteration_before_writes():
    """The first reads what the last writes; the one between them reads nothing of a loop."""
    first  = Pass(x=Access(160, 160, 167), y=Access(0, 0, 7), z=Access(80, 80, 87))
    middle = replace(first, x=Access(0, 0, 7), z=Access(240, 240, 247))
    last   = replace(first, x=middle.epilogue.z, z=first.operands.x, back=2, repeat=3)
    after  = replace(first, z=Access(400, 400, 407))

    program = set_waits([middle, first, middle, last, after], BASE)

    assert [pass_.control.wait for pass_ in program] == [False, True, False, True, True]


def test_link_refuses_to_go_back_too_far():
    pass_ = Pass(x=Access(0, 0, 7), y=Access(0, 0, 7), z=Access(80, 80, 87))

    with pytest.raises(ValueError, match="Pass 1 must go back at most 1 passes, not 2"):
        set_waits([pass_, replace(pass_, back=2, repeat=1)], BASE)


def test_a_scalar_waits_for_its_own_reduction_only():
    """Maximum and minimum for passes that subtract the maximum, a sum for those with its inverse;
    rows of X and Z of these passes are apart."""
    lanes  = {"x": Access(0, 0, 3), "y": Access(0, 0, 0), "x_shape": Shape.LANES,
              "y_shape": Shape.LANES}
    passes = [Pass(z=Access(8 * index + 80, 8 * index + 80, 8 * index + 83), **lanes, **fields)
              for index, fields in enumerate([
                  {"reduce": Reduce.MAX}, {"reduce": Reduce.SUM, "anchored": True},
                  {"reduce": Reduce.SUM, "anchored": True}, {"inverted": True}, {"anchored": True},
                  {"reduce": Reduce.MIN}, {"adjust": Adjust.PLACES}, {"adjust": Adjust.TABLE}])]
    waits = [pass_.control.wait for pass_ in set_waits(passes, BASE)]
    assert waits == [False, True, False, True, False, False, False, True]


def test_a_fault_is_reported_by_pass_and_field():
    device = MachineDevice(BASE)
    device.load_program([Pass(x=Access(0, 1, 0), y=Access(0, 0, 0), z=Access(0, 0, 3))])
    result = device.run()
    assert (result.state, result.status, result.field) == (State.FAULT, Status.WINDOW,
                                                           Count.X.value)
    with pytest.raises(DeviceError, match="stopped in state FAULT at pass 0 with status WINDOW, f"):
        result.check()


def test_layers_split_the_counters_of_the_program():
    plan  = Plan(BASE, NETWORK, INPUT)
    trace = [TraceRecord(dict.fromkeys(COUNTERS, 10 * n), False, 10 * n + 5) for n in range(1, 6)]
    result = RunResult(State.DONE, Status.OK, 0, 4, Flag(0), dict.fromkeys(COUNTERS, 57), trace)
    split  = layer_counters(plan, result)
    assert [counters["cycles"] for counters in split] == [10, 10, 20, 17]


def test_devices_are_found_by_name():
    with open_device("machine", TINY) as device:
        assert isinstance(device, MachineDevice)
        layer = FullyConnected(constants(2, 4), constants(2), 7)
        assert run_layer(device, layer, constants(4)).result.counters["cycles"] == 0
    with pytest.raises(ValueError, match="Device must be one of machine, rtl, serial, not 'fpga'"):
        open_device("fpga", TINY)


def test_cells_beyond_a_memory_are_refused():
    with MachineDevice(TINY) as device, pytest.raises(ValueError, match="0 and 8191, not 8190 to"):
        device.read_cells(Memory.X, 8190, 3)
