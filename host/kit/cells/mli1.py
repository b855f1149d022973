# SPDX-License-Identifier: Apache-2.0
"""Cells of embARC MLI 1.x: a single sum goes over the input and the previous output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from xymac.golden.fixed import container
from xymac.golden.mli1 import BasicRnnCell, LstmCell, Tensor
from xymac.hdl.isa import ACC_BITS
from xymac.host.kit.libraries.mli1 import ROUNDINGS
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.rounding import Limit
from xymac.host.kit.rule import Rule, When

from .products import finish, gather, without_bias

__all__ = ["CELLS"]


class _Ruled:
    """Golden's methods under ``rule``."""

    rule: Rule

    def narrowings(self: Any, x: Tensor) -> list[Narrowing]:
        """The library's, of the only kind of sum."""
        return [Narrowing(ROUNDINGS[self.rounding], x.bits, acc_bits=ACC_BITS, input_bits=x.bits,
                          weight_bits=self.weights.bits)]

    def begin(self: Any, x: Tensor, frames: np.ndarray, weights: np.ndarray,
              bias: np.ndarray) -> np.ndarray:
        """See ``Cell``; a sum that saturates once, at the end, goes on without a limit."""
        rule = self.rule
        if rule.acc_limit not in (None, Limit.WRAP) and rule.when is not When.STEP:
            rule = replace(rule, acc_bits=None, acc_limit=None)
        sums = gather(self.narrowings(x)[0], frames, weights.astype(np.int64), bias)
        return finish(rule, sums, (len(frames), len(weights)), shifts=False)

    def complete(self: Any, x: Tensor, sums: np.ndarray, weights: np.ndarray,
                 h: np.ndarray) -> tuple[np.ndarray, bool]:
        """See ``Cell``."""
        low, high = container(x.bits)
        whole = gather(self.narrowings(x)[0], h[np.newaxis], weights.astype(np.int64), sums,
                       shift=self.gate_shift(x), low=low, high=high)
        return finish(without_bias(self.rule), whole, sums.shape), False


CELLS = dict.fromkeys((LstmCell, BasicRnnCell), _Ruled)
