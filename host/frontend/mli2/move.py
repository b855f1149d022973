# SPDX-License-Identifier: Apache-2.0
"""Tensors of MLI 2.0 permuted."""

from xymac.golden.mli2 import Permute
from xymac.host.ir.move import Permutation

__all__ = ["PERMUTATIONS"]

PERMUTATIONS = {Permute: lambda layer, x: Permutation(layer.order)}
