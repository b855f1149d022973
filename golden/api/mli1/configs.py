# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x configurations under their documented names."""

from dataclasses import dataclass
from enum import IntEnum

from xymac.golden.api.types import (
    MLI_MAX_RANK,
    mli_conv2d_cfg,
    mli_permute_cfg,
    mli_point_to_subtsr_cfg,
    mli_pool_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_rnn_out_activation,
    mli_status,
)

from .types import mli_element_type, mli_tensor

__all__ = [
    "ENUMERATIONS", "MLI_CONCAT_MAX_TENSORS", "MLI_MAX_RANK", "mli_avepool_cfg", "mli_concat_cfg",
    "mli_conv2d_cfg", "mli_lstm_cell_cfg", "mli_padding2d_cfg", "mli_permute_cfg",
    "mli_point_to_subtsr_cfg", "mli_pool_cfg", "mli_relu_cfg", "mli_relu_type",
    "mli_rnn_cell_cfg", "mli_rnn_mode", "mli_rnn_out_activation", "mli_status",
]

#: Default limit of tensors in a concatenation; library builds can change it.
MLI_CONCAT_MAX_TENSORS = 8


class mli_rnn_mode(IntEnum):
    """Frames that a recurrent cell reads and writes."""

    RNN_ONE_TO_ONE     = 0
    RNN_BATCH_TO_BATCH = 1
    RNN_BATCH_TO_LAST  = 2


ENUMERATIONS = (mli_status, mli_element_type, mli_relu_type, mli_rnn_mode, mli_rnn_out_activation)


@dataclass
class mli_rnn_cell_cfg:
    """Recurrent cell configuration; the content of ``ir_tsr`` after a call is unspecified.
    """

    mode:   mli_rnn_mode = mli_rnn_mode.RNN_ONE_TO_ONE
    act:    mli_rnn_out_activation = mli_rnn_out_activation.RNN_ACT_NONE
    ir_tsr: mli_tensor | None = None


@dataclass
class mli_concat_cfg:
    """Configuration for ``mli_krn_concat``."""

    tensors_num: int = 1
    axis:        int = 0


@dataclass
class mli_padding2d_cfg:
    """Configuration for ``mli_krn_padding2d``."""

    padding_left:   int = 0
    padding_right:  int = 0
    padding_top:    int = 0
    padding_bottom: int = 0


#: Alternative structure names in the documented prototypes.
mli_avepool_cfg, mli_lstm_cell_cfg = mli_pool_cfg, mli_rnn_cell_cfg
