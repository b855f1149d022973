"""Sums of products of MLI 2.0 recurrent kernels, those of every input rounded on their own."""

from dataclasses import dataclass, replace

import numpy as np

from golden.mli2 import QuantTensor
from golden.parameters.mli2.linear import align_bias, output_scaling
from hdl.isa import (
    BANKS,
    CELL_BITS,
    HELD,
    SHIFT_MAX,
    SHIFT_MIN,
    AccumulatorRange,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Width,
)
from host.lower.fields.mli2 import affine_clip, check_zero, fold_shift
from host.lower.products import check_sums, first_record
from host.lower.refuse import NoPassesError
from host.lower.sweep import container_clip
from host.lower.workspace import Matrix
from host.memory.packing import width_of

__all__ = ["Input", "dense_sums"]

_LOW_BITS = 14  #: Of a rounded sum, in an element of their own if 16 bits are too few for it.
_WORD     = container_clip(16)[1]


@dataclass(frozen=True)
class Input:
    """An input of the matrices of all gates.

    Parameters
    ----------
    like : QuantTensor, has its element and format
    matrix : Matrix, where the weights lie; column, groups : int, its part of each tile's words
    width : Width, of the elements in X; less their zero point already if 16-bit ones of SA_8
    peak : int, largest magnitude of an element less the zero point
    """

    like:   QuantTensor
    matrix: Matrix
    column: int
    groups: int
    width:  Width
    peak:   int


def dense_sums(space, build, kind, inputs, gates, count):
    """Passes of the sums of several gates in the format ``kind``.

    Parameters
    ----------
    space : Workspace
    inputs : list of Input
    gates : list of (weights, bias): a QuantTensor for each input, and one of the bias
    count : int, tiles of a gate
    """
    sums = _AffineSums if inputs[0].like.is_affine else _FixedSums
    return sums(space, build, kind, inputs, gates, count)


class _Sums:
    def __init__(self, space, build, kind, inputs, gates, count):
        self._space, self._build, self._kind = space, build, kind
        self._inputs, self._gates, self._count = inputs, gates, count
        self.tiles = len(gates) * count
        self._prepare()

    def _in_tiles(self, values):
        """Values of all gates, an array each, in whole tiles of outputs."""
        size = self._count * BANKS * self._space.ways
        return np.concatenate([np.pad(value, (0, size - len(value))) for value in values])

    def _products(self, number, first, last, x, **fields):
        """Pass over the tiles ``first`` to ``last - 1`` for one input at the Access ``x``."""
        given  = self._inputs[number]
        x_zero = (given.like.format.zero_point
                  if given.like.is_affine and given.width is Width.BITS8 else 0)
        return Pass(outer=(last - first, 1, 1), taps=(1, 1, given.groups), x=x,
                    y=given.matrix.access(first, given.column), x_width=given.width, x_zero=x_zero,
                    y_width=width_of(given.matrix.bits), z_width=Width.BITS16, **fields)

    def _add(self, words, first, tiles, **fields):
        """Pass that adds up elements of as many parts as there are words."""
        size, x = self._size, self._parts.groups(first)
        if len(words) > 1:
            x = replace(x, taps=(0, 0, size * BANKS))
        return Pass(**{"outer": (tiles, 1, 1), "taps": (1, 1, len(words)), "x": x,
                       "y": self._space.word(*words), "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                       "z_width": Width.BITS16} | fields)


class _FixedSums(_Sums):
    """FX sums: the lanes hold those of the first input, the others come as elements."""

    def _prepare(self):
        build, out = self._build, self._kind.frac_bits
        likes   = [given.like for given in self._inputs]
        weights = self._gates[0][0]
        self._shifts = [x.format.frac_bits + matrix.format.frac_bits - out
                        for x, matrix in zip(likes, weights, strict=True)]
        self._wide = weights[0].bits == CELL_BITS
        biases = [align_bias(likes[0], weights[0], bias, build) for _, bias in self._gates]
        bounds = [max(self._bound(number, matrices[number], bias if number == 0 else bias * 0)
                      for (matrices, _), bias in zip(self._gates, biases, strict=True))
                  for number in range(len(likes))]
        limit = 1 << (38 if self._wide else 31)
        if sum(bounds) >= limit or max(bounds[1:], default=0) >= _WORD << _LOW_BITS:
            raise NoPassesError(f"Rounded sums must stay below {limit} together, those of a "
                                f"further input below {_WORD << _LOW_BITS}, not be up to {bounds}")
        self._split = [bound > _WORD for bound in bounds[1:]]
        entries     = HELD // (1 + any(self._split))
        self._size  = min(entries, self.tiles)
        self._words = [word for split in self._split
                       for word in ((1, 1 << _LOW_BITS) if split else (1,))] or [0]
        self._parts = self._space.in_x(self._size * len(self._words))
        self._row   = self._space.records(self._in_tiles(biases))

    def _bound(self, number, weights, bias):
        """Largest magnitude of a rounded sum.

        That of 8-bit weights must not come near 32 bits, where the library wraps or saturates.
        """
        peak, shift = self._inputs[number].peak, self._shifts[number]
        taps   = weights.data.T.astype(np.int64)
        margin = 1 << min(shift, 31) - 1 if shift > 0 else 0
        if not self._wide:
            check_sums(taps, bias, peak, (1 << 31) - 1 - margin)
        if shift < SHIFT_MIN:
            raise NoPassesError(f"Sums must be shifted to the left by at most {-SHIFT_MIN} bits, "
                                f"not {-shift}")
        bound = int((np.abs(bias) + peak * np.abs(taps).sum(1)).max())
        return (bound + margin >> shift) + 1 if shift > 0 else bound << -shift

    def passes(self, sources, outputs):
        """Passes of all tiles.

        Parameters
        ----------
        sources : list of Access, to each input
        outputs : list of (first tile, last tile, fields), the fields from ``narrow``
        """
        passes = []
        for first in range(0, self.tiles, self._size):
            last = min(first + self._size, self.tiles)
            passes += self._hold(first, last, sources)
            for low, high, fields in outputs:
                start, stop = max(first, low), min(last, high)
                if start < stop:
                    z = fields["z"]
                    z = replace(z, base=z.base + (start - low) * z.outer[0])
                    passes.append(self._add(self._words, start - first, stop - start,
                                             **fields | {"z": z, "resume": True,
                                                         "entry": start - first}))
        return passes

    def _hold(self, first, last, sources):
        """Passes that hold the sums of the first input and make elements of the others."""
        tiles  = last - first
        row    = self._row + first * self._space.record_rows(1)
        unused = self._parts.groups(0)
        held   = {"hold": True, "z": replace(unused, outer=(0, 0, 0)), "acc_range": self._range}
        passes = [self._products(0, first, last, sources[0], bias_row=row, **self._shift(0),
                                 **held)]
        place = 0
        for number, split in enumerate(self._split, 1):
            matrix = self._products(number, first, last, sources[number], acc_range=self._range,
                                    **self._shift(number), z=self._parts.groups(place),
                                    clip=container_clip(16))
            place += self._size
            if not split:
                passes.append(matrix)
                continue
            fields = {"resume": True, "entry": self._size, "clip": container_clip(16),
                      "acc_range": AccumulatorRange.BITS40}
            high   = self._parts.groups(place)
            passes += [replace(matrix, **held, entry=self._size),
                      self._add([0], place, tiles, z=high, shift=_LOW_BITS,
                                rounding=RoundMode.FLOOR, **fields),
                      self._add([-1 << _LOW_BITS], place, tiles, z=matrix.z, **fields)]
            place += self._size
        return passes

    @property
    def _range(self):
        return AccumulatorRange.BITS40 if self._wide else AccumulatorRange.BITS32

    def _shift(self, number):
        return {"shift": min(self._shifts[number], SHIFT_MAX), "rounding": self._build.rounding}

    def narrow(self, place, fields=None):
        """Fields of the last pass to a ``place``: saturated to 16 bits; ``fields`` look that up."""
        low, high = container_clip(16)
        plain = {"clip": (low, high), "acc_range": AccumulatorRange.BITS40, **place}
        if fields is None:
            return plain
        left = -fields["shift"]
        return plain | fields | {"clip": (max(low << left, fields["clip"][0]),
                                          min(high << left, fields["clip"][1]))}


class _AffineSums(_Sums):
    """SA_8 sums: every input scaled to elements of 16 bits."""

    def _prepare(self):
        bounds, self._rows = [], []
        for number, given in enumerate(self._inputs):
            firsts, biases, peaks = [], [], []
            for weights, bias in self._gates:
                first, added, bound = self._scale(number, given, weights[number], bias)
                firsts.append(first)
                biases.append(added)
                peaks.append(bound)
            bounds.append(max(peaks))
            self._rows.append(self._space.records(self._in_tiles(firsts), self._in_tiles(biases)))
        zero = abs(self._kind.zero_point)
        room = _WORD - 128 - zero
        if sum(sorted(bounds)[:-1]) > room:
            raise NoPassesError(f"Of the scaled sums of the inputs all but one must stay within "
                                f"{room} together, not be up to {bounds}")
        self._size  = self.tiles
        self._parts = self._space.in_x(self._size * len(self._inputs))

    def _scale(self, number, given, weights, bias):
        """First record, bias and largest magnitude of the scaled sums of one gate and input."""
        zero = given.like.format.zero_point
        check_zero("an input", zero)
        taps = weights.centred.T
        check_sums(taps, np.zeros(len(taps), np.int64), given.peak, (1 << 31) - 1)
        scaling = output_scaling(given.like, weights, self._kind, self._build)
        multiplier, shift = fold_shift(scaling.multiplier, scaling.shift)
        added = align_bias(given.like, weights, bias, self._build) * (number == 0)
        sums  = np.minimum(np.abs(added) + given.peak * np.abs(taps).sum(1), 1 << 31)
        bound = max((int(total) * abs(int(factor)) >> int(places)) + 1 for total, factor, places
                    in zip(sums, *(np.broadcast_to(value, sums.shape)
                                   for value in (multiplier, shift)), strict=True))
        record = first_record(multiplier, shift * 0, shift)
        return np.broadcast_to(record, added.shape), added, bound

    def passes(self, sources, outputs):
        """Passes of all tiles; see ``_FixedSums.passes``."""
        fields = {"scale": Scale.BITS32, "rounding": self._build.rounding,
                  "clip": container_clip(16)}
        passes = [self._products(number, 0, self.tiles, x, bias_row=self._rows[number],
                                 z=self._parts.groups(number * self._size), **fields)
                  for number, x in enumerate(sources)]
        for low, high, output in outputs:
            unit = self._kind.scale if "table" in output else 1
            passes.append(self._add([unit] * len(sources), low, high - low, **output))
        return passes

    def narrow(self, place, fields=None):
        """Fields of the last pass to a ``place``: saturated to 8 bits; ``fields`` look that up."""
        if fields is None:
            return affine_clip(container_clip(8), self._kind.zero_point) | place
        left = -fields["shift"]
        return fields | {"clip": tuple(limit * self._kind.scale << left
                                       for limit in container_clip(8))} | place
