# SPDX-License-Identifier: Apache-2.0
"""Random networks of any operators, types and ranks: earlier values take the form of an input."""

from dataclasses import replace
from math import prod

from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator

from .cases import activation
from .moves import any_shape, ints, like
from .wild import ALL

__all__ = ["mixed_network"]

_INTEGERS = TENSOR_TYPE.INT8, TENSOR_TYPE.INT16
_MOST     = 6000  #: Elements of a value.
_OTHERS   = "DEQUANTIZE", "QUANTIZE of float", "LOG_SOFTMAX"  #: Operators not drawn.


def mixed_network(rng, count):
    """Model of ``count`` random operators, and the operators that bring values to their inputs.

    Outputs are values that no operator reads, some values with readers, and an input now and then.
    """
    network = _Network(rng)
    names   = [name for name in ALL if name not in _OTHERS]
    made    = 0
    while made < count:
        model = ALL[str(rng.choice(names))](rng)
        if max(prod(each.shape) for each in model.tensors) <= _MOST:
            network.append(model)
            made += 1
    return network.model()


class _Network:
    """Tensors and operators so far; ``values`` are the numbers of computed integers."""

    def __init__(self, rng):
        self.rng, self.operators = rng, []
        self.tensors = [activation(rng, "x", any_shape(rng), _INTEGERS[rng.integers(2)])]
        self.inputs, self.values = [0], [0]

    def append(self, model):
        """Append the operators of a Model; some of its inputs become inputs of the network."""
        numbers = {}
        for number, tensor in enumerate(model.tensors):
            if (number in model.inputs and tensor.type in _INTEGERS and tensor.shape
                    and len(tensor.scales) == 1 and self.rng.integers(4)):
                numbers[number] = self._adapt(self._choose(), tensor)
                continue
            numbers[number] = self._put(tensor)
            if number in model.inputs:
                self.inputs.append(numbers[number])
        for each in model.operators:
            self._add(each.name, *([numbers.get(number, number) for number in group]
                                   for group in (each.inputs, each.outputs)), each.options)

    def model(self):
        """The Model, without the tensors that no operator has."""
        read   = {number for each in self.operators for number in each.inputs if number >= 0}
        made   = [number for each in self.operators for number in each.outputs]
        place  = {number: index for index, number in enumerate(sorted(read | set(made)))}
        inputs = [number for number in self.inputs if number in read]
        ends   = [number for number in made if number not in read or not self.rng.integers(8)]
        if inputs and self.rng.integers(8) == 0:
            ends.insert(int(self.rng.integers(len(ends) + 1)), int(self.rng.choice(inputs)))
        def moved(numbers):
            return tuple(place.get(number, number) for number in numbers)
        return Model(tuple(self.tensors[number] for number in place),
                     tuple(replace(each, inputs=moved(each.inputs), outputs=moved(each.outputs))
                           for each in self.operators), moved(inputs), moved(ends))

    def _choose(self):
        """The last value, or any."""
        return self.values[-1] if self.rng.integers(2) else int(self.rng.choice(self.values))

    def _adapt(self, number, wanted):
        """Number of a value in the format of ``wanted``, a Tensor, with elements of a value."""
        count = prod(wanted.shape)
        if prod(self.tensors[number].shape) != count:
            number = self._resize(self._reshape(number, (prod(self.tensors[number].shape),)), count)
        number = self._reshape(number, wanted.shape)
        form   = like(wanted, "q", wanted.shape)
        return number if form == replace(self.tensors[number], name="q") else self._add(
            "QUANTIZE", [number], [self._put(form)])

    def _resize(self, number, count):
        """Part of a flat value, or the value between zeros."""
        x, rng = self.tensors[number], self.rng
        [size] = x.shape
        first  = int(rng.integers(abs(size - count) + 1))
        if size > count:
            numbers = [self._put(ints("begin", [first])), self._put(ints("size", [count]))]
        else:
            numbers = [self._put(ints("paddings", [[first, count - size - first]]))]
        return self._add("SLICE" if size > count else "PAD", [number, *numbers],
                         [self._put(like(x, "flat", (count,)))])

    def _reshape(self, number, shape):
        x = self.tensors[number]
        return number if x.shape == shape else self._add(
            "RESHAPE", [number, self._put(ints("shape", shape))],
            [self._put(like(x, "shaped", shape))], options.ReshapeOptions(shape))

    def _add(self, name, inputs, outputs, kind=None):
        """Append an operator; the number of its first output."""
        self.operators.append(Operator(name, tuple(inputs), tuple(outputs), kind))
        self.values += [number for number in outputs if self.tensors[number].type in _INTEGERS]
        return outputs[0]

    def _put(self, tensor):
        self.tensors.append(tensor)
        return len(self.tensors) - 1
