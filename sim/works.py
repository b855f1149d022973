"""The reference works whose cycles are measured: one kernel call each, on random operands."""

from dataclasses import dataclass

import numpy as np

from golden import Conv2d, DepthwiseConv2d, FullyConnected, Tensor

__all__ = ["WORKS", "Work"]

_DTYPES = {"fx8": (np.int8, np.int8), "fx16": (np.int16, np.int16), "fx8w16d": (np.int16, np.int8)}
_FRAC_BITS = {np.int8: 7, np.int16: 15}


@dataclass(frozen=True)
class Work:
    """A kernel call and what it may cost.

    Parameters
    ----------
    name : str, as in the result file
    kind : type of golden layer
    type : str, fx8, fx16 or fx8w16d
    x_shape, w_shape : shapes of input and weights
    target : float, highest ratio of cycles to floor
    pad : int, on all four sides
    """

    name:    str
    kind:    type
    type:    str
    x_shape: tuple
    w_shape: tuple
    target:  float
    pad:     int = 0

    def operands(self):
        """Layer and input Tensor, the same at every call; outputs fill most of their range."""
        rng = np.random.default_rng(len(self.name))
        x_type, w_type = _DTYPES[self.type]

        def tensor(shape, dtype):
            limits = np.iinfo(dtype)
            data = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
            return Tensor(data, _FRAC_BITS[dtype])

        x = tensor(self.x_shape, x_type)
        weights, bias = tensor(self.w_shape, w_type), tensor(self.w_shape[:1], w_type)
        sum_bits = int(np.prod(self.w_shape[1:])).bit_length() // 2
        frac_bits = _FRAC_BITS[x_type] - sum_bits
        if self.kind is FullyConnected:
            return FullyConnected(weights, bias, frac_bits), x
        return self.kind(weights, bias, frac_bits, pad=(self.pad,) * 4), x


WORKS = (
    *(Work(f"conv3x3_{kind}", Conv2d, kind, (16, 32, 32), (16, 16, 3, 3), 1.06, pad=1)
      for kind in _DTYPES),
    Work("conv1x1_fx8", Conv2d, "fx8", (128, 6, 6), (128, 128, 1, 1), 1.06),
    Work("conv5x5_c3_fx8", Conv2d, "fx8", (3, 32, 32), (32, 3, 5, 5), 1.36, pad=2),
    Work("fc_fx8", FullyConnected, "fx8", (640,), (128, 640), 1.10),
    Work("fc_fx16", FullyConnected, "fx16", (640,), (128, 640), 1.10),
    Work("depthwise3x3_fx8", DepthwiseConv2d, "fx8", (64, 12, 12), (64, 1, 3, 3), 1.15, pad=1),
)
