# SPDX-License-Identifier: Apache-2.0
"""Base class for the TensorFlow Lite operators: the output quantisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.layer import LayerBase

from .tensor import Quantisation, Tensor

if TYPE_CHECKING:
    import numpy as np

__all__ = ["TensorLayer"]


class TensorLayer(LayerBase):
    """A layer with a field ``out``, its output Quantisation.

    The output elements have the first input's type.
    """

    out: Quantisation | None

    def output_dtype(self, *x: Tensor) -> np.dtype:
        """Numpy output type."""
        return x[0].data.dtype

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        shape = self.output_shape(*(tensor.shape for tensor in x))
        return Tensor.zeros(shape, self.output_dtype(*x), self.out)
