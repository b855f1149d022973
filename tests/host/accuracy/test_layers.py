# SPDX-License-Identifier: Apache-2.0
"""Layers beside the float network: pairs of tensors, and the noise by hand."""

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.networks import conv_network, value
from xymac.host.accuracy.layers import measure_layers, pair_tensors
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.run import run_model


def chain(*operators, shape=(1, 4)):
    """Model of operators in a row, (kind, name of the output)."""
    tensors = (value("x", shape), *(value(name, shape) for _, name in operators))
    return Model(tensors, tuple(Operator(kind, (number,), (number + 1,))
                                for number, (kind, _) in enumerate(operators)),
                 (0,), (len(operators),))


def test_names_pair_first_and_order_next():
    ours   = chain(("QUANTIZE", "q"), ("RELU", "a1"), ("LOGISTIC", "b"), ("RELU", "c1"),
                   ("TANH", "d"))
    theirs = chain(("RELU", "a"), ("LOGISTIC", "b"), ("ABS", "e"), ("RELU", "c"))

    assert pair_tensors(ours, theirs) == [(1, 2, 1), (2, 3, 2), (3, 4, 4)]


def test_operators_of_another_shape_are_no_pair():
    assert not pair_tensors(chain(("RELU", "a")), chain(("RELU", "b"), shape=(1, 8)))


class Reference:
    """A float network whose tensors are those of golden and a known difference."""

    def __init__(self, model, error):
        self._model, self._error = model, error

    def run(self, *inputs):
        blank   = self._model.tensors[self._model.inputs[0]]
        steps   = np.round(inputs[0] / blank.scales[0]) + blank.zero_points[0]
        results = run_model(self._model, steps.astype(np.int8))
        self._values = {
            number: (result.output.data.astype(float) - tensor.zero_points[0]) * tensor.scales[0]
            for number, result in results.items()
            if (tensor := self._model.tensors[number]).scales and tensor.data is None}

    def read(self, number):
        data = self._values.get(number)
        return None if data is None else (data + self._error).astype(np.float32)


@pytest.mark.parametrize("error", [0.0, 0.25])
def test_noise_is_the_difference_from_the_float_tensors(error):
    model  = conv_network()
    inputs = [(each,) for each in random_of(3).integers(-128, 128, (3, 1, 6, 5, 2), np.int8)]

    noise = measure_layers(model, model, Reference(model, error), inputs)

    assert [row.number for row in noise] == [0, 1, 2, 3, 4]
    assert [row.worst for row in noise] == pytest.approx([error] * 5, abs=1e-6)
    first  = np.concatenate([run_model(model, *each)[3].output.data for each in inputs])
    signal = np.sum(((first - 5.0) * 0.125 + error) ** 2)
    if error:
        assert noise[0].sqnr == pytest.approx(
            10 * np.log10(signal / (first.size * error ** 2)), abs=1e-3)
    else:
        assert noise[0].sqnr == float("inf")
    assert noise[0].step == 0.125
