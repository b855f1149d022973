# SPDX-License-Identifier: Apache-2.0
"""Host-packed image windows (im2col): elements for several taps, some repeated."""

from dataclasses import dataclass
from math import prod

import numpy as np

from .layout import TensorLayout

__all__ = ["AxisWindows", "WindowLayout", "writing_cost"]

_PER_CYCLE = 64  #: Bits that the host writes per counted cycle: two words.


@dataclass(frozen=True)
class AxisWindows:
    """Windows along an axis: ``count`` windows of ``taps`` elements each.

    Parameters
    ----------
    stride, dilation : distance between windows, and between taps, elements
    start : first window's first tap (index), negative before the image
    """

    count:    int
    taps:     int = 1
    stride:   int = 1
    dilation: int = 1
    start:    int = 0

    @property
    def places(self):
        """Axis indices under the taps, an array [windows, taps]."""
        return (self.start + self.stride * np.arange(self.count)[:, None]
                + self.dilation * np.arange(self.taps))


@dataclass(frozen=True)
class WindowLayout(TensorLayout):
    """Host-packed image windows (im2col), each window a run; only the host can write it.

    TensorLayout properties refer to the array (images,) window rows, window columns, elements.

    Parameters
    ----------
    array : tuple of int, shape of the user's array
    image : tuple of int, image shape; the image has the same elements in C order
    axes : tuple of int, image dimensions: images if any, then rows, columns, channels
    down, across : AxisWindows along rows and columns
    fill : int, value outside the image
    """

    array:  tuple = ()
    image:  tuple = ()
    axes:   tuple = ()
    down:   AxisWindows = AxisWindows(1)
    across: AxisWindows = AxisWindows(1)
    fill:   int = 0

    @classmethod
    def of_windows(cls, x, axes, ways, down, across, *, fill=0, image=None):
        """WindowLayout for a Tensor like ``x``, an image, or seen as one of shape ``image``."""
        image = tuple(image or x.shape)
        *images, _, _, channels = (image[axis] for axis in axes)
        run = down.taps * across.taps * channels
        return cls((*images, down.count, across.count, run), x.bits, ways, tuple(range(len(axes))),
                   1, (run,), array=tuple(x.shape), image=image, axes=axes, down=down,
                   across=across, fill=fill)

    @property
    def arrangement(self):
        """See ``TensorLayout``."""
        return (*super().arrangement, self.array, self.image, self.axes, self.down, self.across,
                self.fill)

    @property
    def taken(self):
        """Every window element's index into the flattened user's array, -1 outside."""
        return self._taken(self.shape)

    def _taken(self, shape):
        index = np.arange(prod(self.image)).reshape(self.image).transpose(self.axes)
        rows, cols = self.down.places[:, None, :, None], self.across.places[None, :, None, :]
        inside = ((rows >= 0) & (rows < index.shape[-3]) & (cols >= 0) & (cols < index.shape[-2]))
        held   = index[..., rows.clip(0, index.shape[-3] - 1), cols.clip(0, index.shape[-2] - 1), :]
        return np.where(inside[..., None], held, -1).reshape(shape)

    @property
    def is_complete(self):
        """Whether every element is in a window."""
        return np.unique(self.taken[self.taken >= 0]).size == prod(self.image)

    def cells(self, data):
        """Row words that hold the user's array ``data`` as windows."""
        taken = self.taken
        return super().cells(np.where(taken < 0, self.fill, data.ravel()[taken]).astype(data.dtype))

    def data(self, cells):
        """The user's array whose windows the rows in ``cells`` hold; 0 where there are none."""
        taken, held = self.taken, super().data(cells)
        result = np.zeros(prod(self.array), held.dtype)
        result[taken[taken >= 0]] = held[taken >= 0]
        return result.reshape(self.array)

    def places(self):
        """Every vector element's flat index into the user's array, -1 for padding."""
        return self.spread(self.taken.reshape(prod(self.dims), -1) + 1).ravel() - 1


def writing_cost(layout):
    """Cycles to count for the host's writes of an input.

    Half a cycle per word, because the host can write an input while the core works on another.
    """
    return layout.groups * layout.ways * layout.bits // _PER_CYCLE
