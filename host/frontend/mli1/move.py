# SPDX-License-Identifier: Apache-2.0
"""Tensors of MLI 1.x moved: parts of them, and permutations."""

from xymac.golden.mli1 import Permute, Subtensor
from xymac.host.ir.move import Box, Permutation

__all__ = ["BOXES", "PERMUTATIONS"]


def box_of(layer, x):
    """The ``Box`` of some indices of a dimension, a single index of each in front of that."""
    front, behind = layer.start[:-1], x.shape[len(layer.start):]
    return Box((*layer.start, *(0 for _ in behind)), (1,) * len(x.shape),
               (*(1 for _ in front), layer.first_out_dim_size, *behind), tuple(range(len(front))))


BOXES        = {Subtensor: box_of}
PERMUTATIONS = {Permute: lambda layer, x: Permutation(layer.order)}
