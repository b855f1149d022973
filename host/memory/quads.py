# SPDX-License-Identifier: Apache-2.0
"""Host-packed windows of four neighbouring pixels, interleaved vector by vector: a lane bank reads
its own pixel's windows.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.isa import BANKS

from .windows import WindowLayout

__all__ = ["QuadLayout"]


@dataclass(frozen=True)
class QuadLayout(WindowLayout):
    """Windows of ``BANKS`` neighbouring pixels in each run: each pixel's first vector, then the
    second. Only the host can write it.

    Elements behind a window and windows behind a row's last pixel hold ``fill``. ``across`` counts
    pixels, whole runs.
    """

    @classmethod
    def of_windows(cls, x, axes, ways, down, across, *, fill=0):
        """QuadLayout for a Tensor like ``x``, an image."""
        *images, _, _, channels = (x.shape[axis] for axis in axes)
        runs  = -(-across.count // BANKS)
        size  = -(-down.taps * across.taps * channels // ways) * BANKS * ways
        return cls((*images, down.count, runs, size), x.bits, ways, tuple(range(len(axes))), 1,
                   (size,), array=tuple(x.shape), image=tuple(x.shape), axes=axes, down=down,
                   across=replace(across, count=runs * BANKS), fill=fill)

    @property
    def spacing(self):
        """Address distance between a pixel's neighbouring vectors."""
        return BANKS

    @property
    def taken(self):
        """Every element's index into the flattened user's array, -1 outside and for padding."""
        *images, rows, runs, size = self.shape
        vectors = size // BANKS // self.ways
        plain   = self._taken((*images, rows, runs * BANKS, -1))
        lacks   = vectors * self.ways - plain.shape[-1]
        plain   = np.pad(plain, [(0, 0)] * (plain.ndim - 1) + [(0, lacks)], constant_values=-1)
        parts   = plain.reshape(*images, rows, runs, BANKS, vectors, self.ways)
        return np.swapaxes(parts, -3, -2).reshape(self.shape)
