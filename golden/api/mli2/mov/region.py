# SPDX-License-Identifier: Apache-2.0
"""A move's source and destination regions, and the move itself.

Source: embARC MLI 2.0.2, mli_mov_ref.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.api.mli2.memory import dims, read, strides_of, view
from xymac.golden.api.mli2.quantisation import PARAMETERS, copy_params, points_apart
from xymac.golden.api.types import MLI_MAX_RANK
from xymac.golden.views import Stored, ZeroPad, have_overlaps

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.golden.api.mli2.types import mli_tensor

    from .configs import mli_mov_cfg_t

__all__ = ["Axis", "Move"]


@dataclass(frozen=True)
class Axis:
    """A destination dimension and its source region.

    Parameters
    ----------
    dim : source dimension, with ``size`` elements
    offset, count : first requested element, and requested element count
    step : distance between moved elements, elements
    pre, post : zeros before and behind the elements
    start : first index in the destination
    """

    dim:    int
    size:   int
    offset: int
    count:  int
    step:   int
    pre:    int
    post:   int
    start:  int

    @property
    def width(self) -> int:
        """Written element count."""
        return -(-(self.count + self.pre + self.post) // self.step)

    @property
    def inside(self) -> tuple[int, int]:
        """First and end index of the written elements that come from the source, not from padding.
        """
        first = max(0, -(-(self.pre - self.offset) // self.step))
        end   = min(self.width, (self.size - 1 - self.offset + self.pre) // self.step + 1)
        return first, max(first, end)

    @property
    def taken(self) -> slice:
        """Source slice to read."""
        first, end = self.inside
        start = first * self.step + self.offset - self.pre
        return slice(start, start + (end - first - 1) * self.step + 1, self.step)

    @property
    def pads(self) -> tuple[int, int]:
        """Zeros before and behind the source elements."""
        first, end = self.inside
        return first, self.width - end

    @property
    def put(self) -> slice:
        """Destination slice to write."""
        return slice(self.start, self.start + self.width)

    @property
    def is_whole(self) -> bool:
        """Whether all elements are moved, to the same indices."""
        return (self.offset, self.count, self.step, self.pre, self.post, self.start) == (
            0, self.size, 1, 0, 0, 0)


class Move:
    """A move from a source to a destination with a configuration.

    Parameters
    ----------
    src, dst : mli_tensor
    cfg : mli_mov_cfg_t
    """

    def __init__(self, src: mli_tensor, cfg: mli_mov_cfg_t, dst: mli_tensor) -> None:
        self.src, self.cfg, self.dst = src, cfg, dst

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """An Axis for every destination dimension."""
        return tuple(map(self._axis, range(self.src.rank)))

    def _axis(self, number):
        cfg, dim = self.cfg, index(self.cfg.perm_dim[number])
        offset, size, step, pre, post = (index(getattr(cfg, name)[dim]) for name in (
            "offset", "size", "sub_sample_step", "padding_pre", "padding_post"))
        whole = int(self.src.shape[dim])
        return Axis(dim, whole, offset, size or whole - offset, step, pre, post,
                    index(cfg.dst_offset[number]))

    @property
    def shape(self) -> tuple[int, ...]:
        """Destination shape."""
        return tuple(axis.start + axis.width for axis in self.axes)

    @property
    def strides(self) -> tuple[int, ...]:
        """Destination strides."""
        own   = (*self.dst.mem_stride, *(0,) * MLI_MAX_RANK)
        given = tuple(int(new) or int(old) for new, old in zip(
            self.cfg.dst_mem_stride, own, strict=False))
        return strides_of(self.shape, given)

    @property
    def takes_all(self) -> bool:
        """Whether the library copies the whole memory, whatever the offsets."""
        shape = dims(self.src)
        dense = strides_of(shape, (0,) * len(shape))
        return (self.shape == shape
                and self.strides == strides_of(shape, self.src.mem_stride) == dense
                and all((axis.dim, axis.step, axis.pre, axis.post) == (number, 1, 0, 0)
                        for number, axis in enumerate(self.axes)))

    def run(self, evaluate: Callable, fills_views: bool) -> None:
        """Move the elements, then set the destination fields.

        ``evaluate`` and ``fills_views`` are as in Library.
        """
        source, target = self._source(), self._target()
        pads = [(0, 0)] * len(self.axes) if self.takes_all else [axis.pads for axis in self.axes]
        params = self._params()
        if not source.size:
            target[...] = 0
        else:
            for part, place, around in _fold(source, target, pads):
                layer = ZeroPad(tuple(around))
                if fills_views and not self._overlaps:
                    evaluate(layer, Stored(part), view=place)
                else:
                    place[...] = evaluate(layer, Stored(part)).output.data
        self._fill(params)

    @property
    def _overlaps(self):
        return have_overlaps(self.shape, self.strides)

    def _source(self):
        data = read(self.src)
        if self.takes_all:
            return data
        data = data.transpose([axis.dim for axis in self.axes])
        if not all(first < end for first, end in (axis.inside for axis in self.axes)):
            return data[(slice(0, 0),)]
        return data[tuple(axis.taken for axis in self.axes)]

    def _target(self):
        whole = view(self.dst, self.shape, self.src.el_type, self.strides)
        return whole if self.takes_all else whole[tuple(axis.put for axis in self.axes)]

    @cached_property
    def scales(self) -> int | None:
        """Destination axis for the source scales; None without scales along a dimension."""
        sa = self.src.el_params.sa
        if self.src.el_type >> 8 != 1 or sa.dim < 0:
            return None
        return next(number for number, axis in enumerate(self.axes) if axis.dim == sa.dim)

    @property
    def copies_scales(self) -> bool:
        """Whether the destination has its own scale memory."""
        return points_apart(self.src.el_params, self.dst)

    def _params(self):
        """Destination element parameters."""
        params = copy_params(self.src.el_params)
        if self.scales is None or not self.copies_scales:
            return params
        axis, own = self.axes[self.scales], copy_params(self.dst.el_params)
        for name, bits in PARAMETERS.items():
            values = getattr(getattr(params.sa, name).mem, f"pi{bits}")[:axis.size]
            around = int(name == "scale")
            first, end = axis.inside
            target = getattr(getattr(own.sa, name).mem, f"pi{bits}")[axis.put]
            target[...] = around
            if first < end:
                target[first:end] = values[axis.taken]
        own.sa.type, own.sa.dim = params.sa.type, self.scales
        return own

    def _fill(self, params):
        rank, dst = len(self.axes), self.dst
        beyond  = MLI_MAX_RANK - rank
        strides = self.strides
        dst.shape, dst.rank = (*self.shape, *(1,) * beyond), rank
        dst.mem_stride = (*strides, *(0,) * beyond)
        dst.el_type, dst.el_params = self.src.el_type, params


def _halves(array):
    """View with 32-bit elements as pairs of 16-bit elements in an additional last dimension."""
    first = np.lib.stride_tricks.as_strided(array, (1,), (array.itemsize,)).view(np.int16)
    return np.lib.stride_tricks.as_strided(first, (*array.shape, 2), (*array.strides, 2))


def _is_dense(array):
    """Whether elements in the last dimension lie next to each other."""
    return array.shape[-1] == 1 or array.strides[-1] == array.itemsize


def _fold(source, target, pads):
    """The move as int8 or int16 without size-1 dimensions: one part, or two for separate halves."""
    kept   = [number for number, size in enumerate(target.shape) if size > 1] or [0]
    source = source[tuple(slice(None) if number in kept else 0 for number in range(source.ndim))]
    target = target[tuple(slice(None) if number in kept else 0 for number in range(target.ndim))]
    pads   = [pads[number] for number in kept]
    if source.itemsize < 4:
        return [(source, target, pads)]
    joins  = _is_dense(source) and _is_dense(target)
    source, target = _halves(source), _halves(target)
    if not joins:
        return [(source[..., half], target[..., half], pads) for half in range(2)]
    before, behind = pads[-1]
    return [(_join(source), _join(target), [*pads[:-1], (2 * before, 2 * behind)])]


def _join(halves):
    """Adjacent halves merged into their elements' dimension."""
    *outer, count, two = halves.shape
    return np.lib.stride_tricks.as_strided(
        halves, (*outer, count * two), (*halves.strides[:-2], halves.itemsize))
