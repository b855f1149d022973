# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x tensors under their documented names."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

__all__ = ["mli_asym_params", "mli_element_params", "mli_element_type", "mli_fx_params",
           "mli_tensor"]

_UNSET: Any = None  #: Default of a field that ``__post_init__`` fills.


class mli_element_type(IntEnum):
    """Tensor element type; MLI 1.1 adds the last two, and pooling accepts ASYM_I8."""

    MLI_EL_FX_8     = 0
    MLI_EL_FX_16    = 1
    MLI_EL_ASYM_I8  = 2
    MLI_EL_ASYM_I32 = 3


@dataclass
class mli_fx_params:
    """Fixed-point element parameters: fractional bits, 0 .. 255."""

    frac_bits: int = 0


@dataclass
class mli_asym_params:
    """Asymmetric element parameters, MLI 1.1 only; no function here computes with them."""

    zero_point:      int = 0
    scale:           int = 1
    dim:             int = -1
    scale_frac_bits: int = 0


@dataclass
class mli_element_params:
    """Element parameters: fixed point, or asymmetric."""

    fx:   mli_fx_params = field(default_factory=mli_fx_params)
    asym: mli_asym_params | None = None


@dataclass(eq=False)
class mli_tensor:
    """Memory with its content's shape and format.

    Parameters
    ----------
    data : contiguous numpy array, the memory; its own shape and dtype do not matter; for a rank-0
        scalar the value itself
    capacity : int, bytes; ``data`` size by default
    shape : ints, slowest dimension first; ``data`` shape by default
    rank : int, used dimensions in ``shape``; all by default
    el_type : mli_element_type; from the ``data`` dtype by default
    el_params : mli_element_params
    """

    data:      np.ndarray | None = None
    capacity:  int = _UNSET
    shape:     tuple[int, ...] = _UNSET
    rank:      int = _UNSET
    el_type:   mli_element_type = _UNSET
    el_params: mli_element_params = field(default_factory=mli_element_params)

    def __post_init__(self) -> None:
        array = self.data if isinstance(self.data, np.ndarray) else None
        if self.capacity is None:
            self.capacity = 0 if array is None else array.nbytes
        if self.shape is None:
            self.shape = () if array is None else array.shape
        if self.rank is None:
            self.rank = len(self.shape)
        if self.el_type is None:
            self.el_type = (mli_element_type.MLI_EL_FX_8 if array is None or array.itemsize == 1
                            else mli_element_type.MLI_EL_FX_16)
