# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 configurations and tables under their documented names.

Source: the structures in embARC MLI 2.0, mli_types.h, and in each function's description.
Enumerations without documented values count from 0 in the documented order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from xymac.golden.api.types import (
    MLI_MAX_RANK,
    mli_permute_cfg,
    mli_point_to_subtsr_cfg,
    mli_pool_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_rnn_out_activation,
    mli_status,
)
from xymac.golden.api.types import mli_conv2d_cfg as _conv2d_cfg

from .types import mli_data_container, mli_el_param_type, mli_element_type

__all__ = [
    "ENUMERATIONS", "MLI_MAX_RANK", "MLI_RNN_MAX_INPUT", "mli_argmax_cfg", "mli_conv2d_cfg",
    "mli_fully_connected_cfg", "mli_l2_normalize_cfg", "mli_lut", "mli_permute_cfg",
    "mli_point_to_subtsr_cfg", "mli_pool_cfg", "mli_prelu_cfg", "mli_relu_cfg", "mli_relu_type",
    "mli_rnn_cell_cfg", "mli_rnn_dense_cfg", "mli_rnn_direction", "mli_rnn_out_activation",
    "mli_rnn_results", "mli_softmax_cfg", "mli_status", "mli_sub_tensor_cfg",
]

MLI_RNN_MAX_INPUT = 4  #: Source: embARC MLI 2.0, mli_config.h.


class mli_rnn_direction(IntEnum):
    """Order in which a recurrent cell processes the input frames."""

    RNN_DIR_FORWARD  = 0
    RNN_DIR_BACKWARD = 1


class mli_rnn_results(IntEnum):
    """Frames whose output a recurrent cell keeps."""

    RNN_OUT_LAST = 0
    RNN_OUT_ALL  = 1


ENUMERATIONS = (mli_status, mli_element_type, mli_el_param_type, mli_relu_type, mli_rnn_direction,
                mli_rnn_results, mli_rnn_out_activation)


@dataclass
class mli_conv2d_cfg(_conv2d_cfg):
    """Convolution configuration; transposed convolution ignores the dilation."""

    dilation_width:  int = 1
    dilation_height: int = 1


@dataclass
class mli_fully_connected_cfg:
    """Configuration for ``mli_krn_fully_connected``."""

    relu: mli_relu_cfg = field(default_factory=mli_relu_cfg)


@dataclass
class mli_rnn_dense_cfg:
    """Configuration for ``mli_krn_rnn_dense``: tensors in ``inputs``, and in ``weights``."""

    inputs_num: int = 1


@dataclass
class mli_rnn_cell_cfg:
    """Recurrent cell configuration; ``scratch_data`` is not changed.

    A GRU ignores ``act``.
    """

    direction:    mli_rnn_direction = mli_rnn_direction.RNN_DIR_FORWARD
    results:      mli_rnn_results = mli_rnn_results.RNN_OUT_LAST
    act:          mli_rnn_out_activation = mli_rnn_out_activation.RNN_ACT_TANH
    scratch_data: mli_data_container = field(default_factory=mli_data_container)


@dataclass
class mli_prelu_cfg:
    """Input dimension with individual slopes, negative for the whole tensor."""

    axis: int = -1


mli_softmax_cfg = mli_l2_normalize_cfg = mli_prelu_cfg


@dataclass
class mli_argmax_cfg:
    """Configuration for ``mli_krn_argmax``: ``topk`` indices per slice along ``axis``."""

    axis: int = -1
    topk: int = 1


@dataclass
class mli_sub_tensor_cfg:
    """Configuration for ``mli_hlp_create_subtensor``: first element and sizes in the input.

    Dimensions with size 1 are removed, starting with the first, until ``sub_tensor_rank``
    dimensions remain.
    """

    offset:          tuple[int, ...] = (0,) * MLI_MAX_RANK
    size:            tuple[int, ...] = (1,) * MLI_MAX_RANK
    sub_tensor_rank: int = MLI_MAX_RANK


@dataclass(eq=False)
class mli_lut:
    """Function table, filled by ``mli_krn_*_create_lut``.

    Parameters
    ----------
    data : mli_data_container; a contiguous numpy array becomes a container that points to it
    type : mli_element_type, entry type
    length : int, entry count
    in_frac_bits, out_frac_bits : int, fractional bits of the argument and of the entries
    input_offset : int, index for the argument 0
    output_offset : int, 0
    """

    data:          mli_data_container = field(default_factory=mli_data_container)
    type:          mli_element_type = mli_element_type.MLI_EL_FX_16
    length:        int = 0
    in_frac_bits:  int = 0
    out_frac_bits: int = 0
    input_offset:  int = 0
    output_offset: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.data, mli_data_container):
            self.data = mli_data_container(mem=self.data)
