# SPDX-License-Identifier: Apache-2.0
"""What kernels of MLI 2.0 without weights refuse, and with which words."""

from dataclasses import replace

import numpy as np
import pytest

from xymac.golden import run
from xymac.golden.mli2 import (
    Affine,
    ArgMax,
    ConvertTensor,
    Element,
    Eltwise,
    EltwiseOp,
    Fixed,
    LeakyRelu,
    MaxPool,
    Permute,
    Prelu,
    QuantTensor,
    Rectify,
    Relu,
    Sigmoid,
    Softmax,
)

WORDS = QuantTensor(np.zeros((2, 3), np.int16), Element.FX_16, Fixed(3))
LONGS = QuantTensor(np.zeros((2, 3), np.int32), Element.SA_32, Affine(0, 1, 0))
AXES  = QuantTensor(np.zeros((2, 3), np.int8), Element.SA_8, Affine((0, 0), (1, 1), (0, 0), 0))


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (Rectify(Relu.GEN), [LONGS], r"^Input must be FX_8 or FX_16 or SA_8, not SA_32$"),
    (Sigmoid(), [AXES], r"^Input must have one scale, not one along dimension 0$"),
    (Softmax(2), [WORDS], r"^axis must be between -1 and 1, not 2$"),
    (ArgMax(4, 0), [WORDS], r"^topk must be between 1 and the 3 elements of a slice, not 4$"),
    (Permute((0, 0)), [WORDS], r"^order must hold every dimension from 0 to 1 once, "),
    (LeakyRelu(WORDS), [WORDS], r"^Slope must have 1 element, not 6$"),
    (Prelu(WORDS, axis=0), [WORDS], r"^Slope must have shape \(2, 1\), not \(2, 3\)$"),
    (MaxPool((1, 1), (1, 1)), [WORDS], r"^Input must have 3 dimensions, not 2$"),
    (Eltwise(EltwiseOp.ADD, Fixed(0)), [WORDS, replace(WORDS, data=WORDS.data[:1])],
     r"^First input has shape \(2, 3\), second input has \(1, 3\)$"),
    (Eltwise(EltwiseOp.MAX, Fixed(0)), [WORDS, replace(WORDS, format=Fixed(4))],
     r"^First input has format Fixed\(frac_bits=3\), second input has "),
    (ConvertTensor(Element.FX_4, Fixed(0)), [WORDS], r"^Output must be .* not FX_4$"),
    (ConvertTensor(Element.SA_8, Affine((0,) * 3, (1,) * 3, (0,) * 3, 1)), [AXES],
     r"^Input has scales along dimension 0, output along 1$")])
def test_refusals(layer, inputs, message):
    with pytest.raises(ValueError, match=message):
        run(layer, *inputs)
