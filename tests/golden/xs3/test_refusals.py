# SPDX-License-Identifier: Apache-2.0
"""What XS3 kernels refuse, and with which words."""

from dataclasses import replace

import numpy as np
import pytest

from xymac.golden import run, xs3
from xymac.golden.parameters.xs3 import mean_factor
from xymac.golden.xs3 import Integers, Window


def zeros(*shape, dtype=np.int8):
    return Integers(np.zeros(shape, dtype))


def bso_with(row, lane, value):
    data = np.zeros((1, 7, 16), np.uint16)
    data[0, row, lane] = value
    return Integers(data)


BSO     = zeros(1, 7, 16, dtype=np.uint16)
DENSE   = xs3.FullyConnected(zeros(3, 8), BSO)
DEEPIN  = xs3.FcDeepin(zeros(3, 32), zeros(3, dtype=np.int32), zeros(16, dtype=np.uint16),
                      zeros(16, dtype=np.int16))
POINT   = xs3.Conv2d1x1(zeros(4, 8), BSO)
DEEP    = xs3.Conv2dDeep(zeros(4, 3, 3, 8), BSO, Window((2, 2)))
SHALLOW = xs3.Conv2dShallowin(zeros(4, 3, 4, 8), BSO, Window((2, 2)), columns=3)
DEPTH   = xs3.Conv2dDepthwise(zeros(3, 3, 8), BSO, Window((2, 2)))
POOL    = xs3.MaxPool2d((2, 2), Window((2, 2)))
MEAN    = xs3.AvgPool2d((2, 2), Window((2, 2)))
GLOBAL  = xs3.AvgPool2dGlobal(0, 1, 0)
ADD     = xs3.AddElementwise((0, 0), (1, 1), 0, 1)
WORDS   = zeros(3, dtype=np.int16)
MUL     = xs3.MulElementwise((0, 0), 1, 0, 0)
GROUP   = xs3.OutputTransform(zeros(40, dtype=np.int16), 20, 0, 0)
IMAGE, ACC = zeros(5, 5, 8), zeros(20, dtype=np.int32)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (DENSE, [zeros(2, 4)], r"^Input must have 1 dimensions, not 2$"),
    (DENSE, [zeros(8, dtype=np.int16)], r"^Input must be int8, not int16$"),
    (DENSE, [zeros(9)], r"^Weights have 8 channels, input has 9$"),
    (MUL, [zeros(3), zeros(4)], r"^First input has shape \(3,\), second input has \(4,\)$"),
    (MUL, [zeros(3), zeros(3, dtype=np.int16)], r"^Second input must be int8, not int16$"),
    (replace(MUL, zeros=0), [zeros(3)] * 2, r"^zeros must be a tuple of 2 ints, not 0$"),
    (replace(MUL, zeros=(0, -129)), [zeros(3)] * 2, r"^zeros\[1\] must be between -128 and 127, "),
    (replace(MUL, scale=1 << 15), [zeros(3)] * 2, r"^scale must be between -32768 and 32767, "),
    (replace(MUL, shift=32), [zeros(3)] * 2, r"^shift must be between -31 and 31, not 32$"),
    (DENSE, [zeros(0)], r"^Input must not be empty, but has shape \(0,\)$"),
    (replace(DENSE, out_bits=32), [zeros(8)], r"^out_bits must be 8 or 16, not 32$"),
    (replace(DENSE, low=-126), [zeros(8)], r"^low must be between -128 and -127, not -126$"),
    (replace(DENSE, bso=zeros(1, 7, 16)), [zeros(8)], r"^BSO must be uint16 or int16, not int8$"),
    (replace(DENSE, weights=zeros(17, 8)), [zeros(8)],
     r"^BSO of 17 channels must have shape \(2, 7, 16\), not \(1, 7, 16\)$"),
    (replace(DENSE, bso=bso_with(2, 1, 0xFFFF)), [zeros(8)],
     r"^Shift 1 of channel 1 must be between 0 and 31 bits, not -1$"),
    (replace(DENSE, bso=bso_with(6, 2, 32)), [zeros(8)],
     r"^Shift 2 of channel 2 must be between 0 and 31 bits, not 32$"),
    (replace(DEEPIN, weights=zeros(3, 36)), [zeros(36)],
     r"^Inputs must be a multiple of 32, not 36$"),
    (replace(DEEPIN, weights=zeros(17, 32)), [zeros(32)], r"^Outputs must be at most 16, not 17$"),
    (replace(DEEPIN, bias=zeros(4, dtype=np.int32)), [zeros(32)],
     r"^Weights have 3 channels, bias has 4$"),
    (replace(DEEPIN, shifts=zeros(2, dtype=np.uint16)), [zeros(32)],
     r"^Shifts must have at least 3 elements, one an output, not 2$"),
    (replace(DEEPIN, shifts=Integers(np.full(16, 0xFFFF, np.uint16))), [zeros(32)],
     r"^Shift of channel 0 must be between 0 and 31 bits, not -1$"),
    (replace(DEEPIN, scales=zeros(16)), [zeros(32)], r"^Scales must be int16, not int8$"),
    (POINT, [zeros(8)], r"^Input must have 3 dimensions, not 1$"),
    (replace(POINT, weights=zeros(4, 6)), [zeros(5, 5, 6)],
     r"^Input channels must be a multiple of 4, not 6$"),
    (replace(POINT, weights=zeros(5, 8)), [IMAGE],
     r"^Output channels must be a multiple of 4, not 5$"),
    (replace(DEEP, zero_point=128), [IMAGE], r"^zero_point must be between -128 and 127, not 128$"),
    (replace(DEEP, window=Window((0, 2))), [IMAGE], r"^out must be at least 1 of rows, not 0$"),
    (replace(DEEP, window=Window((2, 2), stride=(1, 0))), [IMAGE],
     r"^stride must be at least 1 of columns, not 0$"),
    (replace(SHALLOW, weights=zeros(4, 3, 3, 8)), [IMAGE],
     r"^Weights of a kernel row must be 32, inputs times columns, not 24$"),
    (replace(SHALLOW, columns=5), [IMAGE], r"^columns must be between 1 and 4, not 5$"),
    (replace(SHALLOW, weights=Integers(np.ones((4, 3, 4, 8), np.int8))), [IMAGE],
     r"^Weights from column 3 on must be 0, but 96 are not$"),
    (DEPTH, [zeros(5, 5, 4)], r"^Weights have 8 channels, input has 4$"),
    (replace(POOL, kernel=(0, 1)), [IMAGE], r"^Kernel must have at least 1 of rows, not 0$"),
    (replace(POOL, window=Window((5, 2))), [IMAGE],
     r"^Windows must lie inside of the 5 rows of the input, not from 0 to 6$"),
    (replace(POOL, window=Window((2, 2), (0, -1))), [IMAGE], r" 5 columns .* not from -1 to 2$"),
    (POOL, [zeros(5, 5, 6)], r"^Input channels must be a multiple of 4, not 6$"),
    (replace(MEAN, low=0), [IMAGE], r"^low must be between -128 and -127, not 0$"),
    (replace(GLOBAL, bias=1 << 31), [IMAGE],
     r"^bias must be between -2147483648 and 2147483647, not 2147483648$"),
    (replace(GLOBAL, scale=128), [IMAGE], r"^scale must be between -128 and 127, not 128$"),
    (replace(GLOBAL, shift=-1), [IMAGE], r"^shift must be between 0 and 31, not -1$"),
    (ADD, [zeros(3), zeros(4)], r"^First input has shape \(3,\), second input has \(4,\)$"),
    (replace(ADD, shifts=(0, 32)), [zeros(3)] * 2,
     r"^shifts\[1\] must be between -31 and 31, not 32$"),
    (replace(ADD, scales=(1 << 15, 0)), [zeros(3)] * 2,
     r"^scales\[0\] must be between -32768 and 32767, not 32768$"),
    (replace(ADD, shift=0), [zeros(3)] * 2, r"^shift must be between 1 and 31, not 0$"),
    (xs3.Requantize16To8(), [zeros(3)], r"^Input must be int16, not int8$"),
    (xs3.RequantizeInt16(1), [zeros(3)], r"^Input must be int16, not int8$"),
    (xs3.RequantizeInt16(1 << 15), [WORDS], r"^scale must be between -32768 and 32767, not 32768$"),
    (xs3.AddInt16((1, 2)), [zeros(3), WORDS], r"^First input must be int16, not int8$"),
    (xs3.AddInt16((1,)), [WORDS] * 2, r"^scales must be a tuple of 2 ints, not \(1,\)$"),
    (xs3.AddInt16((1, -32769)), [WORDS] * 2, r"^scales\[1\] must be between .*, not -32769$"),
    (xs3.MultiplyInt16(1, 33), [WORDS] * 2, r"^shift must be between 1 and 32, not 33$"),
    (xs3.MultiplyInt16(1, 2), [WORDS, zeros(4, dtype=np.int16)],
     r"^First input has shape \(3,\), second input has \(4,\)$"),
    (xs3.Requantize16To8(low=1), [zeros(3, dtype=np.int16)], r"^low must be between .*, not 1$"),
    (xs3.Lookup8(zeros(255)), [zeros(3)], r"^Table must have 256 elements, not 255$"),
    (xs3.Argmax16(), [zeros(0, dtype=np.int16)], r"^Input must not be empty, but has shape "),
    (GROUP, [zeros(16, dtype=np.int32)],
     r"^Accumulators of 20 channels must be 20 or 32, but have shape \(16,\)$"),
    (GROUP, [zeros(dtype=np.int32)], r"^Accumulators of 20 channels must be .* have shape \(\)$"),
    (GROUP, [zeros(20)], r"^Accumulators must be int32, not int8$"),
    (replace(GROUP, initial_shift=None), [ACC], r"^Parameters of 20 channels must be 60, not 40$"),
    (replace(GROUP, initial_shift=32), [ACC],
     r"^initial_shift must be between -31 and 31, not 32$"),
    (replace(GROUP, final_shr=-32), [ACC], r"^final_shr must be between -31 and 31, not -32$"),
    (replace(GROUP, initial_shift=None, params=Integers(np.full(60, -1, np.int16))), [ACC],
     r"^Initial shift of channel 0 must be between 0 and 31 bits, not -1$"),
])
def test_refusals(layer, inputs, message):
    with pytest.raises(ValueError, match=message):
        run(layer, *inputs)


@pytest.mark.parametrize("count", [(1 << 25) + 1, (1 << 31) + 1])
def test_mean_of_too_many_elements(count):
    with pytest.raises(ValueError, match=rf"^Kernel must have at most \d+ elements, not {count}$"):
        mean_factor(count)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (DENSE, [np.zeros(8, np.int8)], r"^Input must be an Integers, not ndarray$"),
    (replace(DEEP, window=(2, 2)), [IMAGE], r"^window must be a Window, not tuple$"),
    (replace(DEEP, window=Window(2)), [IMAGE], r"^out must be a tuple of 2 ints, not 2$"),
    (replace(DENSE, final_shift=8), [zeros(8)], r"^final_shift must be a bool, not int$"),
    (replace(GLOBAL, scale=1.0), [IMAGE], r"^scale must be an int, not float$"),
    (ADD, [zeros(3)], r"^Inputs of AddElementwise must be 2, not 1$"),
    (replace(MUL, bias=0.5), [zeros(3)] * 2, r"^bias must be an int, not float$"),
])
def test_type_refusals(layer, inputs, message):
    with pytest.raises(TypeError, match=message):
        run(layer, *inputs)
