# SPDX-License-Identifier: Apache-2.0
"""From a case to its Sums, library by library."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from . import accumulate, eltwise, mli1, mli2, pools, tflm, units, xs3

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.sums import Sums

__all__ = ["has_sums", "sums_of"]

_LAYERS = (accumulate.LAYERS | eltwise.LAYERS | mli1.LAYERS | mli2.LAYERS | pools.LAYERS
           | tflm.LAYERS | units.LAYERS | xs3.LAYERS)


def has_sums(case: Case) -> bool:
    """Whether a Case has a model.

    Models exist for sums, requantisers, convolutions, fully connected layers, window means, and
    sums, differences and products of two tensors.
    """
    return (type(case.layer) in _LAYERS
            and getattr(case.layer, "op", None) in {None, *eltwise.MODELLED})


def sums_of(case: Case, places: np.ndarray) -> Sums:
    """A Case's Sums for the outputs numbered ``places``, an int array; ValueError if it has none.
    """
    if not has_sums(case):
        raise ValueError(f"There is no model of {case.operation} of {case.dialect}, "
                         f"case {case.name}")
    sums = _LAYERS[type(case.layer)](case.layer, case.inputs, np.asarray(places))
    base = case.offset or case.base
    return replace(sums, narrowing=replace(sums.narrowing, base=base)) if base else sums
