# SPDX-License-Identifier: Apache-2.0
"""Cells of embARC MLI 2.0: sums over input and state are rounded, then added."""

from __future__ import annotations

from typing import Any

import numpy as np

from xymac.golden.fixed import container
from xymac.golden.formats import Format, as_fixed
from xymac.golden.mli2 import Affine, Build, GruCell, LstmCell, QuantTensor
from xymac.golden.parameters.mli2.linear import align_bias, output_scaling
from xymac.host.kit.libraries.mli1 import ROUNDINGS
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.rounding import Limit
from xymac.host.kit.rule import Rule, When

from .products import finish, gather

__all__ = ["CELLS"]

_SHIFT_MAX = 63  #: Largest library shift of a 64-bit product.


class _Ruled:
    """Golden's methods under ``rule``."""

    rule: Rule

    def narrowings(self: Any, x: QuantTensor) -> list[Narrowing]:
        """The library's, of the only kind of sum."""
        wide   = self.weights_in.bits == 16
        common = {"out_bits": 64 if wide else 32, "last_bits": 64 if x.is_affine or wide else 32,
                  "input_bits": x.bits, "weight_bits": self.weights_in.bits}
        common |= {"acc_bits": 64} if wide else {"when": When.BIAS, "acc_limit": Limit.SATURATE}
        common |= {"multiplier_bits": 32} if x.is_affine else {}
        return [Narrowing(ROUNDINGS[self.build.rounding], **common)]

    def part(self: Any, x: QuantTensor, weights: QuantTensor, bias: QuantTensor, out: Format,
             build: Build) -> tuple[np.ndarray, bool]:
        """See ``dense_part``."""
        [narrowing] = self.narrowings(x)
        columns: dict[str, Any] = dict(zip(("low", "high"), container(narrowing.out_bits),
                                           strict=True))
        if isinstance(out, Affine):
            scaling  = output_scaling(x, weights, out, build)
            columns |= {"multiplier": scaling.multiplier,
                        "shift": np.minimum(scaling.shift, _SHIFT_MAX),
                        "input_zero": x.affine.zero_points[0]}
        else:
            columns["shift"] = (x.fixed.frac_bits + weights.fixed.frac_bits
                                - as_fixed(out).frac_bits)
        sums = gather(narrowing, x.centred.reshape(1, -1), weights.centred.T,
                      align_bias(x, weights, bias, build), **columns)
        return finish(self.rule, sums, (weights.shape[1],)), False


CELLS = dict.fromkeys((LstmCell, GruCell), _Ruled)
