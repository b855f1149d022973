# SPDX-License-Identifier: Apache-2.0
"""A trainable LSTM cell in double precision, and its conversion to a golden layer."""

import numpy as np

from xymac.golden.mli1 import Act, LstmCell, RnnMode, Tensor

from .quantise import choose_frac_bits, quantise

__all__ = ["FloatLstm"]

_FORGET = 2  #: Index in the gates: input, new cell candidates, forget, output.


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


class FloatLstm:
    """LSTM cell that processes the rows of an image (1, steps, inputs) in order.

    The output (outputs, 1, 1) is the last step's. See ``mli1.LstmCell``; for ``forward``,
    ``backward`` and ``golden`` see ``xymac.host.examples.float_layers``.

    Parameters
    ----------
    weights : numpy array (4, outputs, inputs + outputs)
    """

    def __init__(self, weights):
        self.weights = weights
        self.bias    = np.zeros(weights.shape[:2])
        self.bias[_FORGET] = 1  # An untrained cell keeps its state.

    @property
    def parameters(self):
        """Trainable arrays."""
        return self.weights, self.bias

    def forward(self, x):
        """Output for a batch ``x``."""
        outputs = self.weights.shape[1]
        h = cell = np.zeros((len(x), outputs))
        matrix, self.steps = self.weights.reshape(4 * outputs, -1), []
        for row in x[:, 0].transpose(1, 0, 2):
            joined = np.concatenate([row, h], axis=1)
            gates  = (joined @ matrix.T).reshape(-1, 4, outputs) + self.bias
            fresh, candidates, keep, show = (
                function(gates[:, gate]) for gate, function
                in enumerate((_sigmoid, np.tanh, _sigmoid, _sigmoid)))
            before, cell = cell, keep * cell + fresh * candidates
            active = np.tanh(cell)
            h = show * active
            self.steps.append((joined, fresh, candidates, keep, show, before, cell, active))
        return h[:, :, np.newaxis, np.newaxis]

    def backward(self, gradient):
        """Input gradient from the output gradient."""
        _, outputs, columns = self.weights.shape
        by_h, by_cell, by_rows = gradient[:, :, 0, 0], 0, []
        by_weights, by_bias = np.zeros_like(self.weights), np.zeros_like(self.bias)
        for joined, fresh, candidates, keep, show, before, _, active in reversed(self.steps):
            by_cell = by_cell + by_h * show * (1 - active ** 2)
            by_gates = np.stack([by_cell * candidates * fresh * (1 - fresh),
                                 by_cell * fresh * (1 - candidates ** 2),
                                 by_cell * before * keep * (1 - keep),
                                 by_h * active * show * (1 - show)], axis=1)
            flat = by_gates.reshape(len(joined), -1)
            by_weights += (flat.T @ joined).reshape(by_weights.shape)
            by_bias += by_gates.sum(axis=0)
            by_joined = flat @ self.weights.reshape(-1, columns)
            by_rows.insert(0, by_joined[:, :columns - outputs])
            by_h, by_cell = by_joined[:, columns - outputs:], by_cell * keep
        self.gradients = by_weights, by_bias
        return np.stack(by_rows, axis=1)[:, np.newaxis]

    def golden(self, x, weight_bits):
        """Golden layer for Tensors like ``x``; its cell state format fits the range of the last
        ``forward``.
        """
        weights = quantise(self.weights, bits=weight_bits)
        bias    = quantise(self.bias, bits=weight_bits, limit=x.frac_bits + weights.frac_bits)
        states  = np.array([step[-2] for step in self.steps])
        h, cell = (Tensor(np.zeros(self.weights.shape[1], x.data.dtype), frac_bits)
                   for frac_bits in (x.bits - 1, choose_frac_bits(states, bits=x.bits)))
        return LstmCell(weights, bias, h, cell, x.bits - 1, RnnMode.BATCH_TO_LAST, Act.TANH)
