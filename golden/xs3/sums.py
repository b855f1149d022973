# SPDX-License-Identifier: Apache-2.0
"""Accumulation in the XS3 unit: product blocks added in order, saturating after each addition."""

from __future__ import annotations

import numpy as np

from xymac.golden.fixed import matmul
from xymac.golden.parameters.xs3 import BLOCK

from .instructions import ACC_BITS, saturate

__all__ = ["accumulate", "block_sums", "blocks"]


def blocks(x: np.ndarray, front: bool = False) -> np.ndarray:
    """Split the last axis into 32-element blocks: shape (..., n, 32).

    Zeros fill the last block, or with ``front`` the first.
    """
    fill = -x.shape[-1] % BLOCK
    ends = [(0, 0)] * (x.ndim - 1) + [(fill, 0) if front else (0, fill)]
    return np.pad(x, ends).reshape(*x.shape[:-1], -1, BLOCK)


def block_sums(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Exact sum over every block.

    Parameters
    ----------
    x : shape (pixels, n, 32)
    weights : shape (outputs, n, 32)

    Returns int64, shape (n, pixels, outputs): at most 2**19 each, as factors have 8 bits.
    """
    return matmul(x.transpose(1, 0, 2), weights.transpose(1, 2, 0))


def accumulate(bias: int | np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Add the slices ``sums[0]``, ``sums[1]``, ... to ``bias`` in order, saturating after each
    addition.

    The order matters, because saturation loses the excess. A bias of -2**31 is kept.
    """
    acc = np.broadcast_to(bias, sums.shape[1:]).astype(np.int64)
    for block in sums:
        acc = saturate(acc + block, ACC_BITS)
    return acc
