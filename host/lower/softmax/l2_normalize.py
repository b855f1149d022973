"""L2 normalisation of MLI 2.0 as passes.

All lanes hold the sum of squares S, for every element is also a factor in all of them. How often S
passes ``2**(2 * k + 13)`` says by how many pairs of bits it is to be shifted; passes write that
into the records of the passes that shift, so that the program is the same for all data.
"""

from dataclasses import replace

import numpy as np

from golden.mli2.lut import ROOT_FRAC_BITS
from hdl.isa import (
    BANKS,
    Access,
    AccumulatorRange,
    Memory,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Table,
    Width,
)
from host.lower.fields.mli2 import check_zero
from host.lower.linear.form import first_record
from host.lower.refuse import NoPassesError
from host.lower.sweep import container_clip, elementwise, sweep
from host.lower.workspace import Tiles, Workspace
from host.memory.formats import blank_output
from host.memory.packing import width_of

from .slices import first_run, looped, run_error, run_image, slices

__all__ = ["constants", "lower", "source_layouts", "target_layout"]

_PAIRS    = 20     #: Pairs of bits that the sum can be shifted by, from 14 bits to the left on.
_LEAST    = 7      #: Of them are to the left, so many.
_LIMIT    = 1 << 39
_WORD     = 16
_HALF     = 1 << _WORD - 1
_SHORT    = 30     #: Bits of a right shift that leave a sum of 32 bits whole.
_ROOT_IN  = 8      #: Fractional bits of the argument of the table.


def source_layouts(layer, xs, wish, ways):
    """A single run, or a run for each sum if there are several."""
    [x] = xs
    return (run_image(layer.axis, x, ways),)


def target_layout(layer, xs, sources):
    """The output lies as the input does, behind what the passes work on.

    ValueError unless the elements of a sum are a run by themselves.
    """
    [x], [source] = xs, sources
    count = slices(layer.axis, x)
    if source.groups != count * source.pitch or len(source.parts) > 1 or (
            count > 1 and source.order[-1] != layer.axis):
        raise run_error(layer.axis, source)
    image = source.like(blank_output(layer, x))
    return replace(image, before=_passes(layer, x, source, image).space.x_rows)


def constants(layer, xs, sources):
    """Weights and parameters of ``layer``, as its passes ask for them."""
    image = sources[0].like(blank_output(layer, *xs))
    return _passes(layer, xs[0], sources[0], image).space.constants()


def lower(layer, xs, sources, target, values):
    """Passes of a normalisation; see ``host.lower.registry.lower``."""
    [x], [source] = xs, sources
    made  = _passes(layer, x, source, target, values)
    count = slices(layer.axis, x)
    return made.passes if count == 1 else looped(made.passes, count, source.pitch,
                                                 (made.source, made.target))


def _passes(layer, x, source, target, values=None):
    row = 0 if values is None else target.row - target.before
    return _Normalisation(layer, x, first_run(source), first_run(target),
                          Workspace(source.ways, values, row))


class _Normalisation:
    """Passes over the elements of one sum."""

    def __init__(self, layer, x, source, target, space):
        self.source, self.target, self.space = source, target, space
        self._layer, self._mode, self._ways = layer, layer.build.rounding, space.ways
        self._zero = x.format.zero_point if x.is_affine else 0
        self._count, self._out = sum(source.parts), 7 if x.is_affine else x.bits - 1
        self._check(x)
        lanes = BANKS * self._ways
        self._all_ones = space.word(*[1] * self._ways)  # the first words are a row of Y
        self._factors  = space.in_y(source.pitch * self._ways)
        self._root, self._right = space.in_y(1), space.in_y(1)
        self._marks = space.in_x(-(-_PAIRS // lanes))
        self._low, self._high, self._sum, self._odd = (space.in_x(1) for _ in range(4))
        self._steps = space.records(first_record(1 << 15, 0, 0), 0)
        self._share = space.records(first_record(2, 0, 0), 0)
        self.passes = self._all()

    def _check(self, x):
        check_zero("the input", self._zero)
        peak = max(abs(limit - self._zero) for limit in container_clip(x.bits))
        if self._count * peak**2 >= _LIMIT:
            raise NoPassesError(f"The sum of squares must stay below {_LIMIT} for every input, "
                                f"not be up to {self._count * peak**2}")

    def _all(self):
        even = self._mode is RoundMode.CONVERGENT
        tiles = -(-_PAIRS // (BANKS * self._ways))
        found = [*self._copies(),
                 self._squares(z=self._marks.groups(0), bias_row=self._thresholds(), clip=(0, 1),
                               outer=(tiles, 1, 1), scale=Scale.BITS32, rounding=RoundMode.FLOOR),
                 *self._shifts(), self._shifted(), *(self._to_even() if even else [])]
        found.append(self._one(self._sum, to=self._root, shift=1, rounding=RoundMode.UP,
                               bias_row=self.space.records(_HALF), clip=(0, _HALF - 1),
                               table=Table.ROOT, table_shift=_ROOT_IN,
                               table_rounding=self._mode))
        root  = self._root.words(0)
        share = elementwise(self.source.bits, self.target.bits, x=self.source.access(),
                            y=replace(root, outer=(0, 0, 0)), y_width=Width.BITS16,
                            z=self.target.access(), scale=Scale.BITS32, rounding=self._mode,
                            bias_row=self._share, x_zero=self._zero)
        return found + sweep(share, self.source.groups, (BANKS, 0, BANKS))

    def _copies(self):
        """Every element, less the zero point, in all lanes of Y; 0 for padding."""
        full, rest = divmod(self._count, self._ways)
        ways  = self._ways
        zeros = self.space.word(*[0] * ways)
        ones  = self._all_ones
        parts = [(0, (full, ways), ones, 0), (full, (1, rest), ones, 0),
                 (full, (1, ways - rest if rest else 0), zeros, rest)]
        for first, (groups, count), word, way in parts:
            if groups and count:
                z = self._factors.groups(first * ways + way)
                yield Pass(outer=(1, groups, count), y_shape=Shape.LANES,
                           x=self.source.access(outer=(0, int(groups > 1), 0), offset=first),
                           y=replace(word, base=word.base + way, taps=(0, 0, 0),
                                     outer=(0, 0, int(count > 1))),
                           z=replace(z, outer=(0, ways * BANKS, BANKS)), z_memory=Memory.Y,
                           **self._widths, clip=container_clip(_WORD))

    @property
    def _widths(self):
        return {"x_width": width_of(self.source.bits), "x_zero": self._zero,
                "y_width": Width.BITS16, "z_width": Width.BITS16}

    def _squares(self, **fields):
        """Pass whose sums are those of all squares."""
        groups, base = self.source.pitch, self._factors.base // (BANKS * self._ways)
        return Pass(**{"taps": (1, 1, groups), "x": self.source.access(taps=(0, 0, 1)),
                       "y": Access(base, base, base + groups - 1, taps=(0, 0, 1)),
                       "acc_range": AccumulatorRange.BITS40} | self._widths | fields)

    def _thresholds(self):
        """Records by which a lane divides by ``2**(2 * k + 13)``, from ``k = -6`` on."""
        lanes  = BANKS * self._ways
        shifts = 2 * np.arange(-(-_PAIRS // lanes) * lanes) + 1
        inside = np.arange(len(shifts)) < _PAIRS
        before = np.clip(shifts, 0, 9)
        return self.space.records(first_record(inside * 1, before, np.minimum(shifts - before, 63)),
                                  inside * 0)

    def _total(self, weight, **fields):
        """Pass whose sums are ``weight`` times the pairs of bits."""
        groups = self._marks.groups(0)
        x      = replace(groups, outer=(0, 0, 0), taps=(0, 0, 1))
        word   = self.space.row(weight)
        count  = self._marks.high - self._marks.low + 1
        return Pass(**{"taps": (1, 1, count), "x": x, "y": word, "x_width": Width.BITS16,
                       "y_width": Width.BITS16, "z_width": Width.BITS16,
                       "clip": container_clip(_WORD)} | fields)

    def _one(self, *tiles, to, words=(1,), **fields):
        """Pass that adds up tiles that lie one after the other, each times a word."""
        x = tiles[0].groups(0)
        x = replace(x, outer=(0, 0, 0), taps=(0, 0, BANKS if len(tiles) > 1 else 0),
                    high=tiles[-1].high)
        return Pass(**{"taps": (1, 1, len(words)), "x": x, "y": self.space.word(*words),
                       "x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
                       "y_width": Width.BITS16, "z_width": Width.BITS16,
                       "clip": container_clip(_WORD)} | to.output(0) | fields)

    def _cell(self, row):
        """Tiles that are the shifts of a record."""
        ways = self._ways
        word = row * ways + (2 % ways if ways > 2 else 0)
        return Tiles(word * BANKS, word * BANKS, word * BANKS + BANKS - 1, Memory.Y)

    def _shifts(self):
        """Passes that write the shifts of both scaled passes."""
        out  = ROOT_FRAC_BITS - 1 - self._out
        return [self._total(2, z=self._low.groups(0), clip=(0, _SHORT)),
                self._total(2, z=self._high.groups(0), clip=(_SHORT, 2 * _PAIRS), zero=-_SHORT),
                self._one(self._low, self._high, words=(32, 1), to=self._cell(self._steps)),
                self._total(32, **self._cell(self._share).output(0),
                            bias_row=self.space.records(32 * (out - 1)))]

    def _shifted(self):
        """Pass that shifts the sum to 15 bits and one more, less half the range of an element."""
        return self._squares(z=self._sum.groups(0), bias_row=self._steps, scale=Scale.BITS32,
                             rounding=RoundMode.FLOOR, clip=(0, 2 * _HALF - 1), zero=-_HALF)

    def _to_even(self):
        """Passes that take 1 off the sum if it would be even without its last bit, so that halves
        go to even; not where nothing is dropped."""
        row   = self._steps + self.space.record_rows(1)
        words = self.space.record_rows(1) * self._ways
        bias  = Tiles(row * self._ways * BANKS, row * self._ways * BANKS,
                      (row * self._ways + words) * BANKS - 1, Memory.Y)
        half  = self.space.records(_HALF)
        zero  = self.space.word(0)
        fill  = {"outer": (1, 1, words), **bias.output(0, loop=2)}
        clear = self._one(self._sum, to=bias, **fill | {"y": zero})
        found = [clear, self._shifted(),
                 self._one(self._sum, to=self._low, bias_row=half, shift=1,
                           rounding=RoundMode.FLOOR),
                 self._one(self._sum, to=self._high, bias_row=half, shift=2,
                           rounding=RoundMode.FLOOR),
                 self._one(self._low, self._high, words=(1, -2), to=self._odd,
                           bias_row=self.space.records(-1)),
                 self._total(1, **self._right.output(0), clip=(_LEAST, _LEAST + 1), zero=-_LEAST)]
        right = replace(self._right.words(0), outer=(0, 0, 0))
        return [*found, self._one(self._odd, to=bias, **fill | {"y": right}), self._shifted()]
