# SPDX-License-Identifier: Apache-2.0
"""int16 sums and outputs in the newer lib_nn, and int8 signs as bits.

The host computes them, one unit instruction at a time. Source: lib_nn,
src/asm/mat_mul_direct_int16.S, mat_mul_direct_int16_dw.S, output_transform_fn_int16.S, bsign_8.S,
and src/c/bsign.c, output_transform_fn_int16_kernel_transform.c,
output_transform_fn_int16_mappings.c.
"""

from functools import partial

import numpy as np

from xymac.golden.xs3.instructions import LANES, vladd, vlmaccr, vlmul

from .floats import round_away
from .memory import check_structure, read, read_count, view, view_floats, writable
from .ring_types import nn_bsign_8_job_t, otfn_int16_params_t
from .rings import add_depthwise, add_direct, read_channels
from .types import VPURingBuffer

__all__ = ["ACTIONS", "MAPPINGS", "PROTOTYPES"]

_GROUP = 2 * LANES  #: Words per channel group: biases and factors.
_BYTES = 32         #: Bytes per vector.

#: Positions of each group channel's bias and factor, and its row of the weights:
#: names of the library.
MAPPINGS = {
    "ot_int16_add_index_used_for_output": tuple(
        channel // 2 + (0 if channel % 2 else LANES) for channel in range(LANES)),
    "ot_int16_mul_index_used_for_output": tuple(
        channel // 2 + (8 if channel % 2 else LANES + 8) for channel in range(LANES)),
    "aggr_ot_int16_input_channel_used_for_output": tuple(reversed(range(LANES))),
}
_ADD, _MUL = (list(MAPPINGS[f"ot_int16_{name}_index_used_for_output"]) for name in ("add", "mul"))


def _products(acc, c, memory):
    """VLMACCR on vectors with 16 elements."""
    return vlmaccr(acc, c.view(np.int16), memory.view(np.int16), 16)


def _accumulators(vDvR):
    """Accumulators in a ring buffer, or in memory that holds vR followed by vD, int64."""
    if isinstance(vDvR, VPURingBuffer):
        low  = view("vDvR.vR", vDvR.vR, np.uint16, (LANES,))
        high = view("vDvR.vD", vDvR.vD, np.int16, (LANES,))
    else:
        low  = view("vDvR", vDvR, np.uint16, (LANES,))
        high = view("vDvR", vDvR, np.int16, (LANES,), LANES)
    return (high.astype(np.int64) << 16) + low


def _output(params, output, vDvR, output_channel_group, mul_add):
    """Write the outputs for one channel group; returns the memory after them."""
    _, first, count = read_channels(params, otfn_int16_params_t, output_channel_group)
    table  = view("mul_add", mul_add, np.int32, (_GROUP,), 2 * first)
    values = vlmul(vladd(_accumulators(vDvR), table[_ADD], 32), table[_MUL], 32)[:count]
    writable("output", output, np.int16, (count,))[:] = np.clip(values, -32768, 32767)
    return view("output", output, np.int16, (output.nbytes // 2 - count,), count)


def _lay_out(kernel_weights_in, channel_multipliers_in, channel_bias_terms_in, kernel_weights_out,
             mul_add_out, input_channels, output_channels):
    """Fill ``mul_add`` from factors and biases; the library does not look at weights."""
    read_count("input_channels", input_channels)
    count   = read_count("output_channels", output_channels)
    factors = round_away(view_floats("channel_multipliers_in", channel_multipliers_in, count)
                         * np.float32(1 << 30))
    if not np.all((factors >= -(1 << 31)) & (factors < 1 << 31)):
        raise ValueError("channel_multipliers_in must lie from -2 to less than 2")
    biases  = view("channel_bias_terms_in", channel_bias_terms_in, np.int32, (count,))
    starts  = [channel // LANES * _GROUP for channel in range(count)]
    lanes   = [channel % LANES for channel in range(count)]
    size    = -(-count // LANES) * _GROUP
    target  = writable("mul_add_out", mul_add_out, np.int32, (size,))
    target[[start + _ADD[lane] for start, lane in zip(starts, lanes, strict=True)]] = biases
    target[[start + _MUL[lane] for start, lane in zip(starts, lanes, strict=True)]] = factors


def _prepare_signs(jobs, zero_point_vect, N, zero_point, job_count):
    """Distribute the input vectors over jobs; the last job also gets the incomplete vector."""
    count, parts = read_count("N", N), read_count("job_count", job_count, 1)
    zero = read_count("zero_point", zero_point, -128, 127)
    if len(jobs) < parts:
        raise ValueError(f"jobs must have {parts} structures, not {len(jobs)}")
    for number, job in enumerate(jobs[:parts]):
        check_structure(f"jobs[{number}]", job, nn_bsign_8_job_t)
    writable("zero_point_vect", zero_point_vect, np.int8, (_BYTES,))[:] = zero
    vectors, start = count // _BYTES, 0
    for number, job in enumerate(jobs[:parts]):
        job.start  = start
        job.length = (vectors // parts + (number < vectors % parts)) * _BYTES
        start += job.length
    jobs[parts - 1].length += count % _BYTES


def _signs(Y, X, zero_point_vect, job):
    """A bit for every element: 1 where it is below the zero point. Unused word bits are 0."""
    start, count = read("job", job, nn_bsign_8_job_t, ("start", "length"))
    zeros  = np.resize(view("zero_point_vect", zero_point_vect, np.int8, (_BYTES,)), count)
    bits   = np.packbits(view("X", X, np.int8, (count,), start) < zeros, bitorder="little")
    target = writable("Y", Y, np.uint8, (-(-count // _BYTES) * 4,), start // _BYTES * 4)
    target[:] = 0
    target[:bits.size] = bits


#: Arguments of the functions by name.
PROTOTYPES = {
    "mat_mul_direct_int16": ("params", "A", "X", "output_channel_group", "weights"),
    "mat_mul_dw_direct_int16": ("params", "A", "T", "output_channel_group", "weights"),
    "output_transform_fn_int16": ("params", "output", "vDvR", "output_channel_group", "mul_add"),
    "output_transform_fn_int16_kernel_transform": (
        "kernel_weights_in", "channel_multipliers_in", "channel_bias_terms_in",
        "kernel_weights_out", "mul_add_out", "input_channels", "output_channels"),
    "bsign_8_prepare": ("jobs", "zero_point_vect", "N", "zero_point", "job_count"),
    "bsign_8": ("Y", "X", "zero_point_vect", "job"),
}

#: Actions of the functions; they get the arguments in order.
ACTIONS = {
    "mat_mul_direct_int16": partial(add_direct, _products),
    "mat_mul_dw_direct_int16": partial(add_depthwise, np.int16),
    "output_transform_fn_int16": _output,
    "output_transform_fn_int16_kernel_transform": _lay_out,
    "bsign_8_prepare": _prepare_signs, "bsign_8": _signs,
}
