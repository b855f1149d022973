# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 tensor moves."""

from xymac.golden.mli2 import ArgMax, Concat, Permute
from xymac.host.ir.move import Join, Permutation
from xymac.host.ir.places import Ranking

__all__ = ["JOINS", "PERMUTATIONS", "RANKINGS"]

PERMUTATIONS = {Permute: lambda layer, x: Permutation(layer.order)}
RANKINGS     = {ArgMax: lambda layer, x: Ranking(layer.topk,
                                                 None if layer.axis < 0 else layer.axis)}
JOINS        = {Concat: lambda layer, *x: Join(layer.axis % len(x[0].shape))}
