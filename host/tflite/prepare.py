# SPDX-License-Identifier: Apache-2.0
"""Checked TensorFlow Lite networks with all derived constants computed."""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac import golden
from xymac.golden.tflm import Tensor
from xymac.golden.tflm.moves.move import Moved
from xymac.host.errors import InputError, translate_refusals

from .checks import check_ends, check_operands, check_order, check_signature, name_of, short_name_of
from .layers.call import OperatorCall, quantisation_of
from .layers.registry import layer_of
from .missing import check_known
from .model import ABSENT, TYPES
from .signatures import SIGNATURES
from .tensors import LIMIT

__all__ = ["Prepared", "call_of", "check_model", "check_output", "prepare_graph", "values_of"]


@dataclass(frozen=True)
class Prepared:
    """A Subgraph after constant folding.

    Parameters
    ----------
    tensors : tuple of Tensor, with derived constants' data
    operators : tuple of int, the remaining operators' numbers
    """

    tensors:   tuple
    operators: tuple


def check_model(model):
    """Refuse a Model that cannot be computed; the InputError is a single sentence.

    Unused tensors are not checked. Relations between an operator's shapes, scales and options are
    checked only if all its inputs are constants.
    """
    check_known([(number, [each.name for each in graph.operators]) for number, graph
                 in enumerate((model, *model.others)) if graph is not None])
    check_ends(model)
    prepare_graph(model)
    for number, graph in enumerate(model.others, 1):
        if graph is not None:
            with of_subgraph(number):
                prepare_graph(graph)


@contextmanager
def of_subgraph(number):
    """Context in which an InputError begins with a subgraph number."""
    try:
        yield
    except InputError as error:
        raise InputError(f"Subgraph {number}: {error}") from error


def prepare_graph(graph):
    """Prepared for a Subgraph; InputError if it cannot be computed.

    Golden computes operators with constant inputs, and shape queries.
    """
    for number in range(len(graph.operators)):
        check_signature(graph, number)
    check_order(graph)
    tensors, left, spent = list(graph.tensors), [], 0
    for number, operator in enumerate(graph.operators):
        check_operands(graph, number, tensors)
        if operator.name == "RESHAPE":
            _close_shape(operator, tensors)
        if not _is_constant(operator, tensors):
            left.append(number)
            continue
        for index, output in enumerate(operator.outputs):
            data   = _compute(graph, number, index, tensors)
            spent += data.nbytes
            if spent > LIMIT:
                raise InputError(f"{name_of(graph, number)}: What is computed of constants may "
                                 f"take {LIMIT:,} bytes at most, not {spent:,}")
            data.flags.writeable = False
            tensors[output] = replace(tensors[output], data=data)
    return Prepared(tuple(tensors), tuple(left))


def values_of(operator, tensors):
    """Numbers of the ``tensors`` read by an operator as values, in order."""
    operands = SIGNATURES[operator.name].inputs
    read = ((operands[min(place, len(operands) - 1)], number)
            for place, number in enumerate(operator.inputs) if number != ABSENT)
    return [number for operand, number in read if operand.is_value
            and not (operand.index and tensors[number].data is not None)]


def call_of(graph, number, tensors):
    """An operator's OperatorCall."""
    operator = graph.operators[number]
    return OperatorCall(operator, tuple(None if each == ABSENT else tensors[each]
                                for each in operator.inputs),
                tuple(tensors[each] for each in operator.outputs))


def check_output(graph, number, index, value, tensors):
    """Refuse a golden Tensor with another shape or type than the output ``index``.

    ``tensors`` are a Prepared's tensors.
    """
    output = graph.operators[number].outputs[index]
    tensor = tensors[output]
    what   = f"{name_of(graph, number)}: its output, {short_name_of(graph, output)}"
    if value.shape != tensor.shape:
        raise InputError(f"{what}, must have shape {value.shape}, not {tensor.shape}")
    if value.data.dtype != TYPES[tensor.type]:
        raise InputError(f"{what}, must be of {value.type_name}, not {tensor.type.name}")


def _close_shape(operator, tensors):
    """Replace the stored shape of a RESHAPE output if only its second input, constant, is possible.

    Converters store 1 for an open dimension, and compute the second input from other shapes.
    """
    if len(operator.inputs) < 2 or ABSENT in operator.inputs or len(operator.outputs) != 1:
        return
    x, wanted = (tensors[number] for number in operator.inputs)
    output = tensors[operator.outputs[0]]
    if wanted.data is None or prod(output.shape) == prod(x.shape):
        return
    shape = tuple(wanted.data.reshape(-1).tolist())
    if min(shape, default=1) > 0 and prod(shape) == prod(x.shape):
        tensors[operator.outputs[0]] = replace(output, shape=shape)


def _is_constant(operator, tensors):
    """Whether constants decide an operator's outputs."""
    if operator.name == "SHAPE":
        return True
    operands = SIGNATURES[operator.name].inputs
    read     = [tensors[number] for place, number in enumerate(operator.inputs)
                if number != ABSENT and not operands[min(place, len(operands) - 1)].unread]
    return bool(read and operator.outputs) and all(tensor.data is not None for tensor in read)


def _compute(graph, number, index, tensors):
    """Output data ``index`` for an operator with constant inputs, a new array."""
    call = call_of(graph, number, tensors)
    if call.operator.name == "SHAPE":
        value = Tensor(np.array(call.inputs[0].shape, call.dtype))
    else:
        with translate_refusals(name_of(graph, number), OverflowError, TypeError, ValueError):
            layer = layer_of(call, index)
            bare  = isinstance(layer, Moved)  # moves ignore scales, even per-channel scales
            value = golden.run(replace(layer, out=None) if bare else layer, *(
                Tensor(tensors[each].data, None if bare else quantisation_of(tensors[each]))
                for each in values_of(call.operator, tensors))).output
    check_output(graph, number, index, value, tensors)
    return np.array(value.data, order="C")
