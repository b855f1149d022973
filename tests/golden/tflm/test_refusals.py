# SPDX-License-Identifier: Apache-2.0
"""What operators of TensorFlow Lite refuse, and with which words."""

from dataclasses import replace

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
    Mul,
    Padding,
    Quantisation,
    Quantize,
    Sub,
    Tensor,
    TransposeConv,
)

ONE  = Quantisation((1.0,), (0,))
ODD  = Quantisation((1.0,), (3,))
TINY = Quantisation((2.0 ** -40,), (0,))


def tensor(*shape, bits=8, kind=ONE):
    return Tensor(np.ones(shape, f"int{bits}"), kind)


def axis(count, dim):
    return Quantisation((1.0,) * count, (0,) * count, dim)


IMAGE, WORDS, ROWS = tensor(1, 4, 4, 2), tensor(1, 4, 4, 2, bits=16), tensor(2, 6)
CONV   = Conv2d(tensor(3, 2, 2, 2), tensor(3, bits=32), ONE)
DEPTH  = DepthwiseConv2d(tensor(1, 2, 2, 4), tensor(4, bits=32), ONE)
BACK   = TransposeConv(tensor(3, 2, 2, 2), tensor(3, bits=32), ONE, sizes=(5, 5))
DENSE  = FullyConnected(tensor(3, 6), tensor(3, bits=32), ONE)
POOL   = MaxPool2d((2, 2), ONE)
FUSED  = r"^activation must be NONE, RELU, RELU_N1_TO_1 or RELU6, not TANH$"

INPUTS = [
    (CONV, [ROWS], r"^Input must have 4 dimensions, not 2$"),
    (CONV, [tensor(1, 4, 4, 2, bits=32)], r"^Input must be INT8 or INT16, not INT32$"),
    (CONV, [ONE], r"^Input must be a Tensor, not Quantisation$"),
    (CONV, [tensor(1, 4, 4, 2, kind=None)], r"^Input must have a scale, but has none$"),
    (CONV, [tensor(1, 4, 4, 2, kind=axis(2, 3))],
     r"^Input must have one scale, not one along dimension 3$"),
    (CONV, [tensor(1, 4, 4, 3)],
     r"^Input channels must be a multiple of the weights' 2 channels, not 3$"),
    (CONV, [tensor(1, 4, 4, 4)], r"^Outputs must be a multiple of the 2 groups, not 3$"),
    (CONV, [tensor(1, 1, 4, 2)], r"^Kernel has 2 rows, the padded input only 1$"),
    (CONV, [tensor(1, 4, 1, 2)], r"^Kernel has 2 columns, the padded input only 1$"),
    (CONV, [tensor(1, 4, 4, 2, kind=Quantisation((2.0 ** 30,), (0,)))],
     r"^Scales must make a factor less than 1073741824, not 1\.07374e\+09$"),
    (replace(CONV, bias=None), [tensor(1, 4, 4, 2, bits=16, kind=Quantisation((128.0,), (0,)))],
     r"^Scales must make a factor less than 128, not 128$"),
    (DEPTH, [tensor(1, 4, 4, 3)],
     r"^Outputs must be a multiple of the 3 channels of the input, not 4$"),
    (DEPTH, [WORDS], r"^Bias of INT16 must be INT64, not INT32$"),
    (BACK, [WORDS], r"^Bias of INT16 must be INT16 or INT64, not INT32$"),
    (BACK, [tensor(1, 4, 4, 4)], r"^Weights have 2 input channels, input has 4$"),
    (DENSE, [tensor(2, 5)],
     r"^Elements of the input must be a multiple of the 6 inputs of the weights, not 10$"),
    (replace(DENSE, keep_num_dims=True), [tensor(2, 12)],
     r"^Weights have 6 inputs, the last dimension of the input is 12$"),
    (replace(DENSE, keep_num_dims=True), [tensor()],
     r"^Weights have 6 inputs, the last dimension of the input is none$"),
    (POOL, [tensor(1, 4, 4, 2, kind=ODD)],
     r"^Zero point of out must be that of the input, 3, not 0$"),
    (AveragePool2d((2, 2), ONE), [tensor(1, 4, 4, 2, kind=Quantisation((1 + 2.0 ** -19,), (0,)))],
     r"^Scale of out must be that of the input, 1\.0000019073486328, within 1e-06, not 1\.0$"),
    (Add(ONE), [ROWS, tensor(2, 6, bits=16)], r"^First input is INT8, second input is INT16$"),
    (Sub(ONE), [ROWS, tensor(2, 5)],
     r"^First input has shape \(2, 6\), second input has \(2, 5\)$"),
    (Mul(ONE), [tensor(2), tensor(2, bits=32)],
     r"^Second input must be INT8 or INT16, not INT32$"),
    (Add(ONE), [ROWS, tensor(2, 6, kind=Quantisation((0.0,), (0,)))],
     r"^Scale of second input must be more than 0, not 0\.0$"),
    (Add(Quantisation((2.0 ** -19,), (0,))), [ROWS, ROWS],
     r"^Scales must make a factor less than 1, not 1$"),
    (Mul(TINY), [ROWS, ROWS],
     r"^Scales must make a factor less than 1073741824, not 1\.09951e\+12$"),
    (Mul(ONE), [tensor(2, bits=16), tensor(2, bits=16, kind=ODD)],
     r"^Second input of INT16 must have zero point 0, not 3$"),
    (Mul(ODD), [tensor(2, bits=16), tensor(2, bits=16)],
     r"^Output of INT16 must have zero point 0, not 3$"),
    (Maximum(ONE), [tensor(2), tensor(2, kind=None)],
     r"^Second input must have a scale, but has none$"),
]
FIELDS = [
    (CONV, {"weights": tensor(2, 2, 2)}, r"^Weights must have 4 dimensions, not 3$"),
    (CONV, {"weights": None}, r"^weights must be a Tensor, not NoneType$"),
    (CONV, {"weights": tensor(3, 2, 2, 2, bits=16)}, r"^Weights must be INT8, not INT16$"),
    (CONV, {"weights": tensor(3, 2, 2, 2, kind=None)},
     r"^Weights must have a scale, but have none$"),
    (CONV, {"weights": tensor(3, 2, 2, 2, kind=axis(2, 3))},
     r"^Scales of weights must be along dimension 0, not 3$"),
    (CONV, {"bias": tensor(3, bits=64)}, r"^Bias of INT8 must be INT32, not INT64$"),
    (CONV, {"bias": tensor(4, bits=32)},
     r"^Bias must have shape \(3,\), one value per output, not \(4,\)$"),
    (CONV, {"out": None}, r"^out must be a Quantisation, not NoneType$"),
    (CONV, {"out": axis(3, 0)}, r"^out must have one scale, not one along dimension 0$"),
    (CONV, {"out": Quantisation((0.0,), (0,))}, r"^Scale of out must be more than 0, not 0\.0$"),
    (CONV, {"out": Quantisation((1.0,), (128,))},
     r"^Zero point of out must be between -128 and 127, not 128$"),
    (CONV, {"stride": (0, 1)}, r"^stride must be at least 1, not 0$"),
    (CONV, {"stride": 1}, r"^stride must be a tuple of 2 ints, not 1$"),
    (CONV, {"dilation": (1, 0)}, r"^dilation must be at least 1, not 0$"),
    (CONV, {"padding": "SAME"}, r"^padding must be a Padding, not str$"),
    (CONV, {"activation": Activation.TANH}, FUSED),
    (CONV, {"activation": "RELU"}, r"^activation must be an Activation, not str$"),
    (CONV, {"short_sums": 1}, r"^short_sums must be a bool, not int$"),
    (CONV, {"out": TINY, "weights": tensor(3, 2, 2, 2, kind=TINY),
            "activation": Activation.RELU6},
     r"^6 must be less than 2\*\*31 steps of the output's scale, not 6\.59707e\+12$"),
    (DEPTH, {"weights": tensor(2, 2, 2, 4)},
     r"^Depthwise weights must have shape 1 along dimension 0, not 2$"),
    (BACK, {"dilation": (1, 2)},
     r"^Dilation of a transposed convolution must be \(1, 1\), not \(1, 2\)$"),
    (BACK, {"sizes": (0, 5)}, r"^sizes must be at least 1, not 0$"),
    (POOL, {"kernel": (0, 2)}, r"^kernel must be at least 1, not 0$"),
    (POOL, {"kernel": (5, 2)}, r"^Kernel has 5 rows, the padded input only 4$"),
    (POOL, {"activation": Activation.TANH}, FUSED),
]
ROW_FIELDS = [
    (DENSE, {"weights": tensor(6)}, r"^Weights must have 2 dimensions, not 1$"),
    (DENSE, {"keep_num_dims": 1}, r"^keep_num_dims must be a bool, not int$"),
    (DENSE, {"bias": tensor(3, bits=32, kind=None)},
     r"^Scale of the bias must be .* within 0\.02 steps of the output, not 1 steps away$"),
    (DENSE, {"bias": tensor(3, bits=32, kind=Quantisation((1.03125,), (0,)))},
     r"not 0\.03125 steps away$"),
    (Mean((1,), ONE), {"axes": (2,)}, r"^axes must be between -2 and 1, not 2$"),
    (Mean((1,), ONE), {"axes": (-3,)}, r"^axes must be between -2 and 1, not -3$"),
    (Mean((1,), ONE), {"axes": 1}, r"^axes must be a tuple, not int$"),
    (Mean((1,), ONE), {"axes": (0.5,)}, r"^axes must be a tuple of ints, not \(0\.5,\)$"),
    (Mean((1,), ONE), {"keep_dims": None}, r"^keep_dims must be a bool, not NoneType$"),
    (Mean((1,), ONE), {"out": TINY},
     r"^Scales must make a factor less than 1073741824, not 1\.83252e\+11$"),
]
CASES = [*INPUTS, *((replace(layer, **fields), [IMAGE], message)
                    for layer, fields, message in FIELDS),
         *((replace(layer, **fields), [ROWS], message) for layer, fields, message in ROW_FIELDS)]


@pytest.mark.parametrize(("layer", "inputs", "message"), CASES)
def test_refusals(layer, inputs, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run(layer, *inputs)


@pytest.mark.parametrize(("layer", "inputs"), [
    (CONV, [IMAGE]), (DEPTH, [IMAGE]), (BACK, [IMAGE]), (DENSE, [ROWS]), (POOL, [IMAGE]),
    (Mean((1,), ONE), [ROWS]), (Add(Quantisation((2.0 ** -18,), (0,))), [ROWS, ROWS]),
    (replace(CONV, padding=Padding.SAME), [tensor(1, 1, 1, 2)]),
    # Scales of weights tell whether that of the bias is looked at.
    (replace(DENSE, weights=tensor(3, 6, kind=axis(3, 0)), bias=tensor(3, bits=32, kind=None)),
     [ROWS]),
    (AveragePool2d((2, 2), ONE), [tensor(1, 4, 4, 2, kind=Quantisation((1 + 2.0 ** -20,), (0,)))])])
def test_what_is_just_legal(layer, inputs):
    run(layer, *inputs)


@pytest.mark.parametrize(("values", "message"), [
    ([np.nan, 1], r"^Every element must be a number, not NaN$"),
    ([np.inf, np.nan], r"^Every element must be a number, not NaN$"),
    ([1, -np.inf], r"^Every element must be less than 2\*\*31 steps of .* scale, not inf$"),
    ([3e9], r"^Every element must be less than 2\*\*31 steps of .* scale, not 3e\+09$")])
def test_floating_point_that_has_no_integer(values, message):
    with pytest.raises(ValueError, match=message):
        run(Quantize(ONE, np.dtype(np.int8)), Tensor(np.array(values, np.float32)))
