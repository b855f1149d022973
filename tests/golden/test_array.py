# SPDX-License-Identifier: Apache-2.0
"""What every kind of tensor has in common: shape, bits, and when two are equal."""

import numpy as np
import pytest

from xymac.golden.mli1.tensor import Tensor
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor
from xymac.golden.tflm.tensor import Quantisation
from xymac.golden.tflm.tensor import Tensor as Quantised
from xymac.golden.xs3.integers import Integers

BYTES, WORDS = (np.arange(6, dtype=dtype).reshape(2, 3) for dtype in (np.int8, np.int16))
ONE = Quantisation((0.5,), (3,))
#: One tensor of each kind, made anew, and others of its kind that differ in one thing.
KINDS = {
    "Tensor": (lambda: Tensor(BYTES.copy(), 3), [
        Tensor(WORDS, 3), Tensor(BYTES, 4), Tensor(BYTES.reshape(3, 2), 3), Tensor(BYTES[:1], 3),
        Tensor(BYTES + np.int8(1), 3)]),
    "QuantTensor": (lambda: QuantTensor(BYTES.copy(), Element.FX_8, Fixed(3)), [
        QuantTensor(WORDS, Element.FX_16, Fixed(3)), QuantTensor(BYTES, Element.FX_4, Fixed(3)),
        QuantTensor(BYTES, Element.FX_8, Fixed(4)),
        QuantTensor(BYTES, Element.SA_8, Affine(0, 1, 3)),
        QuantTensor(BYTES.reshape(3, 2), Element.FX_8, Fixed(3)),
        QuantTensor(BYTES + np.int8(1), Element.FX_8, Fixed(3))]),
    "Quantised": (lambda: Quantised(BYTES.copy(), ONE), [
        Quantised(WORDS, ONE), Quantised(BYTES), Quantised(BYTES.reshape(3, 2), ONE),
        Quantised(BYTES, Quantisation((0.5,), (4,))), Quantised(BYTES, Quantisation((0.25,), (3,))),
        Quantised(BYTES, Quantisation((0.5, 0.5), (3, 3), 0)),
        Quantised(BYTES + np.int8(1), ONE)]),
    "Integers": (lambda: Integers(BYTES.copy()), [
        Integers(WORDS), Integers(BYTES.view(np.uint8)), Integers(BYTES.reshape(3, 2)),
        Integers(BYTES + np.int8(1))]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_are_equal_in_everything_or_not_at_all(kind):
    make, others = KINDS[kind]

    assert make() == make()
    assert not make() != make()
    for other in [*others, *(each() for name, (each, _) in KINDS.items() if name != kind), None]:
        assert make() != other
        assert not make() == other


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_have_no_hash(kind):
    make, _ = KINDS[kind]

    with pytest.raises(TypeError, match=rf"^unhashable type: '{type(make()).__name__}'$"):
        hash(make())


@pytest.mark.parametrize(("tensor", "bits"), [
    (Tensor(BYTES, 0), 8), (Tensor(WORDS, 0), 16), (Integers(WORDS), 16),
    (Quantised(WORDS, ONE), 16), (Integers(BYTES.astype(np.int32)), 32),
    (QuantTensor(WORDS, Element.FX_16, Fixed(0)), 16),
    (QuantTensor(BYTES, Element.FX_4, Fixed(0)), 4)])
def test_shape_and_bits(tensor, bits):
    assert (tensor.shape, tensor.bits) == ((2, 3), bits)
