# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x tensor moves: slices and permutations."""

from xymac.golden.mli1 import Concat, Layout, Padding2d, Permute, Subtensor
from xymac.host.ir.move import Box, Join, Padding, Permutation

__all__ = ["BOXES", "JOINS", "PADDINGS", "PERMUTATIONS"]


def box_of(layer, x):
    """The ``Box`` with an index range along a dimension, and a single index of each earlier
    dimension.
    """
    front, behind = layer.start[:-1], x.shape[len(layer.start):]
    return Box((*layer.start, *(0 for _ in behind)), (1,) * len(x.shape),
               (*(1 for _ in front), layer.first_out_dim_size, *behind), tuple(range(len(front))))


def padding_of(layer, x):
    """The ``Padding`` that puts zeros around an image."""
    return Padding(tuple(layer.widths), 0, 1 if layer.layout is Layout.CHW else 0)


BOXES        = {Subtensor: box_of}
PERMUTATIONS = {Permute: lambda layer, x: Permutation(layer.order)}
PADDINGS     = {Padding2d: padding_of}
JOINS        = {Concat: lambda layer, *x: Join(layer.axis % len(x[0].shape))}
