"""Operators of a TensorFlow Lite file as layers of golden, in the order of their computation."""

from dataclasses import dataclass

from golden.tflm import Tensor
from host.errors import InputError, translate_refusals
from host.plan.graph import Node, check_inputs

from .layers.call import Call, quantisation_of
from .layers.registry import layer_of
from .model import ABSENT, TYPES
from .signatures import SIGNATURES

__all__ = ["Network", "convert_model", "name_of", "title_of"]


@dataclass(frozen=True)
class Network:
    """Layers and which values each of them takes.

    Values are numbered from 0: first inputs, then constants that stand in the place of values, then
    the output of every node. States are those before the first invocation.

    Parameters
    ----------
    nodes : tuple of Node, an operator each, or an output of a SPLIT that is used
    inputs : tuple of golden Tensor, zeros in the format of each input
    constants : tuple of golden Tensor
    outputs : tuple of int, numbers of values
    tensors : tuple of int, the number in the Model of the tensor that each value is
    operators : tuple of int, the number in the Model of the operator of each node
    """

    nodes:     tuple
    inputs:    tuple
    constants: tuple
    outputs:   tuple
    tensors:   tuple
    operators: tuple


def name_of(model, number):
    """Number and name of an operator of a Model, what sentences about it begin with."""
    return f"Operator {number} ({model.operators[number].name})"


def title_of(model, number, tensor):
    """The same with the tensor that it writes, by its number."""
    return (f"{name_of(model, number)}, tensor {tensor} "
            f"({model.tensors[tensor].short_name})")


def convert_model(model):
    """The Network of a Model that ``read_model`` takes.

    InputError, one sentence that begins with number and name of an operator, for what no layer of
    golden.tflm computes, and for outputs whose shape or type the operator does not give.
    """
    _check_states(model)
    constants = _find_constants(model)
    tensors   = [*model.inputs, *constants]
    values    = [_blank(model, number) for number in model.inputs]
    for number in constants:
        with translate_refusals(_tensor_name(model, number), TypeError, ValueError):
            values.append(Tensor(model.tensors[number].data,
                                 quantisation_of(model.tensors[number])))
    nodes, operators = [], []
    used = {*model.outputs}.union(*map(_values_of, model.operators))
    for number, operator in enumerate(model.operators):
        for index, output in enumerate(operator.outputs):
            if len(operator.outputs) > 1 and output not in used:
                continue
            node, value = _convert(model, number, index, tensors, values)
            nodes.append(node)
            operators.append(number)
            tensors.append(output)
            values.append(value)
    if not nodes:
        raise InputError("A network must have an operator whose output is used")
    count = len(model.inputs)
    return Network(tuple(nodes), tuple(values[:count]),
                   tuple(values[count:count + len(constants)]),
                   tuple(map(tensors.index, model.outputs)), tuple(tensors), tuple(operators))


def _tensor_name(model, number):
    return f"Tensor {number} ({model.tensors[number].short_name})"


def _blank(model, number):
    """Zeros in the format of a tensor."""
    tensor = model.tensors[number]
    with translate_refusals(_tensor_name(model, number), TypeError, ValueError):
        return Tensor.zeros(tensor.shape, TYPES[tensor.type], quantisation_of(tensor))


def _values_of(operator):
    """Numbers of the tensors that an operator takes as values, in order."""
    operands = SIGNATURES[operator.name].inputs
    return [number for place, number in enumerate(operator.inputs)
            if number != ABSENT and operands[min(place, len(operands) - 1)].is_value]


def _find_constants(model):
    """Numbers of the constants in the place of values, each once."""
    numbers = {number for operator in model.operators for number in _values_of(operator)}
    return sorted(number for number in numbers if model.tensors[number].data is not None)


def _check_states(model):
    owners = {}
    for number, operator in enumerate(model.operators):
        for tensor in operator.inputs:
            if tensor == ABSENT or not model.tensors[tensor].is_variable:
                continue
            if tensor in owners:
                raise InputError(
                    f"{name_of(model, number)}: The state {tensor} "
                    f"({model.tensors[tensor].short_name}) must be its own, "
                    f"not that of operator {owners[tensor]} as well")
            owners[tensor] = number


def _convert(model, number, index, tensors, values):
    """The Node of output ``index`` of an operator, and zeros in the format of that output."""
    operator = model.operators[number]
    call     = Call(operator,
                    tuple(None if each == ABSENT else model.tensors[each]
                          for each in operator.inputs),
                    tuple(model.tensors[each] for each in operator.outputs))
    output   = call.outputs[index]
    title    = title_of(model, number, operator.outputs[index])
    with translate_refusals(title, TypeError, ValueError):
        layer = layer_of(call, index)
        node  = Node(layer, tuple(map(tensors.index, _values_of(operator))), output.name)
        value = layer.output_like(*check_inputs(node, values))
    what = (f"{name_of(model, number)}: its output, tensor {operator.outputs[index]} "
            f"({output.short_name})")
    if value.shape != output.shape:
        raise InputError(f"{what}, must have shape {value.shape}, not {output.shape}")
    if value.data.dtype != TYPES[output.type]:
        raise InputError(f"{what}, must be of {value.type_name}, not {output.type.name}")
    return node, value
