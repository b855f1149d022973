# SPDX-License-Identifier: Apache-2.0
"""Cells of TensorFlow Lite: the parts of an LSTM's gates, and both sums of an SVDF."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from xymac.golden.fixed import container
from xymac.golden.tflm import Svdf, Tensor, UnidirectionalSequenceLstm
from xymac.host.kit.libraries.tflm import scale_short
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.rule import Rule, Zero
from xymac.host.kit.sums import Sums

from .products import finish, gather

__all__ = ["CELLS"]

_GATE = 16  #: Width of a gate's part.


class _Lstm:
    """Golden's methods under ``rule``."""

    rule: Rule

    def narrowings(self: Any, x: Tensor | None) -> list[Narrowing]:
        """The library's, of the only kind of sum."""
        return [replace(scale_short(_GATE)[0], input_bits=8)]

    def part(self: Any, data: np.ndarray, weights: np.ndarray, bias: np.ndarray,
             factor: tuple[int, int], zero_point: int) -> tuple[np.ndarray, bool]:
        """See ``UnidirectionalSequenceLstm``."""
        low, high = container(_GATE)
        sums = gather(self.narrowings(None)[0], data, weights, bias,
                      **scale_short(_GATE)[1](*factor), input_zero=zero_point, low=low, high=high)
        return finish(self.rule, sums, (len(data), len(weights))), False


class _Svdf:
    """Golden's methods under ``rule``."""

    rule: Rule

    def narrowings(self: Any, x: Tensor) -> list[Narrowing]:
        """The library's, of the sums to the state and of the sums to the output."""
        bits = self.state.bits
        return [replace(scale_short(bits)[0], input_bits=8, zero=Zero.WRAPPED),
                replace(scale_short(8)[0], input_bits=bits, weight_bits=bits)]

    def features(self: Any, x: Tensor) -> tuple[np.ndarray, bool]:
        """See ``Svdf``."""
        low, high = container(self.state.bits)
        weights   = self.weights_feature.data.astype(np.int64)
        sums = gather(self.narrowings(x)[0], x.centred, weights, np.zeros(1, np.int64),
                      **scale_short(_GATE)[1](*self.factors(x)[0]), low=low, high=high,
                      zero=self.state.scaling.zero_point, input_zero=x.scaling.zero_point)
        return finish(self.rule, sums, (len(x.data), len(weights))), False

    def timed(self: Any, x: Tensor, kept: np.ndarray) -> tuple[Tensor, bool]:
        """See ``Svdf``."""
        shape     = len(kept), len(self.bias.data)
        low, high = container(8)
        weights   = np.broadcast_to(self.weights_time.data.astype(np.int64), kept.shape)
        kept, weights = (each.reshape(shape[0] * shape[1], -1).T for each in (kept, weights))
        sums = Sums.of(
            self.narrowings(x)[1], kept, weights,
            bias=np.tile(self.bias.data.astype(np.int64), shape[0]),
            **scale_short(8)[1](*self.factors(x)[1]), low=low, high=high,
            zero=self.out.zero_point, input_zero=self.state.scaling.zero_point)
        values = finish(self.rule, sums, shape)
        return Tensor(values.astype(x.data.dtype), self.out), False


CELLS = {UnidirectionalSequenceLstm: _Lstm, Svdf: _Svdf}
