# SPDX-License-Identifier: Apache-2.0
"""Quantised network layers beside the float network's layers: each tensor's noise.

Both files come from the same network, and their converters fuse and name operators alike, but for
QUANTIZE and DEQUANTIZE. Tensors with the same name and shape belong together; the other operators
in their order, as far as kind and output shape are the same.
"""

from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from xymac.host.network.inputs.values import dequantise
from xymac.host.tflite.run import run_model

__all__ = ["LayerNoise", "measure_layers", "pair_tensors"]

_CASTS = ("QUANTIZE", "DEQUANTIZE")


@dataclass(frozen=True)
class LayerNoise:
    """Difference between a quantised tensor and the float tensor, over some inputs.

    Parameters
    ----------
    number : int, operator number in the quantised file
    operator, name : str
    sqnr : float, signal to quantisation noise, dB: ten times the decimal logarithm of the ratio
        between the sums of squared float values and of squared differences; infinite without any
    worst : float, largest difference
    step : float, the tensor's scale
    """

    number:   int
    operator: str
    name:     str
    sqnr:     float
    worst:    float
    step:     float


def pair_tensors(quantised, float_model):
    """(operator number, its output tensor, the float output tensor) in the ``quantised`` Model's
    order.
    """
    ours, theirs = (_operators(model) for model in (quantised, float_model))
    names = {_key(float_model, tensor): tensor for _, _, tensor in theirs}
    pairs = {number: (tensor, names[_key(quantised, tensor)]) for number, _, tensor in ours
             if _key(quantised, tensor) in names}
    taken = {other for _, other in pairs.values()}
    kinds = [[kind for _, kind, _ in each] for each in (ours, theirs)]
    for block in SequenceMatcher(None, *kinds, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            number, _, tensor = ours[block.a + step]
            other = theirs[block.b + step][2]
            if number not in pairs and other not in taken:
                pairs[number] = tensor, other
    return [(number, *pairs[number]) for number in sorted(pairs)]


def _operators(model):
    """(number, (name, output shape), output tensor) for operators that compute."""
    return [(number, (operator.name, tuple(model.tensors[operator.outputs[0]].shape)),
             operator.outputs[0])
            for number, operator in enumerate(model.operators)
            if operator.outputs and operator.name not in _CASTS]


def _key(model, tensor):
    return model.tensors[tensor].name, tuple(model.tensors[tensor].shape)


def measure_layers(quantised, float_model, reference, inputs, progress=lambda: None):
    """LayerNoise for every paired layer over ``inputs``, a list of array tuples.

    Parameters
    ----------
    quantised : the first file's Model
    float_model : the second file's Subgraph, see ``read_outline``
    reference : the second file's FloatModel
    inputs : arrays in the types of the quantised inputs; the float network gets their real values
    progress : called after each input
    """
    pairs = pair_tensors(quantised, float_model)
    found = {}
    for arrays in inputs:
        values = run_model(quantised, *arrays)
        reference.run(*(dequantise(values[number].output.data, values[number].output)
                        for number in quantised.inputs))
        for number, ours, theirs in pairs:
            exact, real = reference.read(theirs), _real(values.get(ours))
            if exact is not None and real is not None:
                found.setdefault(number, _Sums()).add(exact, real)
        progress()
    return [LayerNoise(number, quantised.operators[number].name, quantised.tensors[ours].name,
                       found[number].decibels, found[number].worst,
                       (quantised.tensors[ours].scales or (0.0,))[0])
            for number, ours, _ in pairs if number in found]


def _real(result):
    """A Result's real values; None for a tensor that was folded away or has no scale."""
    return None if result is None else dequantise(result.output.data, result.output)


class _Sums:
    """Sums of squared float values and of squared differences from them."""

    def __init__(self):
        self.signal = self.noise = self.worst = 0.0

    def add(self, exact, real):
        exact = np.asarray(exact, np.float64)
        error = real - exact
        self.signal += float(np.sum(exact ** 2))
        self.noise  += float(np.sum(error ** 2))
        self.worst   = max(self.worst, float(np.max(np.abs(error), initial=0)))

    @property
    def decibels(self):
        """Signal to noise, dB."""
        if not self.noise:
            return float("inf")
        return float(10 * np.log10(self.signal / self.noise)) if self.signal else float("-inf")
