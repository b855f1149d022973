# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x recurrent cells."""

import numpy as np

from xymac.golden.mli1 import Act, BasicRnnCell, LstmCell, RnnMode
from xymac.hdl.isa import TABLES, AccumulatorRange, RoundMode, Table
from xymac.host.ir.recurrent.cells import FixedCell, FixedLstm

from .elementwise import table_fields
from .linear import align_bias

__all__ = ["BASIC", "LSTM"]

_TABLE_OF = {Act.SIGM: Table.SIGM, Act.TANH: Table.TANH}  #: Table of an activation.
_GATES    = Table.SIGM, Table.TANH, Table.SIGM, Table.SIGM


def basic_of(layer, x):
    """The ``FixedCell`` for a basic cell on a Tensor like ``x``."""
    tables = () if layer.act is Act.NONE else (_TABLE_OF[layer.act],)
    return FixedCell(**_fields(layer, x, tables))


def lstm_of(layer, x):
    """The ``FixedLstm`` for an LSTM cell on a Tensor like ``x``."""
    unit, cell, plain = x.bits - 1, layer.cell.frac_bits, layer.act is Act.NONE
    return FixedLstm(
        **_fields(layer, x, _GATES), cell=layer.cell.data.astype(np.int64), unit=unit,
        cell_shift=unit - cell, out_shift=unit + (cell - layer.out_frac_bits) * plain,
        active=None if plain else table_fields(_TABLE_OF[layer.act], cell, layer.rounding))


def _fields(layer, x, tables):
    exact = layer.acc_range(x) is AccumulatorRange.BITS40
    dense = layer.dense_frac_bits(x)
    shift = x.frac_bits + layer.weights.frac_bits - layer.bias.frac_bits
    return {
        "weights": layer.weights.data.reshape(-1, layer.weights.shape[-1]),
        "bias": align_bias(layer.bias, shift).reshape(-1),
        "state": layer.h.data.astype(np.int64), "acc_range": layer.acc_range(x),
        "has_steps": layer.mode is not RnnMode.ONE_TO_ONE,
        "every": layer.mode is RnnMode.BATCH_TO_BATCH, "rounding": layer.rounding,
        "align": (x.frac_bits - layer.h.frac_bits,
                  RoundMode.FLOOR if exact else layer.rounding),
        "shift": layer.h.frac_bits + layer.weights.frac_bits - dense,
        "looks": tuple({"table": table, "table_shift": dense - TABLES[table].frac_bits,
                        "table_rounding": layer.rounding} for table in tables)}


BASIC = {BasicRnnCell: basic_of}
LSTM  = {LstmCell: lstm_of}
