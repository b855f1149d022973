"""Images in strips side by side: rows of several bands of an image, to be worked on together."""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from hdl.isa import BANKS, Memory

from .windows import Steps, WindowLayout

__all__ = ["StripLayout"]


@dataclass(frozen=True)
class StripLayout(WindowLayout):
    """A tensor whose image is cut into strips of rows that lie side by side, pixel by pixel.

    A pixel of a WindowLayout is one window. Here it is the windows of the same place in every
    strip: ``held`` elements of each strip in turn, then the next elements of each. Where ``held``
    is a group, each bank of lanes has a strip of its own. Strips may have rows in common, or rows
    beyond the image. What a TensorLayout says is said of the array (images,) rows of a strip,
    columns, chunks of ``held`` elements, strips, elements of a chunk.

    Parameters
    ----------
    strip : Steps along the windows of ``down``: one window a strip, its taps the rows of the strip
    held : int, elements of a strip that lie side by side
    filled : bool, what lies outside of the image is ``fill``; behind a layer it is anything
    """

    strip:  Steps | None = None
    held:   int = 1
    filled: bool = True

    @classmethod
    def of_strips(cls, x, axes, ways, *, down, across, strip, held, fill=0,
                  filled=True):
        """StripLayout of a Tensor like ``x``, an image."""
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
        """Whether each bank of lanes has a strip of its own."""
        return self.held == self.ways and self.strip.count == BANKS

    @property
    def spacing(self):
        """Groups from one group of a strip's pixel to the next, where banks have a strip each."""
        return BANKS if self.in_banks else 1

    @property
    def taken(self):
        """Index into the flattened user's array of every element, -1 outside and for padding."""
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

    def like(self, x):
        """StripLayout of a Tensor like ``x``, of the same image; ValueError for another one."""
        if tuple(x.shape) != self.array:
            raise ValueError(f"Strips of {self.array} cannot hold {tuple(x.shape)}")
        return replace(self, bits=x.bits, memory=Memory.X, row=0, before=0, behind=0, offset=0,
                       gap=0)
