# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite on small inputs: what tflite-micro made of the same

Outputs are those of the Python package tflite-micro 0.dev20261023, reference kernels, for files of
one operator.
"""

import numpy as np
import pytest

from xymac.golden import run
from xymac.golden.tflm import (
    Activation,
    Add,
    AveragePool2d,
    Conv2d,
    DepthwiseConv2d,
    FullyConnected,
    Maximum,
    MaxPool2d,
    Mean,
    Minimum,
    Mul,
    Padding,
    Quantisation,
    Sub,
    Tensor,
    TransposeConv,
)


def whole(scale, zero=0):
    return Quantisation((float(np.float32(scale)),), (zero,))


def each(count, axis):
    scales = tuple(float(np.float32(0.003 + 0.002 * index)) for index in range(count))
    return Quantisation(scales, (0,) * count, axis)


def values(shape, dtype, kind, step):
    """All residues of an odd step, in order: every element is another one."""
    top    = np.iinfo(dtype).max
    counts = np.arange(np.prod(shape, dtype=int), dtype=np.int64)
    data   = (counts * step + 3 * step // 2) % (2 * top + 2) - top - 1
    return Tensor(data.reshape(shape).astype(dtype), kind)


def x8(*shape, scale=0.05, zero=-7, step=77):
    return values(shape, np.int8, whole(scale, zero), step)


def x16(*shape, scale=0.0007, step=20011):
    return values(shape, np.int16, whole(scale), step)


def bias(dtype, *each_output):
    return Tensor(np.array(each_output, dtype))


OUT, OUT16 = whole(0.11, 5), whole(0.0031)
W, D, T, F = ((3, 2, 3, 2), (1, 2, 3, 4), (3, 3, 2, 2), (3, 5))
CALLS = {
    "conv": (Conv2d(values(W, np.int8, each(3, 0), 59), bias(np.int32, 2 ** 30, -99, 4321), OUT,
                    (2, 1), Padding.SAME), [x8(1, 3, 4, 2)]),
    "conv of groups, dilated": (
        Conv2d(values((4, 2, 2, 2), np.int8, each(4, 0), 59), None, OUT, (1, 1), Padding.SAME,
               (2, 1), Activation.RELU6), [x8(1, 2, 2, 4)]),
    "conv of 16 bits, 64-bit bias": (
        Conv2d(values(W, np.int8, each(3, 0), 59), bias(np.int64, 2 ** 33, -9, -76543210), OUT16),
        [x16(1, 3, 4, 2)]),
    "conv of 16 bits, 32-bit bias": (
        Conv2d(values(W, np.int8, whole(0.004), 59), bias(np.int32, 2 ** 31 - 1, 0, -34567890),
               OUT16),
        [x16(1, 3, 4, 2)]),
    "conv of 16 bits, short sums": (
        Conv2d(values(W, np.int8, whole(0.004), 59), None, OUT16, short_sums=True),
        [x16(1, 3, 4, 2)]),
    "depthwise": (
        DepthwiseConv2d(values(D, np.int8, each(4, 3), 59), bias(np.int32, 1234, -5678, 90, -1),
                        OUT, (2, 2), Padding.SAME), [x8(1, 3, 4, 2)]),
    "depthwise of 16 bits": (DepthwiseConv2d(values(D, np.int8, each(4, 3), 59), None, OUT16),
                             [x16(1, 3, 4, 2)]),
    "transposed": (
        TransposeConv(values(T, np.int8, each(3, 0), 59), bias(np.int32, 9876, -543, 2), OUT,
                      (2, 1), Padding.SAME, activation=Activation.RELU, sizes=(4, 2)),
        [x8(1, 2, 2, 2)]),
    "transposed of 16 bits": (
        TransposeConv(values(T, np.int8, each(3, 0), 59), bias(np.int16, 12345, -32768, 32767),
                      OUT16, (1, 2), sizes=(3, 4)), [x16(1, 1, 2, 2)]),
    "dense": (FullyConnected(values(F, np.int8, whole(0.02), 59),
                             Tensor(np.array([999, -40000, 7], np.int32), whole(0.001)), OUT),
              [x8(3, 5)]),
    "dense by output": (FullyConnected(values(F, np.int8, each(3, 0), 59), None, OUT), [x8(3, 5)]),
    "dense of 16 bits": (FullyConnected(values(F, np.int8, whole(0.004), 59), None, OUT16),
                         [x16(3, 5)]),
    "average": (AveragePool2d((2, 3), whole(0.05, -7), (1, 2), Padding.SAME), [x8(1, 3, 4, 2)]),
    "average of 16 bits": (AveragePool2d((3, 2), whole(0.0007), (1, 1)), [x16(1, 3, 4, 2)]),
    "maximum of windows": (MaxPool2d((2, 2), whole(0.05, -7), (1, 2), Padding.SAME,
                                     Activation.RELU_N1_TO_1), [x8(1, 3, 4, 2)]),
    "mean": (Mean((1, 2), OUT), [x8(2, 3, 4, 2)]),
    "mean of 16 bits": (Mean((-1,), OUT16, keep_dims=True), [x16(2, 3, 5)]),
    "sum": (Add(OUT), [x8(2, 1, 3), x8(2, 3, scale=0.17, zero=100, step=91)]),
    "sum of 16 bits": (Add(OUT16, Activation.RELU), [x16(2, 3), x16(3, scale=0.0001, step=7777)]),
    "difference": (Sub(OUT), [x8(2, 1, 3), x8(2, 3, scale=0.17, zero=100, step=91)]),
    "difference of 16 bits": (Sub(OUT16), [x16(2, 3), x16(3, scale=0.0001, step=7777)]),
    "product": (Mul(OUT), [x8(2, 1, 3), x8(2, 3, scale=0.017, zero=100, step=91)]),
    "product of 16 bits": (Mul(OUT16), [x16(2, 3), x16(3, scale=0.0001, step=7777)]),
    "larger": (Maximum(OUT), [x8(2, 3), x8(3, step=91)]),
    "smaller": (Minimum(OUT16), [x16(2, 3), x16(3, step=7777)]),
}
RECORDED = {
    "conv": [127, 98, -7, 127, -62, 8, 127, 63, -76, 127, -29, 77, 127, -10, 82, 127, -5, -52, 127,
        35, 64, 127, -11, 6],
    "conv of groups, dilated": [5, 5, 5, 5, 14, 32, 5, 5, 5, 34, 56, 5, 6, 5, 22, 5],
    "conv of 16 bits, 64-bit bias": [32767, -8244, -32768, 32767, 4890, -32768, 32767, 10327,
        -32768, 32767, -4212, -32768],
    "conv of 16 bits, 32-bit bias": [32767, -6595, -32046, -32768, 3912, -32768, 32767, 8262,
        -28481, 32767, -3370, -25118],
    "conv of 16 bits, short sums": [-3748, -6595, -824, 1018, 3912, -5630, -1198, 8262, 2742, -3417,
        -3370, 6105],
    "depthwise": [-19, 1, 29, -8, 15, -3, 37, -25, 2, -10, 5, -14, 15, -8, 19, -44],
    "depthwise of 16 bits": [-3200, 691, 2831, -841, 4195, -18, 3928, 11205, -791, -814, -1273,
        10183, -3873, -44, -176, -11867],
    "transposed": [21, 5, 5, 11, 43, 5, 19, 5, 5, 38, 47, 5, 18, 5, 5, 29, 21, 5, 15, 5, 5, 46, 32,
        5],
    "transposed of 16 bits": [305, -525, -3121, -1528, 1407, 698, 668, 3536, -2919, -820, -1329,
        1706, 109, -853, -3580, 1268, 1080, 240, 1163, 4361, -1765, -1756, -504, 2861, -88, -1976,
        2945, 1072, 752, -219, 1658, -2984, -3951, -1262, 320, 4016],
    "dense": [-40, -128, 127, -87, -128, -71, -42, -128, 127],
    "dense by output": [-3, -11, 67, -10, -11, -22, -3, -11, 67],
    "dense of 16 bits": [-1346, -1707, 4468, -2722, -1621, -1966, -1731, -1476, 4505],
    "average": [-20, 14, -24, 53, -2, -10, -48, 29, 8, -1, -60, 17],
    "average of 16 bits": [2584, 750, -1084, 8004, -4753, 4335],
    "maximum of windows": [13, 13, 13, 13, 13, 13, 13, 13, 13, 13, -9, 13],
    "mean": [-1, 15, 5, 21],
    "mean of 16 bits": [-463, 1412, 328, -757, 1118, -2926],
    "sum": [-128, 36, -128, -114, 62, -128, -128, 24, -128, -125, 51, -128],
    "sum of 16 bits": [0, 3467, 0, 0, 2225, 6994],
    "difference": [127, 39, 127, 118, 13, 127, 127, 27, 127, 107, 1, 127],
    "difference of 16 bits": [59, 4327, -6204, -1183, 3084, 7352],
    "product": [9, 4, 127, 8, 14, 127, 27, 5, -128, 23, 11, -128],
    "product of 16 bits": [1311, -5193, 3542, 3934, -3537, -3980],
    "larger": [8, 99, -66, 8, 99, 116],
    "smaller": [-21103, -13326, -28266, -21103, -13326, -5549],
}


@pytest.mark.parametrize("name", CALLS)
def test_outputs_are_those_of_the_library(name):
    layer, inputs = CALLS[name]

    assert run(layer, *inputs).output.data.reshape(-1).tolist() == RECORDED[name]
