# SPDX-License-Identifier: Apache-2.0
"""Calls of MLI 2.0 between memories with gaps on a device, whose cells are compared."""

from tests.support.calls.strided import call_of
from tests.support.raw_cells import read_bytes, write_bytes
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.names import parse
from xymac.golden.mli2 import Build
from xymac.golden.views import Stored, memory_of
from xymac.host.errors import Refusal
from xymac.host.executable.steps import Load, Start
from xymac.host.plan.plan import Plan
from xymac.host.plan.views import view_nodes
from xymac.host.runtime import put_constant

__all__ = ["KERNELS", "check_call"]

BUILDS  = tuple(Build)
#: A kernel of every family, and every type of elements.
KERNELS = [*(f"mli_krn_{name}" for name in (
    "conv2d_hwcn_sa8_sa8_sa32", "conv2d_hwcn_fx16", "depthwise_conv2d_hwcn_fx16_fx8_fx8",
    "group_conv2d_hwcn_sa8_sa8_sa32", "transpose_conv2d_hwcn_fx16", "fully_connected_fx16_fx8_fx8",
    "rnn_dense_sa8_sa8_sa32", "lstm_cell_fx16", "gru_cell_sa8_sa8_sa32", "maxpool_hwc_fx8",
    "avepool_hwc_sa8", "relu_fx8", "leaky_relu_fx16", "prelu_sa8", "sigm_fx8", "tanh_fx16",
    "softmax_sa8", "l2_normalize_fx16", "eltwise_add_sa8", "eltwise_mul_fx16", "eltwise_min_fx8",
    "permute_fx8", "permute_fx16")), "mli_hlp_convert_tensor"]


def check_call(device, name, number):
    """Whether X can hold a call; then it leaves the bytes there that golden leaves in memory.

    All memory with gaps is written to X and read from there by the addresses of its elements.
    """
    library = Mli(build=BUILDS[number % len(BUILDS)])
    parsed  = parse(name)
    call    = library.bind(parsed, dict.fromkeys(parsed.options, False) | call_of(name, number))
    nodes, values = view_nodes(call.layer, call.operands, call.destination)
    plan = Plan.of(device.config, nodes, *values, keep=False)
    if isinstance(plan, Refusal):
        return False
    memory = values[-1].data
    _run(device, plan, values)
    left = read_bytes(device, plan.target.row, memory.size, memory.itemsize)
    library.apply(call)
    assert left == memory_of(call.destination).tobytes()
    assert left != memory.tobytes()
    return True


def _run(device, plan, values):
    for x, layout in zip(values, plan.sources, strict=True):
        if isinstance(x, Stored):
            write_bytes(device, layout.row, x.data.tobytes(), x.data.itemsize)
        else:
            device.write_cells(layout.memory, layout.row * layout.row_cells, layout.cells(x.data))
    executable = plan.executable
    for step in (*executable.load, *executable.run):
        if isinstance(step, Load):
            put_constant(device, step, executable.arrays)
        elif isinstance(step, Start):
            device.run().check()
