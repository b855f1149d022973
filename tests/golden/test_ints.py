# SPDX-License-Identifier: Apache-2.0
"""Parameters given as numpy integers: layers take them as the ints they stand for."""

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.ints import plain
from xymac.golden.mli1 import (
    AvePool,
    BasicRnnCell,
    Concat,
    Conv2d,
    ConvertTensor,
    DepthwiseConv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    LstmCell,
    MaxPool,
    Padding2d,
    Permute,
    Subtensor,
    Tensor,
    conv2d,
)
from xymac.hdl.config import TINY

KINDS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64)


def tensor(*shape, frac_bits=120):
    """Elements at both ends of the container; fractional bits whose sums leave an int8."""
    data = random_of(9).integers(-128, 128, shape, np.int8)
    return Tensor(data, frac_bits)


X     = tensor(3, 6, 5)
DENSE = {"weights": tensor(4, 90), "bias": tensor(4)}
#: A layer by a function that every number goes through, and its inputs.
LAYERS = {
    "fully_connected": (lambda n: FullyConnected(**DENSE, out_frac_bits=n(125)), X),
    "conv2d":    (lambda n: Conv2d(tensor(4, 3, 3, 2), tensor(4), n(125), (n(2), n(1)),
                                   (n(1), n(0), n(1), n(0))), X),
    "depthwise": (lambda n: DepthwiseConv2d(tensor(3, 1, 3, 2), tensor(3), n(125), (n(2), n(1)),
                                            (n(1), n(0), n(1), n(0))), X),
    "maxpool":   (lambda n: MaxPool((n(2), n(3)), (n(1), n(2)), (n(0), n(1), n(2), n(0))), X),
    "avepool":   (lambda n: AvePool((n(2), n(3)), (n(1), n(2)), (n(0), n(1), n(2), n(0))), X),
    "eltwise":   (lambda n: Eltwise(EltwiseOp.MUL, n(120)), X, X),
    "convert":   (lambda n: ConvertTensor(n(16), n(125)), X),
    "concat":    (lambda n: Concat(n(1)), X, X),
    "permute":   (lambda n: Permute((n(2), n(0), n(1))), X),
    "padding2d": (lambda n: Padding2d((n(1), n(2), n(3), n(4))), X),
    "subtensor": (lambda n: Subtensor((n(1), n(2)), n(3)), X),
    "rnn_cell":  (lambda n: BasicRnnCell(tensor(4, 94), tensor(4), tensor(4), n(7)), X),
    "lstm_cell": (lambda n: LstmCell(tensor(4, 4, 94), tensor(4, 4), tensor(4), tensor(4),
                                     n(120)), X),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_that_of_plain_ints(name, kind):
    build, *inputs = LAYERS[name]

    layer = build(kind)

    assert repr(layer) == repr(build(int))
    assert run(layer, *inputs) == run(build(int), *inputs)


@pytest.mark.parametrize("name", LAYERS)
def test_a_device_takes_them(name):
    build, *inputs = LAYERS[name]

    assert_equals_golden(TINY, build(np.uint8), *inputs)


def test_functions_take_them():
    weights, bias = tensor(4, 3, 3, 2), tensor(4)

    result = conv2d(X, weights, bias, out_frac_bits=np.int8(125), stride=(np.int8(2), 1))

    assert result == conv2d(X, weights, bias, out_frac_bits=125, stride=(2, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_tensor_takes_them(kind):
    assert type(Tensor(X.data, kind(120)).frac_bits) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.5, np.float64(2), None, "3", [np.int8(1)]])
def test_other_values_stay_for_the_checks(value):
    assert plain(value) is value


@pytest.mark.parametrize(("layer", "message"), [
    (FullyConnected(**DENSE, out_frac_bits=np.float32(3)), "out_frac_bits must be an int"),
    (FullyConnected(**DENSE, out_frac_bits=np.True_), "out_frac_bits must be an int"),
    (MaxPool((2, 2), (1.0, np.int8(1))), "stride must be a tuple of 2 ints"),
    (MaxPool((2, 2), np.array([1, 1])), "stride must be a tuple of 2 ints")])
def test_what_is_no_integer_is_refused(layer, message):
    with pytest.raises(TypeError, match=f"^{message}, not "):
        run(layer, X)
