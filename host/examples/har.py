# SPDX-License-Identifier: Apache-2.0
"""The embARC MLI example classifying activities from smartphone sensors.

Its data file ``example_har_smartphone.npz`` holds quantised constants in 8 and 16 bits, 30 labelled
sequences, and floating-point layer outputs for a single sequence. Source: embARC MLI 1.1,
examples/example_har_smartphone, har_smartphone_constants.h, har_smartphone_model.c.
"""

from pathlib import Path

import numpy as np

from xymac.golden.mli1 import (
    Act,
    BasicRnnCell,
    Conv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    Layout,
    LstmCell,
    Relu,
    RnnMode,
    Sigmoid,
    Tanh,
    Tensor,
)
from xymac.host.files.arrays import load_arrays
from xymac.host.network.network import Images, join_layers

from .constants import DTYPES, TYPES, constants

__all__ = ["REFERENCE_SEQUENCE", "har", "har_references", "har_scores", "har_sequences",
           "separate_cell"]

REFERENCE_SEQUENCE = 3  #: Sequence number of the references.

_STEPS, _INPUTS, _STATE, _OUTPUTS = 128, 9, 32, 6


def har(folder, kind):
    """Network classifying sequences (128, 1, 9); ``kind`` is a key of ``TYPES``.

    The first layer, a matrix for every time step, is a 1x1 convolution with its ReLU. The example
    builds its second cell from smaller kernels, which round more often than LstmCell: see
    ``har_scores``.
    ValueError if ``folder`` does not contain the data file.
    """
    arrays, (bits, weight_bits) = _arrays(folder), TYPES[kind]

    def read(key, shape, rank, integer_bits):
        return constants(arrays, key, shape, shape[:rank], weight_bits, integer_bits)

    def cell(key, integer_bits, mode):
        h, state = (Tensor(np.zeros(_STATE, DTYPES[bits]), bits - 1 - before)
                    for before in (0, integer_bits))
        return LstmCell(*read(key, (4, _STATE, 2 * _STATE), 2, (0, 1)), h, state, bits - 1, mode,
                        Act.TANH)

    layers = {
        "relu1": Conv2d(*read("L1_fc", (_STATE, 1, 1, _INPUTS), 1, (1, 1)), bits - 4,
                        relu=Relu.GEN, layout=Layout.HWC),
        "lstm2": cell("L2_lstm", 4, RnnMode.BATCH_TO_BATCH),
        "lstm3": cell("L3_lstm", 3, RnnMode.BATCH_TO_LAST),
        "fc4":   FullyConnected(*read("L4_fc", (_OUTPUTS, _STATE), 1, (0, -2)), bits - 4)}
    x = Tensor.zeros((_STEPS, 1, _INPUTS), bits, bits - 3)
    return join_layers(f"har_{kind}", x, tuple(layers.values()), names=tuple(layers))


def har_scores(network, sequence, apply):
    """Scores of a sequence (128, 1, 9) as in the example, whose second cell has a kernel per
    operation.

    Parameters
    ----------
    network : Network from ``har``
    sequence : input array
    apply : function from a golden layer and Tensors to the layer's output Tensor

    Returns a Tensor of 6 scores.
    """
    relu1, lstm2, lstm3, fc4 = network.layers
    x = apply(lstm2, apply(relu1, network.tensor(sequence)))
    return apply(fc4, separate_cell(lstm3, x, apply))


def separate_cell(cell, x, apply):
    """Last output of an LstmCell over the steps of the Tensor ``x``, with a kernel per operation.

    ``apply`` is as in ``har_scores``. Every kernel rounds its result.
    Source: embARC MLI 1.1, examples/example_har_smartphone, har_smartphone_model.c.
    """
    frac_bits, h, state = x.bits - 1, cell.h, cell.cell
    gated    = (Sigmoid(), Tanh(), Sigmoid(), Sigmoid())
    to_state = Eltwise(EltwiseOp.MUL, state.frac_bits)
    for step in x.data:
        gates = apply(BasicRnnCell(cell.weights, cell.bias, h, x.bits - 4),
                      Tensor(step.copy(), x.frac_bits))
        fresh, candidates, keep, show = (
            apply(kernel, Tensor(gate.copy(), gates.frac_bits))
            for kernel, gate in zip(gated, gates.data, strict=True))
        state = apply(Eltwise(EltwiseOp.ADD), apply(to_state, keep, state),
                      apply(to_state, fresh, candidates))
        h = apply(Eltwise(EltwiseOp.MUL, frac_bits), apply(Tanh(), state), show)
    return h


def har_sequences(folder, kind):
    """Sequences (30, 128, 1, 9) for ``har(folder, kind)`` as Images, with labels.

    Values are rounded to the nearest, halves away from zero, and saturated.
    """
    arrays, bits = _arrays(folder), TYPES[kind][0]
    values = arrays["idx_small_test_base_tests"].astype(float)[:, :, np.newaxis] * 2.0 ** (bits - 3)
    limits = np.iinfo(DTYPES[bits])
    data   = np.clip(np.trunc(values + np.copysign(0.5, values)), limits.min, limits.max)
    return Images(data.astype(DTYPES[bits]),
                  arrays["idx_small_test_base_labels"].astype(np.uint8))


def har_references(folder):
    """Floating-point layer outputs for sequence ``REFERENCE_SEQUENCE``, a dict of arrays."""
    prefix = "idx_ir_idx_300_ir_"
    return {name.removeprefix(prefix): array for name, array in _arrays(folder).items()
            if name.startswith(prefix)}


def _arrays(folder):
    return load_arrays(Path(folder) / "example_har_smartphone.npz")
