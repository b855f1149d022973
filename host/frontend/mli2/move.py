# SPDX-License-Identifier: Apache-2.0
"""Tensors of MLI 2.0 moved."""

from xymac.golden.mli2 import Concat, Permute
from xymac.host.ir.move import Join, Permutation

__all__ = ["JOINS", "PERMUTATIONS"]

PERMUTATIONS = {Permute: lambda layer, x: Permutation(layer.order)}
JOINS        = {Concat: lambda layer, *x: Join(layer.axis % len(x[0].shape))}
