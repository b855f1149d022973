# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tensor slices at indices that are values, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .gather import EmbeddingLookup, Gather, GatherNd

if TYPE_CHECKING:
    from xymac.golden.result import Result

__all__ = ["GatherAt", "Indexing"]


class Indexing(Enum):
    """Selection of slices; the value is the operator's name."""

    GATHER           = "GATHER"
    GATHER_ND        = "GATHER_ND"
    EMBEDDING_LOOKUP = "EMBEDDING_LOOKUP"


@dataclass(frozen=True)
class GatherAt(TensorLayer):
    """GATHER, GATHER_ND or EMBEDDING_LOOKUP whose INT32 indices are an input.

    The indices are the second input; EMBEDDING_LOOKUP has them first.

    Parameters
    ----------
    axis, batch_dims : see ``Gather``
    out : output Quantisation; None for the input's
    """

    op:         Indexing
    axis:       int = 0
    batch_dims: int = 0
    out:        Quantisation | None = None

    inputs = 2

    def _sort(self, first, second):
        """(sliced input, indices), or their shapes."""
        return (second, first) if self.op == Indexing.EMBEDDING_LOOKUP else (first, second)

    def _fix(self, indices):
        """The layer with constant ``indices``, a Tensor."""
        if self.op == Indexing.GATHER:
            return Gather(indices, self.axis, self.batch_dims, self.out)
        kind = GatherNd if self.op == Indexing.GATHER_ND else EmbeddingLookup
        return kind(indices, self.out)

    def output_shape(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape."""
        shape, indices = self._sort(a_shape, b_shape)
        return self._fix(Tensor(np.zeros(indices, np.int32))).output_shape(shape)

    def output_like(self, *x: Tensor) -> Tensor:
        """Zeros in the output format."""
        given, indices = self._sort(*x)
        return self._fix(Tensor(np.zeros(indices.shape, np.int32))).output_like(given)

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        check_kind("op", self.op, Indexing)
        x, indices = self._sort(a, b)
        check_types("Indices", indices, "INT32")
        self._fix(Tensor(np.zeros(indices.shape, np.int32))).check(x)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors; ValueError for indices beyond the input."""
        x, indices = self._sort(a, b)
        layer = self._fix(Tensor(indices.data))
        layer.check(x)
        return layer.run(x)
