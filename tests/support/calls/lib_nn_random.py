# SPDX-License-Identifier: Apache-2.0
"""Random calls of the functions of lib_nn: any shapes, windows, parts, shifts and scales."""

import numpy as np

from xymac.golden.api.xs3 import floats, int16, moves, rings, rings16
from xymac.golden.api.xs3 import functions as lib
from xymac.golden.api.xs3.prototypes import PROTOTYPES

from .lib_nn import image, ring_of
from .xs3 import make_int8

_POINTERS = {8: np.int8, 16: np.int16}


class Draw:
    """Random parts of calls, all of one generator; ``loud`` draws the largest elements alone."""

    def __init__(self, rng):
        self.rng, self.loud = rng, bool(rng.integers(2))

    def size(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def int8(self, *shape):
        return make_int8(self.rng, shape, self.loud)

    def words(self, dtype, *shape):
        info = np.iinfo(dtype)
        return self.rng.integers(info.min, info.max + 1, shape).astype(dtype)

    def bso(self, channels):
        """Any shifts and scales, or those that show every bit of sums near a limit."""
        bso = self.words(np.uint16, -(-channels // 16), 7, 16)
        bso[:, 2], bso[:, 6] = self.rng.integers(0, 32, (2, len(bso), 16))
        if self.size(0, 1):
            bso[:, 0] = self.rng.choice([0x7FFF, 0x8000, 0, 0xFFFF], (len(bso), 16))
            bso[:, 2], bso[:, 4] = 16, 0
            bso[:, 3] = self.rng.choice([1, 2, 0xFFFF], (len(bso), 16))
            bso[:, 6] = self.rng.choice([0, 4, 8], (len(bso), 16))
        return bso

    def window(self, kernel, x, inside):
        """Window of a kernel on an image, and the rows and columns of the output."""
        stride = self.size(1, 3), self.size(1, 3)
        if inside:
            start = [self.size(0, size - taps) for size, taps in zip(x, kernel, strict=False)]
            out   = [self.size(1, (size - first - taps) // step + 1) for size, first, taps, step
                     in zip(x, start, kernel, stride, strict=False)]
        else:
            start = [self.size(-taps, size) for size, taps in zip(x, kernel, strict=False)]
            out   = [self.size(1, 5), self.size(1, 5)]
        return lib.nn_window_params_t(lib.nn_window_shape_t(*kernel), lib.nn_window_start_t(*start),
                                      lib.nn_window_step_t(*stride)), out

    def part(self, whole, unit):
        """A part of an output (rows, columns, channels), channels from a multiple of ``unit``."""
        start = [self.size(0, whole[0] - 1), self.size(0, whole[1] - 1),
                 unit * self.size(0, (whole[2] - 1) // unit)]
        size  = [self.size(0, whole[0] - start[0]), self.size(0, whole[1] - start[1]),
                 4 * self.size(0, (whole[2] - start[2]) // 4)]
        return lib.nn_window_op_job_params_t(lib.nn_image_vect_t(*start),
                                             lib.nn_image_vect_t(*size))


def _convolution(name, draw):
    x, kernel, outputs = [draw.size(1, 8), draw.size(1, 8), 4 * draw.size(1, 20)], (
        draw.size(1, 4), draw.size(1, 4)), 4 * draw.size(1, 12)
    if name.startswith("conv2d_shallowin"):
        x[2]   = int(draw.rng.choice([4, 8, 16, 32]))
        kernel = kernel[0], draw.size(1, 32 // x[2])
        weights = draw.int8(outputs, kernel[0], 32 // x[2], x[2])
        weights[:, :, kernel[1]:] = 0
    elif name.startswith("conv2d_depthwise"):
        outputs = x[2]
        weights = draw.int8(*kernel, outputs)
    else:
        weights = draw.int8(outputs, *kernel, x[2])
    window, out = draw.window(kernel, x, False)
    whole = (*out, outputs)
    return {"X": draw.int8(*x), "K": weights, "BSO": draw.bso(outputs),
            "zero_point": draw.size(-128, 127), "x_params": image(x), "y_params": image(whole),
            "conv_window": window, "job_params": draw.part(whole, 16), "flags": 0}, whole, np.int8


def _pointwise(name, draw):
    rows, columns, inputs, outputs = (draw.size(1, 8), draw.size(1, 8), 4 * draw.size(1, 20),
                                      4 * draw.size(1, 12))
    pixel   = draw.size(0, rows * columns - 1)
    channel = 16 * draw.size(0, (outputs - 1) // 16)
    job = lib.nn_conv2d_1x1_job_params_t(
        lib.nn_image_vect_t(pixel // columns, pixel % columns, channel),
        lib.nn_conv2d_1x1_size_t(draw.size(0, rows * columns - pixel),
                                 4 * draw.size(0, (outputs - channel) // 4)))
    whole = rows, columns, outputs
    return {"X": draw.int8(rows, columns, inputs), "K": draw.int8(outputs, inputs),
            "BSO": draw.bso(outputs), "x_params": image((rows, columns, inputs)),
            "y_params": image(whole), "job_params": job, "flags": 0}, whole, np.int8


def _pool(name, draw):
    x = draw.size(1, 8), draw.size(1, 8), 4 * draw.size(1, 20)
    window, out = draw.window((draw.size(1, x[0]), draw.size(1, x[1])), x, True)
    whole = (*out, x[2])
    return {"X": draw.int8(*x), "x_params": image(x), "y_params": image(whole),
            "pooling_window": window, "job_params": draw.part(whole, 4),
            "flags": 0}, whole, np.int8


def _global_mean(name, draw):
    x = draw.size(1, 8), draw.size(1, 8), 4 * draw.size(1, 20)
    start = 4 * draw.size(0, x[2] // 4)
    return {"X": draw.int8(*x), "bias": int(draw.words(np.int32)), "scale": draw.size(-128, 127),
            "shift": draw.size(0, 31), "x_params": image(x), "chan_start": start,
            "chan_count": 4 * draw.size(0, (x[2] - start) // 4), "flags": 0}, x[2:], np.int8


def _dense(name, draw):
    inputs, outputs = draw.size(1, 300), draw.size(1, 70)
    start = 16 * draw.size(0, (outputs - 1) // 16)
    return {"W": draw.int8(outputs, inputs), "X": draw.int8(inputs), "BSO": draw.bso(outputs),
            "N": inputs, "output_start": start, "output_count": draw.size(0, outputs - start)}, (
                outputs,), _POINTERS[int(name.rpartition("_")[2])]


def _deepin(name, draw):
    inputs, outputs = 32 * draw.size(1, 9), draw.size(1, 16)
    return {"W": draw.int8(outputs, inputs), "B": draw.words(np.int32, outputs),
            "X": draw.int8(inputs), "C_out": outputs, "C_in": inputs,
            "shifts": draw.rng.integers(0, 32, outputs).astype(np.uint16),
            "scales": draw.words(np.int16, outputs)}, (outputs,), _POINTERS[
                int(name.rpartition("_")[2])]


def _elements(name, draw):
    count = draw.size(1, 400)
    start = draw.size(0, count - 1)
    args  = {"elm_start": start, "elm_count": draw.size(0, count - start)}
    if name == "lookup8":
        return args | {"X": draw.words(np.uint8, count), "lut": draw.words(np.uint8, 256)}, (
            count,), np.uint8
    if name == "requantize_16_to_8":
        return args | {"X": draw.words(np.int16, count)}, (count,), np.int8
    params = _vectors(draw) if draw.size(0, 1) else lib.nn_add_params_t(
        tuple(lib.nn_add_input_t(draw.size(-31, 31), int(draw.words(np.int16))) for _ in range(2)),
        lib.nn_add_output_t(int(draw.words(np.int32)), draw.size(1, 31)))
    return args | {"X0": draw.int8(count), "X1": draw.int8(count), "params": params}, (
        count,), np.int8


def _vectors(draw):
    """Parameters of a sum of the newer library, the same of all lanes or not."""
    rows = [draw.words(np.int16, 16) for _ in range(5)]
    rows[2] = draw.rng.integers(1, 32, 16).astype(np.int16)
    if draw.size(0, 1):
        rows = [np.resize(row[:1], 16) for row in rows]
    return lib.nn_add_vectors_t(*rows)


def _product(name, draw):
    count  = draw.size(1, 400)
    zeros  = draw.words(np.int8, 2).tolist()
    params = lib.nn_mul_params_t(*zeros, *draw.words(np.int16, 2).tolist(), draw.size(-31, 31))
    return {"in1_data": draw.int8(count), "in2_data": draw.int8(count), "params": params,
            "element_count": count}, (count,), np.int8


def _words(name, draw):
    count = draw.size(1, 100)
    blob  = draw.words(np.int16, 32)
    if name == "multiply_int16_tensor":
        blob[1] = draw.size(1, 32)
    elif draw.size(0, 1):
        blob[:] = blob[0]
    return {"input1": draw.words(np.int16, count), "input2": draw.words(np.int16, count),
            "tensor_length": count, "blob": blob[:16 if name.startswith("req") else 32]}, (
                count,), np.int16


def _argmax(name, draw):
    high = int(draw.rng.choice([4, 1 << 15]))
    x    = draw.rng.integers(-high, high, draw.size(1, 300)).astype(np.int16)
    return {"X": x, "N": x.size}, (1,), np.int32


def _transform(name, draw):
    count, group = draw.size(1, 16), draw.size(0, 2)
    acc = draw.words(np.int32, 16) >> draw.size(0, 16)
    fields, kinds = {"final_shr": draw.size(-31, 31)}, 3
    kind = lib.otfn_int8_channelwise_params_t
    if name == "otfn_int8":
        kind, kinds = lib.otfn_int8_params_t, 2
        fields["initial_shift"] = draw.size(-31, 31)
    table = draw.words(np.int16, (16 * group + count) * kinds)
    if kinds == 3:
        table[16 * group * kinds:][:count] = draw.rng.integers(0, 32, count)
    return {"params": kind(16 * group + count, **fields), "A": ring_of(acc),
            "output_channel_group": group, "multipliers_and_biases": table}, (count,), np.int8


_BUILDERS = {"conv2d_1x1": _pointwise, "conv2d": _convolution, "avgpool2d_global": _global_mean,
             "maxpool2d": _pool, "avgpool2d": _pool, "fully_connected": _dense,
             "fc_deepin": _deepin, "argmax": _argmax, "otfn": _transform, "add_int16": _words,
             "multiply_int16": _words, "requantize_int16": _words, "mul_elementwise": _product,
             "": _elements}
_BY_HOST = {"nn_standard_BSO_layout", "mul_boggle"}.union(
    *(module.ACTIONS for module in (floats, int16, moves, rings, rings16)))
#: Functions that a layer stands for.
NAMES = [name for name in PROTOTYPES if name not in _BY_HOST]


def random_call(name, rng):
    """Arguments of a call by their names but for the output; its name, shape and type."""
    build = next(builder for start, builder in _BUILDERS.items() if name.startswith(start))
    args, shape, dtype = build(name, Draw(rng))
    target = next(each for each in ("Y", "output", "out_data") if each in PROTOTYPES[name])
    return ({key: value for key, value in args.items() if key in PROTOTYPES[name]}, target, shape,
            dtype)
