# SPDX-License-Identifier: Apache-2.0
"""Recurrent operator factors: LSTM gates, cell and output, and SVDF."""

from __future__ import annotations

from math import floor, log2

import numpy as np

from .multiplier import quantize_multiplier

__all__ = ["cell_clip_limit", "cell_multipliers", "cell_table_argument", "gate_multiplier",
           "svdf_multipliers"]

_GATE = 2.0 ** -12  #: Step of a gate argument.
_UNIT = 2.0 ** -15  #: Step of a gate value.


def gate_multiplier(x_scale: float, weight_scale: float) -> tuple[int, int]:
    """``quantize_multiplier`` from a sum of products to a gate argument, Q3.12.

    Source: tensorflow/lite/micro/kernels/lstm_eval_common.cc, ``CreateGateParams``.
    """
    return quantize_multiplier(x_scale * weight_scale / _GATE)


def cell_multipliers(cell_scale: float,
                     out_scale: float) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Factors for three products: cell * forget gate, new values * input gate, tangent * output
    gate.

    Three pairs from ``quantize_multiplier``; the first pair is constant.
    Source: tensorflow/lite/micro/kernels/lstm_eval_common.cc, ``CreateInterGateParams``.
    """
    return (quantize_multiplier(_UNIT), quantize_multiplier(_UNIT * _UNIT / cell_scale),
            quantize_multiplier(_UNIT * _UNIT / out_scale))


def cell_table_argument(cell_scale: float) -> tuple[int, ...]:
    """``(factor, right shift)`` from cell elements to steps in the tangent table.

    The result depends only on the power of two nearest to the cell scale.
    Source: tensorflow/lite/micro/kernels/lstm_eval_common.cc, ``CreateLstmCellStateInfo``.
    """
    left = 12 + floor(log2(cell_scale) + 0.5)
    return (3 << left, 0) if left >= 0 else (3, -left)


def cell_clip_limit(clip: float, cell_scale: float) -> int | None:
    """Largest cell element for the real limit ``clip``, an int; None if ``clip`` is 0, for no
    limit.

    Source: tensorflow/lite/micro/kernels/lstm_eval_common.cc, ``CreateLstmCellStateInfo``.
    """
    if clip <= 0:
        return None
    return int(min(float(np.float32(clip)) / cell_scale, 32767.0))


def svdf_multipliers(x_scale: float, feature_scale: float, state_scale: float, time_scale: float,
                     out_scale: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """``quantize_multiplier`` from the input to the state, and from the state to the output.

    Source: tensorflow/lite/micro/kernels/svdf_common.cc, ``PrepareSvdf``.
    """
    return (quantize_multiplier(x_scale * feature_scale / state_scale),
            quantize_multiplier(state_scale * time_scale / out_scale))
