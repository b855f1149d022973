# SPDX-License-Identifier: Apache-2.0
"""Products of two tensors element by element."""

from dataclasses import dataclass

import numpy as np

from .fields import container_clip
from .requantiser import Requantiser

__all__ = ["Product"]


@dataclass(frozen=True)
class Product:
    """What becomes of the product of two elements, each less its zero point.

    Parameters
    ----------
    output : dict of the fields of a Pass
    records : tuple of int, as a pass reads them: parameters if scaled, the bias last; or none
    zeros : zero points of both factors, of which the one in X is taken off by the product
    flags : bool, a sum that leaves the accumulator is told of
    """

    output:  dict
    records: tuple = ()
    zeros:   tuple = (0, 0)
    flags:   bool = True

    def evaluate(self, bits, a, b):
        """Outputs of ``bits`` each, of two arrays of signed integers."""
        a, b = (np.clip(each.astype(np.int64) - zero, *container_clip(16))
                for each, zero in zip((a, b), self.zeros, strict=True))
        return Requantiser(bits, self.records, self.output).compute(a * b)

    @property
    def second(self):
        """Index of the factor that is in Y, if both are whole tensors: best one without a zero
        point."""
        return 0 if self.zeros[1] and not self.zeros[0] else 1
