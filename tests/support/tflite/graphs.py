# SPDX-License-Identifier: Apache-2.0
"""Random networks of several operators that move elements."""

from math import prod

from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator

from .cases import activation, kind_of
from .moves import MOVES, any_shape
from .picks import PICKS

__all__ = ["moving_graph"]

_NAMES = ("PAD", "RESHAPE", "TRANSPOSE", "CONCATENATION", "SPLIT", "SLICE", "STRIDED_SLICE",
          "RESIZE_NEAREST_NEIGHBOR", "SPLIT_V", "PACK", "UNPACK", "EXPAND_DIMS", "SQUEEZE",
          "MIRROR_PAD", "BROADCAST_TO", "REVERSE_V2", "DYNAMIC_UPDATE_SLICE", "GATHER", "GATHER_ND",
          "CAST")
_RANKS = {"RESHAPE": range(6), "STRIDED_SLICE": range(1, 5), "RESIZE_NEAREST_NEIGHBOR": (4,),
          "PACK": range(5), "EXPAND_DIMS": range(5), "SQUEEZE": range(6), "CAST": range(6),
          "BROADCAST_TO": range(6), "GATHER": range(1, 5), "GATHER_ND": range(1, 5)}
_BYTES = ("MIRROR_PAD", "GATHER", "GATHER_ND")  #: Operators that take INT8 alone.
_MOST  = 2000  # elements of a value


def moving_graph(rng, count):
    """Model of ``count`` operators, each of which takes one of the last three values.

    What nobody reads is an output.
    """
    values, inputs, operators = [0], [0], []
    shape   = any_shape(rng)
    while prod(shape) > _MOST:
        shape = any_shape(rng)
    tensors = [activation(rng, "x", shape, kind_of(rng))]
    while len(operators) < count:
        number = int(rng.choice(values[-3:]))
        x      = tensors[number]
        name   = str(rng.choice([name for name in _NAMES
                                 if len(x.shape) in _RANKS.get(name, range(1, 6))
                                 and (name not in _BYTES or x.type == TENSOR_TYPE.INT8)]))
        model  = (MOVES | PICKS)[name](rng, x)
        if max(prod(tensor.shape) for tensor in model.tensors) > _MOST:
            continue
        places = {}
        for place, tensor in enumerate(model.tensors):
            places[place] = number if tensor is x else len(tensors)
            if tensor is not x:
                tensors.append(tensor)
        inputs += [places[place] for place in model.inputs if places[place] != number]
        values += [places[place] for place in model.outputs]
        [operator] = model.operators
        operators.append(Operator(name, *(tuple(places[place] for place in group) for group in
                                          (operator.inputs, operator.outputs)), operator.options))
    read = {number for operator in operators for number in operator.inputs}
    return Model(tuple(tensors), tuple(operators), tuple(inputs),
                 tuple(number for number in values if number not in read))
