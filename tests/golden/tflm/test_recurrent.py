# SPDX-License-Identifier: Apache-2.0
"""LSTM and SVDF of TensorFlow Lite against plain Python ints, over several calls"""

from dataclasses import replace
from fractions import Fraction
from math import log2

import numpy as np
import pytest

from tests.support.naive.tflm import clamped, multiplied, quantised, wrapped
from tests.support.naive.tflm_curves import sigmoid16, tanh16
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.tflm import Quantisation, Svdf, Tensor, UnidirectionalSequenceLstm


def scale_of(rng, low, high):
    return float(np.float32(2.0 ** rng.uniform(low, high)))


def tensor(data, scale, zero=0):
    return Tensor(data, Quantisation((scale,), (zero,)))


def random_lstm(rng, batches, inputs, outputs, **options):
    """A layer of random weights, its state as at the first call."""
    def weights(size):
        return tuple(tensor(rng.integers(-128, 128, (outputs, size)).astype(np.int8),
                            scale_of(rng, -9, -4)) for _ in range(4))

    bias  = tuple(Tensor(rng.integers(-3000, 3000, outputs).astype(np.int32)) for _ in range(4))
    zero  = int(rng.integers(-128, 128))
    power = float(rng.integers(-14, -8))
    scale = 2.0 ** power if rng.integers(2) else scale_of(rng, power, power + 1)
    return UnidirectionalSequenceLstm(
        weights(inputs), weights(outputs), bias,
        tensor(np.full((batches, outputs), zero, np.int8), scale_of(rng, -8, -5), zero),
        tensor(np.zeros((batches, outputs), np.int16), scale), **options)


def short(value):
    return clamped(value, -32768, 32767)


def naive_step(layer, x, row, state, cell):
    """State and cell of one batch after the inputs ``row``."""
    zero, scale = layer.state.quantisation.zero_point, layer.state.quantisation.scale
    units, now, memory = range(len(state)), [], []

    def gate(number, unit):
        parts = []
        for values, matrix, start, bias in (
                (row, layer.weights_in[number], x.quantisation, layer.biases[number].data[unit]),
                (state, layer.weights_out[number], layer.state.quantisation, 0)):
            total = int(bias) + sum((value - start.zero_point) * int(weight) for value, weight
                                    in zip(values, matrix.data[unit], strict=True))
            parts.append(short(multiplied(
                total, *quantised(start.scale * matrix.quantisation.scale * 4096))))
        return short(sum(parts))

    for unit in units:
        i, f, o = (sigmoid16(gate(number, unit), 3, 0) for number in (0, 1, 3))
        g    = tanh16(gate(2, unit), 3, 0)
        step = layer.cell.quantisation.scale
        new  = short(short(multiplied(f * cell[unit], *quantised(2.0 ** -15)))
                     + short(multiplied(i * g, *quantised(2.0 ** -30 / step))))
        if layer.cell_clip > 0:
            most = int(min(Fraction(float(np.float32(layer.cell_clip)) / step), 32767))
            new  = clamped(new, -most, most)
        left  = 12 + round(log2(step))
        shown = tanh16(new, 3 << left, 0) if left >= 0 else tanh16(new, 3, -left)
        now.append(clamped(multiplied(shown * o, *quantised(2.0 ** -30 / scale)) + zero, -128, 127))
        memory.append(new)
    return now, memory


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("clip", [0.0, 1.5, 0.01])
@pytest.mark.parametrize("key", range(4))
def test_lstm_over_calls(time_major, clip, key):
    rng    = random_of(key)
    layer  = random_lstm(rng, 2, 5, 4, cell_clip=clip, time_major=time_major)
    states = [([int(value) for value in layer.state.data[batch]], [0] * 4) for batch in range(2)]
    scale, zero = scale_of(rng, -8, -3), int(rng.integers(-128, 128))
    for _ in range(3):
        data = rng.integers(-128, 128, (2, 3, 5)).astype(np.int8)
        x    = tensor(data.swapaxes(0, 1).copy() if time_major else data, scale, zero)

        result = run(layer, x)

        wanted = np.zeros((2, 3, 4), int)
        for batch, step in np.ndindex(2, 3):
            states[batch] = naive_step(layer, x, data[batch, step].tolist(), *states[batch])
            wanted[batch, step] = states[batch][0]
        actual = result.output.data.swapaxes(0, 1) if time_major else result.output.data
        assert actual.tolist() == wanted.tolist()
        assert result.cell.data.tolist() == [memory for _, memory in states]
        layer = layer.following(result)


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("key", range(8))
def test_svdf_over_calls(bits, key):
    rng   = random_of(key)
    units, rank, inputs, memory, batches = 3, 1 + key % 3, 5, 1 + key, 2
    zeros = [int(value) for value in rng.integers(-128, 128, 3)]
    zeros[2] = zeros[2] if bits == 8 else 0
    x_scale, first, state, second, out = (scale_of(rng, -8, -2) for _ in range(5))
    top   = 2 ** (bits - 1)
    wf    = rng.integers(-128, 128, (units * rank, inputs)).astype(np.int8)
    wt    = rng.integers(-top, top, (units * rank, memory)).astype(f"int{bits}")
    bias  = rng.integers(-9999, 9999, units).astype(np.int32)
    rows  = [[[zeros[2]] * memory for _ in range(units * rank)] for _ in range(batches)]
    layer = Svdf(tensor(wf, first), tensor(wt, second), Tensor(bias), tensor(
        np.full((batches, units * rank * memory), zeros[2], wt.dtype), state, zeros[2]),
        Quantisation((out,), (zeros[1],)), rank)
    for _ in range(6):
        data = rng.integers(-128, 128, (batches, inputs)).astype(np.int8)

        result = run(layer, tensor(data, x_scale, zeros[0]))

        for batch, unit in np.ndindex(batches, units):
            total = int(bias[unit])
            for filter_ in range(unit * rank, (unit + 1) * rank):
                fed = sum((int(value) - zeros[0]) * int(weight) for value, weight
                          in zip(data[batch], wf[filter_], strict=True))
                fed = clamped(multiplied(fed, *quantised(x_scale * first / state)), -top, top - 1)
                row = rows[batch][filter_]
                row[:] = [*row[1:], wrapped(fed + zeros[2], bits)]
                total += sum(int(weight) * (value - zeros[2]) for weight, value
                             in zip(wt[filter_], row, strict=True))
            value = multiplied(wrapped(total), *quantised(state * second / out)) + zeros[1]
            assert result.output.data[batch, unit] == clamped(value, -128, 127)
        assert result.cell.data.tolist() == [
            [value for row in filters for value in row] for filters in rows]
        layer = layer.following(result)


def test_an_svdf_state_of_bytes_wraps():
    one   = np.ones((1, 1), np.int8)
    layer = Svdf(tensor(one, 1.0), tensor(one, 1.0), Tensor(np.zeros(1, np.int32)),
                 tensor(one * 100, 1.0, 100), Quantisation((1.0,), (0,)))

    result = run(layer, tensor(one * 60, 1.0))

    # 60 from the zero point 100 is 160, which is -96 of 8 bits: 196 below the zero point.
    assert result.cell.data.tolist() == [[-96]]
    assert result.output.data.tolist() == [[-128]]


LSTM = random_lstm(random_of(0), 2, 5, 4)
SVDF = Svdf(tensor(np.ones((4, 5), np.int8), 0.5), tensor(np.ones((4, 3), np.int8), 0.5),
            Tensor(np.zeros(2, np.int32)), tensor(np.zeros((2, 12), np.int8), 0.5),
            Quantisation((0.5,), (0,)), 2)
X    = tensor(np.zeros((2, 3, 5), np.int8), 0.5)
ROWS = tensor(np.zeros((2, 5), np.int8), 0.5)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (replace(LSTM, biases=LSTM.biases[:3]), X, r"^biases must have 4 entries, not 3$"),
    (replace(LSTM, time_major=True), X, r"^state must have shape \(3, 4\), not \(2, 4\)$"),
    (replace(LSTM, weights_in=LSTM.weights_out), X, r"^weights_in must have shape \(4, 5\), not "),
    (replace(LSTM, cell=tensor(LSTM.cell.data, 16.0)), X, r"^Scale of the cell must .* 8, not 16$"),
    (replace(LSTM, cell=tensor(LSTM.cell.data, 2.0 ** -44)), X,
     r"^Scale of the cell must be between 2\*\*-43 and 8, not 5.68434e-14$"),
    (LSTM, ROWS, r"^Input must have 3 dimensions, not 2$"),
    (replace(SVDF, rank=3), ROWS, r"^rank must divide the 4 filters, not be 3$"),
    (replace(SVDF, rank=1), ROWS, r"^bias must have shape \(4,\), not \(2,\)$"),
    (replace(SVDF, state=ROWS), ROWS, r"^state must have shape \(2, 12\), not \(2, 5\)$"),
    (replace(SVDF, weights_time=ROWS), ROWS, r"^weights_feature has 4 filters, weights_time has 2"),
    (SVDF, tensor(np.zeros((2, 4), np.int8), 0.5), r"^weights_feature has 5 inputs, input has 4$")])
def test_refusals(layer, x, message):
    with pytest.raises(ValueError, match=message):
        run(layer, x)
