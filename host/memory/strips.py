# SPDX-License-Identifier: Apache-2.0
"""Image row tiles packed side by side, to be processed together."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, Memory

from .windows import AxisWindows, WindowLayout

__all__ = ["StripLayout"]


@dataclass(frozen=True)
class StripLayout(WindowLayout):
    """A tensor whose image is cut into row tiles (strips) that are interleaved pixel by pixel.

    A pixel of this layout has the windows at the same position of every strip: ``held`` elements
    from each strip in turn, then the next elements. If ``held`` is a vector, each lane bank has its
    own strip. Strips can overlap, or extend beyond the image. TensorLayout properties refer to the
    array (images,) strip rows, columns, ``held``-element chunks, strips, chunk elements.

    Parameters
    ----------
    strip : AxisWindows along the ``down`` windows: a window per strip; its taps are the strip's
        rows
    held : int, adjacent elements from a strip
    filled : bool, whether positions outside the image hold ``fill``; in a layer's output they are
        undefined
    """

    strip:  AxisWindows | None = None
    held:   int = 1
    filled: bool = True

    @classmethod
    def of_strips(cls, x, axes, ways, *, down, across, strip, held, fill=0,
                  filled=True):
        """StripLayout for a Tensor like ``x``, an image."""
        *images, _, _, channels = (x.shape[axis] for axis in axes)
        chunks = -(-down.taps * across.taps * channels // held)
        shape  = (*images, strip.taps, across.count, chunks, strip.count, held)
        return cls(shape, x.bits, ways, tuple(range(len(shape))), 3, (prod(shape[-3:]),),
                   array=tuple(x.shape), image=tuple(x.shape), axes=axes, down=down,
                   across=across, fill=fill, strip=strip, held=held, filled=filled)

    @property
    def arrangement(self):
        """See ``TensorLayout``."""
        return (*super().arrangement, self.strip, self.held, self.filled)

    @property
    def in_banks(self):
        """Whether each lane bank has its own strip."""
        return self.held == self.ways and self.strip.count == BANKS

    @property
    def spacing(self):
        """Address distance between neighbouring vectors of a strip's pixel, if each bank has a
        strip.
        """
        return BANKS if self.in_banks else 1

    @property
    def taken(self):
        """Every element's index into the flattened user's array, -1 outside and for padding."""
        index = np.arange(prod(self.image)).reshape(self.image).transpose(self.axes)
        *images, height, width, _ = index.shape
        rows = self.strip.places[..., None] * self.down.stride + (
            self.down.start + self.down.dilation * np.arange(self.down.taps))
        rows, cols = rows[:, :, None, :, None], self.across.places[None, None, :, None, :]
        inside = (rows >= 0) & (rows < height) & (cols >= 0) & (cols < width)
        held   = index[..., rows.clip(0, height - 1), cols.clip(0, width - 1), :]
        held   = np.where(inside[..., None], held, -1)
        held   = held.reshape(*images, *held.shape[len(images):len(images) + 3], -1)
        chunks = self.shape[-3]
        lacks  = [(0, 0)] * (held.ndim - 1) + [(0, chunks * self.held - held.shape[-1])]
        held   = np.pad(held, lacks, constant_values=-1)
        held   = held.reshape(*held.shape[:-1], chunks, self.held)
        return np.moveaxis(held, len(images), -2).reshape(self.shape)

    @property
    def unused(self):
        """Whether a position holds no element of a window, which no weight reads, for every element
        of ``taken``.
        """
        chunks, _, held = self.shape[-3:]
        count  = self.down.taps * self.across.taps * self.image[self.axes[-1]]
        beyond = held * np.arange(chunks)[:, None, None] + np.arange(held) >= count
        return np.broadcast_to(beyond, self.shape)

    def like(self, x):
        """StripLayout for a Tensor like ``x`` with the same image shape; ValueError for another
        shape.
        """
        if tuple(x.shape) != self.array:
            raise ValueError(f"Strips of {self.array} cannot hold {tuple(x.shape)}")
        return replace(self, bits=x.bits, memory=Memory.X, row=0, before=0, behind=0, offset=0,
                       gap=0)
