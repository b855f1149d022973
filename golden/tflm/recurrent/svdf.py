# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's SVDF operator: filters with memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.checks import check_ints, check_rank
from xymac.golden.fixed import in_range, matmul, saturate, wrap
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.recurrent import svdf_multipliers
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import (
    check_factors,
    check_out,
    check_scaled,
    check_types,
    check_whole,
)
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import store
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["Svdf"]


@dataclass(frozen=True)
class Svdf(TensorLayer):
    """SVDF: feature products, and time-weighted sums over the latest feature products; INT8.

    The state persists between calls: ``following`` returns the next call's layer. The
    operator's fused activation has no effect.
    Source: tensorflow/lite/micro/kernels/svdf_common.cc, ``EvalIntegerSvdfReference``.

    Parameters
    ----------
    weights_feature : Tensor, INT8, shape (filters, inputs); its zero point is ignored
    weights_time : Tensor, INT8 or INT16, shape (filters, memory); its zero point is ignored
    bias : Tensor, INT32, shape (units,), scale state * weights_time
    state : Tensor with the type of weights_time, shape (batches, filters * memory)
    rank : int, filters per unit
    """

    weights_feature: Tensor
    weights_time:    Tensor
    bias:            Tensor
    state:           Tensor
    out:             Quantisation
    rank:            int = 1

    work_unit = WorkUnit.PRODUCTS

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, int]:
        """Output shape for the input shape ``x_shape``."""
        return x_shape[0], self.bias.shape[0]

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Products with features and in time."""
        return x_shape[0] * (self.weights_feature.data.size + self.weights_time.data.size)

    def data_type(self, x: Tensor) -> str:
        """Input, weight and bias types as the schema spells them."""
        tensors = (x, self.weights_feature, self.weights_time, self.bias)
        return "_".join(tensor.type_name for tensor in tensors)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        check_rank("Input", x, 2)
        self._check_weights(x)
        memory = self.weights_time.shape[0] * self.weights_time.shape[1]
        check_types("state", self.state, self.weights_time.type_name)
        check_whole("state", self.state)
        if self.state.shape != (x.shape[0], memory):
            raise ValueError(f"state must have shape {(x.shape[0], memory)}, "
                             f"not {self.state.shape}")
        if not self.state.scaling.scale:
            raise ValueError("Scale of state must be more than 0, not 0.0")
        check_out(self.out, np.int8)
        check_factors(self.factors(x), EXPONENT_MAX)

    def _check_weights(self, x):
        check_types("weights_feature", self.weights_feature, "INT8")
        check_types("weights_time", self.weights_time, "INT8", "INT16")
        check_types("bias", self.bias, "INT32")
        check_ints("rank", (self.rank,), 1)
        for name in ("weights_feature", "weights_time"):
            check_rank(name, getattr(self, name), 2)
            check_whole(name, getattr(self, name))
        filters = self.weights_feature.shape[0]
        if self.weights_feature.shape[1] != x.shape[1]:
            raise ValueError(f"weights_feature has {self.weights_feature.shape[1]} inputs, input "
                             f"has {x.shape[1]}")
        if self.weights_time.shape[0] != filters:
            raise ValueError(f"weights_feature has {filters} filters, weights_time has "
                             f"{self.weights_time.shape[0]}")
        if self.rank < 1 or filters % self.rank:
            raise ValueError(f"rank must divide the {filters} filters, not be {self.rank}")
        if self.bias.shape != (filters // self.rank,):
            raise ValueError(f"bias must have shape {(filters // self.rank,)}, "
                             f"not {self.bias.shape}")

    def factors(self, x: Tensor) -> tuple[tuple[int, int], tuple[int, int]]:
        """Multiplier and exponent to the state and to the output, two pairs."""
        return svdf_multipliers(
            x.scaling.scale, self.weights_feature.scaling.scale, self.state.scaling.scale,
            self.weights_time.scaling.scale, self.out.scale)

    def following(self, result: Result) -> Svdf:
        """The next call's layer, with the state in ``result``, this call's Result."""
        return replace(self, state=result.cell)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; its ``cell`` is the new state."""
        batches = x.shape[0]
        new, fits = self.features(x)
        kept   = self.state.data.astype(np.int64).reshape(batches, *self.weights_time.shape)
        kept   = np.concatenate([kept[..., 1:], new[..., None]], axis=2)
        state  = replace(self.state, data=kept.reshape(batches, -1).astype(self.state.data.dtype))
        output, all_fit = self.timed(x, kept - self.state.scaling.zero_point)
        return Result(output, not (fits and all_fit), state)

    def features(self, x: Tensor) -> tuple[np.ndarray, bool]:
        """New state elements, int64 (batches, filters), and whether all sums fit 32 bits."""
        bits = self.state.bits
        sums = matmul(x.centred, self.weights_feature.data.astype(np.int64).T)
        new  = saturate(multiply_quantized(wrap(sums, 32), *self.factors(x)[0]), bits)
        # The library adds the zero point after it has limited the sum: an INT8 state wraps.
        return wrap(new + self.state.scaling.zero_point, bits), in_range(sums, 32)

    def timed(self, x: Tensor, kept: np.ndarray) -> tuple[Tensor, bool]:
        """Output on states ``kept``, int64 (batches, filters, memory) without the zero point, and
        whether all sums fit 32 bits.
        """
        products = kept * self.weights_time.data.astype(np.int64)
        total    = products.reshape(len(kept), self.bias.shape[0], -1).sum(axis=2) + self.bias.data
        values   = multiply_quantized(wrap(total, 32), *self.factors(x)[1])
        return store(x, values, self.out, Activation.NONE), in_range(total, 32)
