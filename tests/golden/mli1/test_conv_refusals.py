# SPDX-License-Identifier: Apache-2.0
"""Convolution kernels refuse wrong tensors and parameters, each with a sentence."""

from dataclasses import replace

import numpy as np
import pytest

from xymac.golden import run
from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, Layout, Tensor
from xymac.hdl.isa import RoundMode


def tensor(*shape, dtype=np.int8, frac_bits=4):
    return Tensor(np.ones(shape, dtype), frac_bits)


CHW = Conv2d(tensor(2, 3, 3, 3), tensor(2), 4)
HWC = Conv2d(tensor(2, 3, 3, 3), tensor(2), 4, layout=Layout.HWC)
DEPTHWISE = DepthwiseConv2d(tensor(3, 1, 3, 3), tensor(3), 4)
X   = tensor(3, 5, 5)
WIDE_TYPES = {"weights": tensor(2, 3, 3, 3, dtype=np.int16), "bias": tensor(2, dtype=np.int16)}


@pytest.mark.parametrize(("layer", "x", "message"), [
    (CHW, tensor(5, 5), r"^Input must have 3 dimensions, not 2$"),
    (CHW, tensor(1, 3, 5, 5), r"^Input must have 3 dimensions, not 4$"),
    (replace(CHW, weights=tensor(2, 3, 3)), X, r"^Weights must have 4 dimensions, not 3$"),
    (CHW, tensor(3, 0, 5), r"^Input must not be empty, but has shape \(3, 0, 5\)$"),
    (replace(CHW, weights=tensor(2, 3, 0, 3)), X, r"^Weights must not be empty, but has shape "),
    (CHW, tensor(4, 5, 5), r"^Weights have 3 input channels, input has 4$"),
    (HWC, tensor(5, 5, 4), r"^Weights have 3 input channels, input has 4$"),
    (replace(CHW, bias=tensor(3)), X, r"^Bias must have shape \(2,\), one value per output"),
    (replace(CHW, bias=tensor(2, dtype=np.int16)), X,
     r"^Input, weights and bias must have \(8, 8, 8\), .* \(16, 8, 8\) bits, not \(8, 8, 16\)$"),
    (replace(CHW, **WIDE_TYPES), X, r" bits, not \(8, 16, 16\)$"),
    (replace(CHW, bias=tensor(2, frac_bits=9)), X,
     r"^Bias must have at most 8 fractional bits, those of input and weights together, not 9$"),
    (replace(CHW, **WIDE_TYPES), tensor(3, 5, 5, dtype=np.int16, frac_bits=32),
     r"^A 16-bit bias can be shifted by at most 31 bits, not 32$"),
    (replace(CHW, stride=(0, 1)), X, r"^Stride along rows must be at least 1, not 0$"),
    (replace(CHW, stride=(1, -1)), X, r"^Stride along columns must be at least 1, not -1$"),
    (replace(CHW, pad=(3, 0, 0, 0)), X,
     r"^Padding of rows must be between 0 and 2, less than the kernel, not 3$"),
    (replace(HWC, pad=(0, 0, 0, -1)), tensor(5, 5, 3), r"^Padding of columns .* not -1$"),
    (CHW, tensor(3, 2, 5), r"^Kernel has 3 rows, the padded input only 2$"),
    (replace(CHW, pad=(0, 0, 1, 0)), tensor(3, 5, 1),
     r"^Kernel has 3 columns, the padded input only 2$"),
    (replace(CHW, out_frac_bits=256), X, r"^out_frac_bits must be between 0 and 255, not 256$"),
    (replace(CHW, rounding=RoundMode.TWICE), X,
     r"^rounding must be CONVERGENT, UP, FLOOR, not TWICE$"),
    (DEPTHWISE, tensor(4, 5, 5), r"^Depthwise weights have 3 channels, input has 4$"),
    (replace(DEPTHWISE, weights=tensor(3, 2, 3, 3)), X,
     r"^Depthwise weights must have 1 input channel, not 2$"),
    (replace(DEPTHWISE, layout=Layout.HWC), X,
     r"^Layout of a depthwise convolution must be CHW, not HWC$"),
])
def test_refusals(layer, x, message):
    with pytest.raises(ValueError, match=message):
        run(layer, x)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (CHW, X.data, r"^Input must be a Tensor, not ndarray$"),
    (replace(CHW, bias=None), X, r"^Bias must be a Tensor, not NoneType$"),
    (replace(CHW, relu=1), X, r"^relu must be a Relu, not int$"),
    (replace(CHW, layout="CHW"), X, r"^layout must be a Layout, not str$"),
    (replace(CHW, rounding=0), X, r"^rounding must be a RoundMode, not int$"),
    (replace(CHW, stride=2), X, r"^stride must be a tuple of 2 ints, not 2$"),
    (replace(CHW, stride=(1, 1.0)), X, r"^stride must be a tuple of 2 ints, not \(1, 1.0\)$"),
    (replace(CHW, pad=(1, 1)), X, r"^pad must be a tuple of 4 ints, not \(1, 1\)$"),
    (replace(CHW, out_frac_bits=None), X, r"^out_frac_bits must be an int, not NoneType$"),
    ("conv2d", X, r"^Layer must be a layer, not str, which has no inputs, .*, run, "),
])
def test_type_refusals(layer, x, message):
    with pytest.raises(TypeError, match=message):
        run(layer, x)
