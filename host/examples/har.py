"""The example of embARC MLI that tells activities from the sensors of a smartphone.

Its data file ``example_har_smartphone.npz`` holds quantised constants in 8 and 16 bits, 30
sequences with labels, and what the layers give for one of them in floating point.
Source: embARC MLI 1.1, examples/example_har_smartphone, har_smartphone_constants.h,
har_smartphone_model.c.
"""

from pathlib import Path

import numpy as np

from golden.mli1 import Act, Conv2d, FullyConnected, Layout, LstmCell, Relu, RnnMode, Tensor
from host.network.file import load_arrays
from host.network.network import Images, Network

from .constants import DTYPES, TYPES, constants

__all__ = ["REFERENCE_SEQUENCE", "har", "har_references", "har_sequences"]

REFERENCE_SEQUENCE = 3  #: Number of the sequence that the references belong to.

_STEPS, _INPUTS, _STATE, _OUTPUTS = 128, 9, 32, 6


def har(folder, kind):
    """Network that classifies sequences (128, 1, 9); ``kind`` is a key of ``TYPES``.

    The first layer, a matrix for every time step, is a convolution of 1 by 1 with its ReLU. The
    example builds its second cell of smaller kernels, which round more often than LstmCell.
    ValueError if ``folder`` does not hold the data file.
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
    return Network(f"har_{kind}", (_STEPS, 1, _INPUTS), DTYPES[bits], bits - 3,
                   tuple(layers.values()), names=tuple(layers))


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
    """Output of the layers for sequence ``REFERENCE_SEQUENCE``: a dict of float arrays."""
    prefix = "idx_ir_idx_300_ir_"
    return {name.removeprefix(prefix): array for name, array in _arrays(folder).items()
            if name.startswith(prefix)}


def _arrays(folder):
    return load_arrays(Path(folder) / "example_har_smartphone.npz")
