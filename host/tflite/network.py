# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators as golden layers, in execution order."""

from dataclasses import dataclass

from xymac.golden.tflm import Reshape, Tensor
from xymac.host.errors import InputError, translate_refusals
from xymac.host.plan.graph import Node, check_inputs

from .checks import name_of, short_name_of
from .layers.call import quantisation_of
from .layers.registry import layer_of
from .leftovers import add_leftovers
from .model import ABSENT, TYPES
from .prepare import call_of, check_output, prepare_graph, values_of
from .variables import find_variables

__all__ = ["COPY", "Network", "Variable", "convert_model", "title_of"]

COPY = -1  #: Operator number of a copy between values, which the file does not contain.


@dataclass(frozen=True)
class Variable:
    """A value passed to the network's next invocation.

    Parameters
    ----------
    name : str
    first : golden Tensor, initial value
    following : int, value number for the next invocation
    """

    name:      str
    first:     Tensor
    following: int


@dataclass(frozen=True)
class Network:
    """Layers and their input values.

    Values are numbered from 0: inputs, variables, constants used as values, then every node's
    output. States have their initial values.

    Parameters
    ----------
    nodes : tuple of Node, one per operator, or per used output
    inputs : tuple of golden Tensor, zeros in each input's format
    variables : tuple of Variable
    constants : tuple of golden Tensor
    outputs : tuple of int, value numbers
    tensors : tuple of int, each value's Model tensor number
    operators : tuple of int, each node's Model operator number, or COPY
    """

    nodes:     tuple
    inputs:    tuple
    variables: tuple
    constants: tuple
    outputs:   tuple
    tensors:   tuple
    operators: tuple

    @property
    def first(self):
        """The first node's output value number."""
        return len(self.inputs) + len(self.variables) + len(self.constants)


def title_of(model, number, tensor):
    """A Model operator's number and name with its output tensor, as the start of a sentence."""
    name = f"tensor {tensor} ({model.tensors[tensor].short_name})"
    return f"Copy to {name}" if number == COPY else f"{name_of(model, number)}, {name}"


def convert_model(model):
    """Network for a Model from ``read_model``.

    InputError, a single sentence starting with the operator's number and name, for operators
    without a xymac.golden.tflm layer and for outputs with another shape or type than the
    operator's.
    """
    return _Conversion(model).network


class _Conversion:
    """Builds the Network for a Model.

    Attributes
    ----------
    network : Network
    """

    def __init__(self, model):
        self._model = model
        prepared = prepare_graph(model)
        self._left, self._tensors = prepared.operators, prepared.tensors
        _check_states(model)
        self._variables = find_variables(model)
        self._places, self._values = {}, []  # value numbers of Model tensors; the values
        self._nodes, self._operators, self._numbers = [], [], []
        self._begin()
        self._used = {*model.outputs}.union(*(operator.inputs for operator in model.operators))
        for number in self._left:
            self._add(number)
        self.network = self._finish()

    def _begin(self):
        """Number inputs, variables and constants."""
        model, known = self._model, self._variables
        for number in model.inputs:
            self._put(number, self._format(number))
        self._held = {}  # current value number by variable key
        for key in known.states:
            self._held[key] = len(self._values)
            self._put(known.entries[key], self._constant(known.entries[key], known.firsts[key]))
        self._states = len(self._values)
        constants = {number for number in (*model.outputs, *self._read())
                     if self._tensors[number].data is not None}
        for number in sorted(constants):
            self._put(number, self._constant(number, self._tensors[number].data))
        for key in known.constants:
            self._held[key] = len(self._values)
            self._put(known.entries[key], self._constant(known.entries[key], known.firsts[key]))
        self._first = len(self._values)

    def _read(self):
        """Tensor numbers read by operators as values."""
        operators = (self._model.operators[place] for place in self._left)
        return (number for operator in operators for number in values_of(operator, self._tensors))

    def _put(self, number, value):
        """Assign the next value number to a Model tensor."""
        self._places[number] = len(self._values)
        self._numbers.append(number)
        self._values.append(value)

    def _format(self, number):
        """Zeros in a tensor's format."""
        tensor = self._tensors[number]
        with translate_refusals(_tensor_name(self._model, number), TypeError, ValueError):
            return Tensor.zeros(tensor.shape, TYPES[tensor.type], quantisation_of(tensor))

    def _constant(self, number, data):
        with translate_refusals(_tensor_name(self._model, number), TypeError, ValueError):
            return Tensor(data, quantisation_of(self._tensors[number]))

    def _add(self, number):
        """Add an operator's nodes."""
        operator = self._model.operators[number]
        if operator.name in ("VAR_HANDLE", "CALL_ONCE"):
            return
        if operator.name == "READ_VARIABLE":
            self._read_variable(operator)
        elif operator.name == "ASSIGN_VARIABLE":
            key = self._variables.keys[operator.inputs[0]]
            self._held[key] = self._places[operator.inputs[1]]
        else:
            for index, output in enumerate(operator.outputs):
                if len(operator.outputs) == 1 or output in self._used:
                    self._convert(number, index)

    def _read_variable(self, operator):
        """Map the output to a variable's current value, in the output's own format."""
        [output] = operator.outputs
        place  = self._held[self._variables.keys[operator.inputs[0]]]
        wanted = self._format(output)
        if output in self._places:
            return
        if (wanted.quantisation, wanted.shape) == (self._values[place].quantisation,
                                                   self._values[place].shape):
            self._places[output] = place
        else:
            self._copy(place, output)

    def _copy(self, place, number):
        """Add a node that copies a value to a Model tensor."""
        tensor = self._format(number)
        node   = Node(Reshape(tensor.shape, tensor.quantisation), (place,),
                      self._tensors[number].name)
        with translate_refusals(_tensor_name(self._model, number), TypeError, ValueError):
            check_inputs(node, self._values)
        self._nodes.append(node)
        self._operators.append(COPY)
        self._put(number, tensor)

    def _convert(self, number, index):
        """Add the node for an operator's output ``index``."""
        operator = self._model.operators[number]
        call     = call_of(self._model, number, self._tensors)
        output   = operator.outputs[index]
        with translate_refusals(title_of(self._model, number, output), TypeError, ValueError):
            layer, others = add_leftovers(self._model, number, layer_of(call, index),
                                          call.inputs[0].shape if call.has(0) else ())
            node  = Node(layer, tuple(self._places[each] for each in (
                *values_of(operator, self._tensors), *others)), self._tensors[output].name)
            value = layer.output_like(*check_inputs(node, self._values))
        check_output(self._model, number, index, value, self._tensors)
        self._nodes.append(node)
        self._operators.append(number)
        self._put(output, value)

    def _finish(self):
        """The Network, in which every output and every next variable value is a node output."""
        for number in self._model.outputs:
            if self._places[number] < self._first:
                self._copy(self._places[number], number)
        outputs, variables = tuple(map(self._places.__getitem__, self._model.outputs)), []
        for place, key in enumerate(self._variables.states, len(self._model.inputs)):
            entry = self._variables.entries[key]
            if self._held[key] < self._first:
                self._copy(self._held[key], entry)
                self._held[key] = len(self._values) - 1
            variables.append(Variable(self._tensors[entry].name, self._values[place],
                                      self._held[key]))
            self._check_following(entry, self._values[place], self._values[self._held[key]])
        count = len(self._model.inputs)
        return Network(tuple(self._nodes), tuple(self._values[:count]), tuple(variables),
                       tuple(self._values[self._states:self._first]),
                       outputs, tuple(self._numbers), tuple(self._operators))

    def _check_following(self, entry, first, following):
        if (first.shape, first.data.dtype) != (following.shape, following.data.dtype):
            raise InputError(f"The variable that {short_name_of(self._model, entry)} reads must "
                             f"stay {first.data.dtype} of shape {first.shape}, "
                             f"not become {following.data.dtype} of shape {following.shape}")


def _tensor_name(model, number):
    name = short_name_of(model, number)
    return name[0].upper() + name[1:]


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
