# SPDX-License-Identifier: Apache-2.0
"""Conditions on the recurrent cells.

Source: MLI 1.0 and 1.1, each function's "Conditions for Applying the Function". If a call breaks
several conditions, the first in the library's checking order counts.
"""

from xymac.golden.api.rules import (
    CFG,
    INCOMPATIBLE,
    SHAPE,
    TYPE,
    Condition,
    Scope,
    configured,
    member,
    rank,
    same,
)
from xymac.golden.api.types import dims, elements, mli_rnn_out_activation

from .configs import mli_rnn_cell_cfg, mli_rnn_mode
from .linear import BIAS
from .status import apart, buffer, bytes_of, enough, typed, valid

__all__ = ["BASIC_RNN", "LSTM"]


def _frame(call):
    """Input elements per recurrent cell frame."""
    one = call.cfg.mode == mli_rnn_mode.RNN_ONE_TO_ONE
    return elements(call.in_) if one else elements(call.in_) // call.in_.shape[0]


def _is_stacked(call):
    return call.cfg.mode == mli_rnn_mode.RNN_ONE_TO_ONE and call.weights.rank == 3


def _is_last(call):
    return call.cfg.mode == mli_rnn_mode.RNN_BATCH_TO_LAST


def _dense_shape(call):
    """Actual weight and bias shapes, and the shapes that the other tensors require."""
    m = elements(call.prev_out)
    stack = ((4,) if hasattr(call, "cell") else
             call.weights.shape[:1] if _is_stacked(call) else ())
    return ((dims(call.weights), dims(call.bias)),
            ((*stack, m, _frame(call) + m), (*stack, m)))


def _cell_pairs(call):
    """Recurrent cell tensor pairs that must not share memory."""
    used  = [name for name in ("in_", "prev_out", "weights", "bias", "cell") if hasattr(call, name)]
    lstm  = hasattr(call, "cell")
    if lstm or _is_last(call):
        used.append("cfg.ir_tsr")
    share = lstm or _is_last(call)
    return [(first, second) for first in ("out", "cfg.ir_tsr", "cell") if first in ("out", *used)
            for second in used if first != second
            and not (share and (first, second) == ("out", "prev_out"))]


_ACTIVATED = Condition(
    INCOMPATIBLE, "Without activation out must have the fractional bits of prev_out",
    lambda call: (call.cfg.act, call.out_frac_bits, call.prev_out.el_params.fx.frac_bits),
    lambda held: held[0] != mli_rnn_out_activation.RNN_ACT_NONE or held[1] == held[2],
    Scope.DOCUMENTS)
_SEQUENCE = Condition(
    INCOMPATIBLE, "In a sequence prev_out must have the fractional bits of the output",
    lambda call: (call.cfg.mode, call.result_frac_bits, call.prev_out.el_params.fx.frac_bits),
    lambda held: held[0] == mli_rnn_mode.RNN_ONE_TO_ONE or held[1] == held[2], Scope.DOCUMENTS)
_CELL_BEGIN = (
    configured(mli_rnn_cell_cfg), member(mli_rnn_mode, "mode", lambda call: call.cfg.mode),
    member(mli_rnn_out_activation, "act", lambda call: call.cfg.act),
    Condition(CFG, "A sequence must have at least 2 dimensions",
              lambda call: (call.cfg.mode, call.in_.rank),
              lambda held: held[0] == mli_rnn_mode.RNN_ONE_TO_ONE or held[1] >= 2, Scope.MODES),
)
_CELL_END = (
    Condition(SHAPE, "Weights and bias must have the shapes that the cell wants", _dense_shape,
              same),
    rank("prev_out", 1, Scope.MODES),
    Condition(TYPE, "Weights and bias must have one element type",
              lambda call: (call.weights.el_type, call.bias.el_type), same),
    Condition(TYPE, "Input, prev_out and cell must have one element type",
              lambda call: [getattr(call, name).el_type for name in ("in_", "prev_out", "cell")
                            if hasattr(call, name)], same),
    BIAS, typed("in_", "prev_out", "cell"), _ACTIVATED, _SEQUENCE,
)


def _only(test, condition):
    """Condition that applies only to calls for which ``test`` is true."""
    return Condition(
        condition.status, condition.text,
        lambda call: (not test(call), None if not test(call) else condition.value(call)),
        lambda pair: pair[0] or condition.ok(pair[1]))


LSTM = (
    *valid("in_", "prev_out", "weights", "bias", "cell"), buffer("cell"), buffer(), *_CELL_BEGIN,
    buffer("cfg.ir_tsr", CFG), *_CELL_END, rank("cell", 1, Scope.MODES),
    Condition(SHAPE, "cell and prev_out must have one shape",
              lambda call: (dims(call.cell), dims(call.prev_out)), same, Scope.MODES),
    Condition(SHAPE, "cell and prev_out must have the same number of elements",
              lambda call: (elements(call.cell), elements(call.prev_out)), same),
    enough("cfg.ir_tsr", lambda call: bytes_of(call, 4, *dims(call.prev_out))),
    apart(pairs=_cell_pairs), enough())
BASIC_RNN = (
    *valid("in_", "prev_out", "weights", "bias"), buffer(), *_CELL_BEGIN,
    _only(_is_last, buffer("cfg.ir_tsr", CFG)), *_CELL_END,
    _only(_is_last, enough("cfg.ir_tsr", lambda call: bytes_of(call, *dims(call.prev_out)))),
    apart(pairs=_cell_pairs), enough())
