# SPDX-License-Identifier: Apache-2.0
"""Base class for the XS3 layers: a fixed output type."""

from __future__ import annotations

import numpy as np

from xymac.golden.layer import LayerBase

from .integers import Integers

__all__ = ["IntegerLayer"]


class IntegerLayer(LayerBase):
    """A layer whose output type does not depend on its inputs."""

    output_dtype: type[np.integer] | np.dtype = np.int8  #: Numpy output type.

    def output_like(self, *x: Integers) -> Integers:
        """Zeros in the output format."""
        return Integers.zeros(self.output_shape(*(integers.shape for integers in x)),
                              self.output_dtype)
