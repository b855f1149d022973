# SPDX-License-Identifier: Apache-2.0
"""Calls on vectors: fully connected, element by element, and the accumulator transform."""

from functools import partial

import numpy as np

from xymac.golden.xs3.dense import FcDeepin, FullyConnected
from xymac.golden.xs3.eltwise import (
    AddElementwise,
    Argmax16,
    Lookup8,
    MulElementwise,
    Requantize16To8,
)
from xymac.golden.xs3.instructions import LANES
from xymac.golden.xs3.transform import OutputTransform

from .call import Work, integers
from .memory import check_structure, read, read_count, view, writable
from .types import (
    VPURingBuffer,
    nn_add_input_t,
    nn_add_output_t,
    nn_add_params_t,
    nn_add_vectors_t,
    nn_mul_params_t,
    otfn_int8_channelwise_params_t,
    otfn_int8_params_t,
)

__all__ = ["BUILDERS"]

_DTYPES = {8: np.int8, 16: np.int16}


def _counts(call, *names):
    return tuple(read_count(name, getattr(call, name)) for name in names)


def _fully_connected(bits, call):
    inputs, start, count = _counts(call, "N", "output_start", "output_count")
    if start % LANES:
        raise ValueError(f"output_start must be a multiple of {LANES}, not {start}")
    if not count:
        return None
    weights = call.integers("W", np.int8, (count, inputs), start * inputs)
    bso     = call.integers("BSO", np.uint16, (-(-count // LANES), 7, LANES), start * 7)
    return Work(FullyConnected(weights, bso, bits, call.low),
                (call.integers("X", np.int8, (inputs,)),),
                call.target(_DTYPES[bits], (count,), start))


def _deepin(bits, call):
    outputs, inputs = _counts(call, "C_out", "C_in")
    if not outputs:
        return None
    layer = FcDeepin(call.integers("W", np.int8, (outputs, inputs)),
                     call.integers("B", np.int32, (outputs,)),
                     call.integers("shifts", np.uint16, (outputs,)),
                     call.integers("scales", np.int16, (outputs,)), bits)
    return Work(layer, (call.integers("X", np.int8, (inputs,)),),
                call.target(_DTYPES[bits], (outputs,)))


def _range(call, build_layer, sources, dtype, out_dtype):
    """Work for a layer on the elements that a call selects."""
    start, count = _counts(call, "elm_start", "elm_count")
    if not count:
        return None
    return Work(build_layer(), tuple(call.integers(name, dtype, (count,), start)
                                     for name in sources),
                call.target(out_dtype, (count,), start))


def _requantize(call):
    return _range(call, lambda: Requantize16To8(call.low), ("X",), np.int16, np.int8)


def _lookup(call):
    return _range(call, lambda: Lookup8(call.integers("lut", np.uint8, (256,))), ("X",), np.uint8,
                  np.uint8)


def _add(call):
    params = call.params
    if isinstance(params, nn_add_vectors_t):
        return _add_vectors(call)
    check_structure("params", params, nn_add_params_t)
    if len(params.input) != 2:
        raise ValueError(f"params.input must have 2 structures, not {len(params.input)}")
    ends = [_signed(f"params.input[{number}]", part, nn_add_input_t, ("shr", "multiplier"))
            for number, part in enumerate(params.input)]
    bias, shift  = _signed("params.output", params.output, nn_add_output_t, ("bias", "shr"))
    shifts, scales = zip(*ends, strict=True)
    return _range(call, lambda: AddElementwise(shifts, scales, bias, shift, call.low),
                  ("X0", "X1"), np.int8, np.int8)


def _add_vectors(call):
    """Work for each vector lane, or a single Work if all lanes have equal parameters."""
    start, count = _counts(call, "elm_start", "elm_count")
    rows  = [view(f"params.{name}", getattr(call.params, name), np.int16, (LANES,)).tolist()
             for name in ("m1", "m2", "shift", "bias_hi", "bias_lo")]
    lanes = list(zip(*rows, strict=True))[:count]
    step  = LANES
    if len(set(lanes)) == 1:
        lanes, step = lanes[:1], 1
    x0, x1 = (view(name, getattr(call, name), np.int8, (count,), start) for name in ("X0", "X1"))
    target = call.target(np.int8, (count,), start)
    return [Work(AddElementwise((0, 0), (m1, m2), (high << 16) + (low & 0xFFFF), shift, call.low),
                 (integers(x0[lane::step]), integers(x1[lane::step])), target[lane::step])
            for lane, (m1, m2, shift, high, low) in enumerate(lanes)]


def _signed(name, value, kind, fields):
    return read(name, value, kind, fields, low=-1 << 31)


def _multiply(call):
    count = read_count("element_count", call.element_count, low=-1 << 31)
    if count <= 0:
        return None
    *zeros, bias, scale, shift = _signed("params", call.params, nn_mul_params_t, (
        "in1_zero_point", "in2_zero_point", "bias", "scalar", "vlashr_shr"))
    return Work(MulElementwise(tuple(zeros), scale, bias, shift),
                (call.integers("in1_data", np.int8, (count,)),
                 call.integers("in2_data", np.int8, (count,))),
                writable("out_data", call.out_data, np.int8, (count,)))


def _argmax(call):
    count = read_count("N", call.N, low=-1 << 31)
    if count <= 0:
        return None
    return Work(Argmax16(), (call.integers("X", np.int16, (count,)),), call.target(np.int32, (1,)))


def _transform(kind, call):
    """Work for one group of 16 channels; its result is the memory after the output."""
    params = call.params
    check_structure("params", params, kind)
    channels = read_count("params.output_slice_channel_count", params.output_slice_channel_count, 1)
    group    = read_count("output_channel_group", call.output_channel_group)
    count    = min(channels - group * LANES, LANES)
    if count < 1:
        raise ValueError(f"output_channel_group must be less than {-(-channels // LANES)}, the "
                         f"groups of {channels} channels, not {group}")
    final_shr, *shifts = _signed("params", params, kind, (
        "final_shr", *(("initial_shift",) if kind is otfn_int8_params_t else ())))
    kinds  = 2 if shifts else 3
    table  = call.integers("multipliers_and_biases", np.int16, (count * kinds,),
                           group * LANES * kinds)
    target = call.target(np.int8, (count,))
    return Work(OutputTransform(table, count, final_shr, *shifts), (_accumulators(call.A, count),),
                target, view("Y", call.Y, np.int8, (call.Y.nbytes - count,), count))


def _accumulators(ring, count):
    """Accumulators for a ring buffer's first ``count`` channels, int32."""
    check_structure("A", ring, VPURingBuffer)
    low  = view("A.vR", ring.vR, np.uint16, (LANES,)).astype(np.uint32)
    high = view("A.vD", ring.vD, np.uint16, (LANES,)).astype(np.uint32)
    return integers((high << 16 | low).view(np.int32)[:count])


#: Functions from a call to its Work, or to a list of several, None where there is nothing to do, by
#: operator.
BUILDERS = {
    **{f"fully_connected_{bits}": partial(_fully_connected, bits) for bits in _DTYPES},
    **{f"fc_deepin_shallowout_{bits}": partial(_deepin, bits) for bits in _DTYPES},
    "requantize_16_to_8": _requantize, "lookup8": _lookup, "argmax_16": _argmax,
    "add_elementwise": _add, "mul_elementwise": _multiply,
    "otfn_int8": partial(_transform, otfn_int8_params_t),
    "otfn_int8_channelwise": partial(_transform, otfn_int8_channelwise_params_t),
}
