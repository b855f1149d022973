# SPDX-License-Identifier: Apache-2.0
"""Networks whose core computes outputs of 32 bits, by name, and inputs with known answers."""

import numpy as np

from tests.support.seed import random_of
from xymac.golden import mli2
from xymac.golden.mli2 import Affine, ConvertTensor, Element, Fixed, QuantTensor
from xymac.host.network.network import join_layers
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

from .moves import ints
from .networks import constant, value

__all__ = ["FAR", "WIDE_OUTPUTS", "chosen", "chosen_model", "classifier_model", "far_network",
           "far_places", "inputs_of"]

INT16, INT32 = TENSOR_TYPE.INT16, TENSOR_TYPE.INT32
ROWS, CLASSES = 5, 10
_NEAR = 3_000  #: Absolute elements of 32 bits, which conversions saturate now and then.
FAR = 56_001  #: Elements whose last indices have both half-words; the size base holds them.


def _place(name, source, options_kind, axis=-1):
    """Operator and tensors of an index along an axis; ``source`` is the input's number."""
    return Operator(name, (source, source + 1), (source + 2,), options_kind(INT32)), (
        ints("axis", axis), Tensor(name.lower(), (ROWS,), INT32))


def classifier_model(*, wide=False):
    """Model of a dense layer, and places of its largest and smallest elements; inputs of 16 bits
    are quantised to 8 bits before.
    """
    weights = random_of(2).integers(-127, 128, (CLASSES, 12), np.int8)
    largest, of_largest   = _place("ARG_MAX", 3, options.ArgMaxOptions)
    smallest, of_smallest = _place("ARG_MIN", 3, options.ArgMinOptions)
    smallest = Operator(smallest.name, (3, 4), (6,), smallest.options)
    tensors = [value("x", (ROWS, 12)), constant("w", weights, (0.0078125,)),
               value("x16", (ROWS, 12), INT16, 2.0**-12), value("y", (ROWS, CLASSES), scale=0.25),
               *of_largest, of_smallest[1]]
    operators = [Operator("FULLY_CONNECTED", (0, 1, -1), (3,), options.FullyConnectedOptions()),
                 largest, smallest]
    if wide:
        operators.insert(0, Operator("QUANTIZE", (2,), (0,)))
    return Model(tuple(tensors), tuple(operators), (2 * wide,), (5, 6, 3))


def chosen_model():
    """Model of the place of the largest of some elements, as the only output."""
    tensors = (value("x", (1, CLASSES)), ints("axis", -1), Tensor("y", (1,), INT32))
    return Model(tensors, (Operator("ARG_MAX", (0, 1), (2,), options.ArgMaxOptions(INT32)),),
                 (0,), (2,))


def chosen():
    """The Network of ``chosen_model``."""
    return network_of(chosen_model(), "1chosen")


def columns():
    """Places along the first dimension of two, as a last output that lies with another order."""
    largest = Operator("ARG_MAX", (0, 1), (2,), options.ArgMaxOptions(INT32))
    tensors = (value("x", (ROWS, 3, CLASSES)), ints("axis", 1), Tensor("y", (ROWS, CLASSES), INT32))
    return network_of(Model(tensors, (largest,), (0,), (2,)), "1columns")


def quantised(kind):
    """QUANTIZE to 32 bits, also of negative elements, and the same output twice."""
    tensors = (value("x", (2, 3, 7), kind, 0.5, 3 if kind == TENSOR_TYPE.INT8 else 0),
               value("y", (2, 3, 7), kind, 0.5, 3 if kind == TENSOR_TYPE.INT8 else 0),
               value("z", (2, 3, 7), INT32, float(np.float32(0.0018))))
    return network_of(Model(tensors, (Operator("RELU", (0,), (1,)), Operator(
        "QUANTIZE", (0,), (2,))), (0,), (2, 1, 2)), "1quantised")


def tiles(rows=1200):
    """More rows than X of the size tiny holds, so that the indices come in parts."""
    tensors = (value("x", (rows, CLASSES)), value("r", (rows, CLASSES)), ints("axis", -1),
               Tensor("y", (rows,), INT32))
    return network_of(Model(tensors, (Operator("RELU", (0,), (1,)), Operator(
        "ARG_MAX", (0, 2), (3,), options.ArgMaxOptions(INT32))), (0,), (3, 1)), "1tiles")


def converted(count=9):
    """Inputs and outputs of 32 bits of MLI 2.0."""
    blank = QuantTensor.zeros((2, count), Element.SA_32, Affine(0, 1, 0))
    return join_layers("1converted", blank, (
        ConvertTensor(Element.FX_16, Fixed(4)), ConvertTensor(Element.SA_32, Affine(-7_777, 1, 9))))


def far_network(count=FAR):
    """The place of the last largest element of MLI 2.0."""
    return join_layers("1far", QuantTensor.zeros((count,), Element.SA_8, Affine(3, 1, 0)),
                       (mli2.ArgMax(1),))


def far_places(count=FAR):
    """Inputs of ``far_network`` and their indices: the first, the last, and around 15 bits."""
    for place in (0, 1, 0x7FFF, 0x8000, 0xFFFF, count - 1):
        if place < count:
            x = np.full((count,), -128, np.int8)
            x[place] = 127
            yield x, place


def inputs_of(network, seeds):
    """Random inputs, each a tuple; the first one has the ends of its type, and equal elements."""
    [blank] = network.inputs
    info    = np.iinfo(blank.data.dtype)
    for seed in seeds:
        draw = random_of(seed)
        low, high = (-_NEAR, _NEAR) if info.bits == 32 else (info.min, info.max)
        x = draw.integers(low, high, blank.shape, blank.data.dtype, endpoint=True)
        if seed == 0:
            x = draw.choice(np.array([info.min, info.max], blank.data.dtype), blank.shape)
            x[0] = info.min
        yield (x,)


#: Makers by name.
WIDE_OUTPUTS = {
    "classes": lambda: network_of(classifier_model(), "1classes"),
    "classes of 16 bits": lambda: network_of(classifier_model(wide=True), "1wide"),
    "chosen": chosen, "columns": columns, "8 to 32 bits": lambda: quantised(TENSOR_TYPE.INT8),
    "16 to 32 bits": lambda: quantised(INT16), "converted": converted,
    "tiles": tiles, "converted tiles": lambda: converted(1500),
}
