# SPDX-License-Identifier: Apache-2.0
"""Legal calls of the functions of MLI 2.0, what breaks them, and how a refusal is judged."""


import numpy as np
import pytest

from tests.support.calls.mli2 import CHECKED, sa
from tests.support.calls.mli2_built import legal
from xymac.golden.api.mli2.configs import mli_lut, mli_point_to_subtsr_cfg, mli_sub_tensor_cfg
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.api.mli2.types import mli_data_container, mli_tensor
from xymac.golden.mli2 import Build

RETURNED = CHECKED[Build.UP_FULL]
ASSERTED = Mli(build=Build.UP_FULL, debug="DBG_MODE_ASSERT")

CONV, DEPTHWISE, GROUP, TRANSPOSE = (f"mli_krn_{kind}conv2d_hwcn_sa8_sa8_sa32"
                                     for kind in ("", "depthwise_", "group_", "transpose_"))
CONVOLUTIONS = (CONV, DEPTHWISE, GROUP, TRANSPOSE)
DENSE, RNN   = "mli_krn_fully_connected_sa8_sa8_sa32", "mli_krn_rnn_dense_sa8_sa8_sa32"
LSTM, GRU    = "mli_krn_lstm_cell_fx16", "mli_krn_gru_cell_sa8_sa8_sa32"
MAX, AVE     = "mli_krn_maxpool_hwc_fx16", "mli_krn_avepool_hwc_sa8"
RELU, LEAKY, PRELU, SIGM = "mli_krn_relu_fx16", "mli_krn_leaky_relu_sa8", "mli_krn_prelu_sa8", \
    "mli_krn_sigm_fx16"
SOFTMAX, L2, ARGMAX, PERMUTE = (f"mli_krn_{kind}_sa8" for kind in (
    "softmax", "l2_normalize", "argmax", "permute"))
ADD, MIN     = "mli_krn_eltwise_add_sa8", "mli_krn_eltwise_min_fx16"
CONVERT, SAFX, POINT, PART = (f"mli_hlp_{kind}" for kind in (
    "convert_tensor", "convert_tensor_safx", "point_to_subtensor", "create_subtensor"))
LUT          = "mli_krn_tanh_create_lut"

WORDS = np.zeros((3, 4), np.int16)


def call_of(function):
    """Arguments of a legal call."""
    if function in (POINT, PART):
        cfg = (mli_point_to_subtsr_cfg((1, 1), 2, 2) if function == POINT
               else mli_sub_tensor_cfg((1, 0, 1), (1, 3, 2), 2))
        return {"in_": mli_tensor(np.zeros((3, 4, 5), np.int16)), "cfg": cfg, "out": mli_tensor()}
    if function in (CONVERT, SAFX):
        return {"in_": mli_tensor(WORDS.copy()), "out": mli_tensor(WORDS.astype(np.int8))}
    if function == LUT:
        return {"lut": mli_lut(np.zeros(688, np.int8))}
    return legal(function)


def put(args, path, value):
    """Put ``value``, or what it says of the arguments, in place of an argument or a field."""
    value = value(args) if callable(value) else value
    *parents, field = path.split(".")
    owner = args
    for parent in parents:
        owner = (owner[parent] if isinstance(owner, dict) else
                 owner[int(parent)] if parent.isdigit() else getattr(owner, parent))
    if isinstance(owner, dict):
        owner[field] = value
    elif field.isdigit():
        owner[int(field)] = value
    else:
        setattr(owner, field, value)


def read_only(array):
    array.flags.writeable = False
    return mli_data_container(mem=array)


def over(name, start):
    """Memory of the argument ``name`` from byte ``start`` on, and more behind it."""
    def build(args):
        memory = np.concatenate([args[name].data.mem.pi8, np.zeros(4096, np.int8)])
        args[name].data = mli_data_container(mem=memory)
        return mli_data_container(mem=memory[start:])
    return build


def axis(dim, count, **changes):
    """Parameters along a dimension."""
    values = {"zero_point": (0,) * count, "scale": (1,) * count, "scale_frac_bits": (0,) * count}
    return sa(**values | changes, dim=dim)


def first(count):
    return lambda args: mli_data_container(mem=np.zeros(count, np.int16))


def shaped(name, change, whole=False):
    """The argument ``name`` with the shape that ``change`` makes of its own."""
    def build(args):
        tensor = args[name]
        dtype  = {0x10: np.int16, 0x120: np.int32}.get(tensor.el_type, np.int8)
        params = sa() if whole and tensor.el_type >> 8 else tensor.el_params
        return mli_tensor(np.zeros(change(tensor.shape), dtype), el_params=params)
    return build


def refuses(function, args, status, words):
    """A call returns its status and says why; in release mode it raises or runs, and stays put."""
    out    = args.get("out")
    memory = out.data.mem.memory if isinstance(out, mli_tensor) and isinstance(
        out.data, mli_data_container) else None
    before = None if memory is None else memory.copy()

    assert RETURNED.function(function)(**args).name == f"MLI_STATUS_{status}"
    with pytest.raises(AssertionError, match=rf"{function}: .*{words}.*\(MLI_STATUS_{status}\)"):
        ASSERTED.function(function)(**args)

    if memory is not None:
        assert memory.tobytes() == before.tobytes()
