# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite recurrent operators."""

import numpy as np

from xymac.golden.parameters.tflm.function_tables import SIGMOIDS
from xymac.golden.parameters.tflm.recurrent import (
    cell_clip_limit,
    cell_multipliers,
    cell_table_argument,
)
from xymac.golden.tflm import Svdf, UnidirectionalSequenceLstm
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.recurrent.sequence import Filters, SequenceLstm
from xymac.host.ir.sums import check_largest

__all__ = ["FILTERS", "SEQUENCES", "SIZES"]

SIZES    = tuple(half - (1 << 15) for half in SIGMOIDS)  #: Sigmoids minus a half.
_WORD    = (1 << 31) - 1
_PRODUCT = ((1 << 15) - 1) << 15  #: Largest magnitude of a sigmoid times an element.


def sequence_of(layer, x):
    """The ``SequenceLstm`` for a Tensor like ``x``.

    Refusal if a factor shifts gate products beyond 32 bits.
    """
    scale    = layer.cell.quantisation.scale
    products = cell_multipliers(scale, layer.state.quantisation.scale)
    for _, exponent in products:
        check_largest(_PRODUCT, _WORD >> max(exponent, 0))
    weights = [np.stack([each.centred for each in gates])
               for gates in (layer.weights_in, layer.weights_out)]
    factors = zip(*(layer.factors(x, gate) for gate in range(len(layer.biases))), strict=True)
    return SequenceLstm(
        tuple(weights), np.stack([bias.data.astype(np.int64) for bias in layer.biases]),
        tuple(factors), (x.quantisation.zero_point, layer.state.quantisation.zero_point),
        (layer.state, layer.cell), products, cell_clip_limit(layer.cell_clip, scale),
        cell_table_argument(scale), SIZES, layer.time_major)


def filters_of(layer, x):
    """The ``Filters`` for a Tensor like ``x``; Refusal for a zero point of 16-bit states."""
    zero = layer.state.quantisation.zero_point
    if layer.state.bits == 16 and zero:
        raise Refusal(RefusalKind.VALUE, f"A state of INT16 must have zero point 0, not {zero}")
    return Filters(layer.weights_feature.data, layer.weights_time.data,
                   layer.bias.data.astype(np.int64), layer.rank, (layer.state,), layer.factors(x),
                   (x.quantisation.zero_point, zero, layer.out.zero_point))


SEQUENCES = {UnidirectionalSequenceLstm: sequence_of}
FILTERS   = {Svdf: filters_of}
