# SPDX-License-Identifier: Apache-2.0
"""Split-K for a matrix with few outputs: idle lanes each sum some inputs.

A normal step feeds a single input vector to all lanes: with one output it computes ``ways``
products. Here a step reads ``BANKS`` vectors. With a single output each lane has its own input;
otherwise each lane bank has its own vector (``Op.CROSS``). The partial sums are written as two
16-bit words, and a last pass adds them to the bias. Every such sum is exact.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from xymac.hdl.isa import (
    BANKS,
    CELL_BITS,
    HELD,
    Access,
    AccumulatorRange,
    Op,
    Pass,
    RoundMode,
    Shape,
    Width,
)
from xymac.host.ir.fields import container_clip
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_lanes, to_cells

__all__ = ["PartialSums", "SplitSums", "split_matrix"]

#: Low-word bits of a partial sum, and the 16-bit factors whose sum scales the high word.
_LOWS = {14: (1 << 14,), 15: (1 << 14, 1 << 14)}
#: Maximum cycles for writing and adding the partial sums, and for each further share.
_MORE, _EACH = 130, 14


@dataclass(frozen=True)
class PartialSums:
    """Partial sums for some outputs, a sum per lane.

    Parameters
    ----------
    first, count : first output, output count
    spread : int, output vectors per step; 0 for a single output in all lanes
    """

    first:  int
    count:  int
    spread: int

    def outputs(self, ways):
        """Output index for each lane's partial sum (array), or -1."""
        lane = np.arange(BANKS * ways)
        if not self.spread:
            return np.full(lane.size, self.first)
        place = lane % (self.spread * ways)
        return np.where(place < self.count, self.first + place, -1)

    def steps(self, groups):
        """Step count for ``groups`` input vectors."""
        return -(-groups // BANKS) * max(1, self.spread)


@dataclass(frozen=True)
class SplitSums:
    """Split-K accumulation for outputs that do not fill the lanes.

    Parameters
    ----------
    shares : tuple of PartialSums
    weights : int8 or int16 [outputs, elements in the input vectors], for all outputs
    low_bits : int, bits of a partial sum in its low word
    ways : int
    """

    shares:   tuple
    weights:  np.ndarray
    low_bits: int
    ways:     int

    @property
    def groups(self):
        """Input vector count."""
        return self.weights.shape[1] // self.ways

    @property
    def sums(self):
        """Unplaced TensorLayout for the partial-sum words."""
        lanes = BANKS * self.ways
        return TensorLayout((len(self.shares), lanes), 32, self.ways, (0, 1), 1, (lanes,))

    @cached_property
    def cells(self):
        """Memory words: every share's weights, the last pass's weights, and two further words."""
        lanes = BANKS * self.ways
        words = np.zeros((1 + len(_LOWS[self.low_bits]), lanes), np.int16)
        words[1:] = -np.array(_LOWS[self.low_bits])[:, None]
        own   = [pack_lanes(self._weigh(share), self.ways) if not share.spread
                 else to_cells(self._weigh(share), 8 * self.weights.itemsize, self._row_cells)
                 for share in self.shares]
        return [*own, to_cells(self._add(), CELL_BITS, self._row_cells),
                pack_lanes(words.T, self.ways)]

    @property
    def _row_cells(self):
        return self.ways * BANKS * self.ways

    def _weigh(self, share):
        """Weights for a share: [lanes, steps] by lanes, else [steps, ways, lanes]."""
        ways, blocks = self.ways, -(-self.groups // BANKS)
        padded = np.pad(self.weights, ((0, 0), (0, (blocks * BANKS - self.groups) * ways)))
        if not share.spread:
            return padded[share.first].reshape(blocks, -1).T
        outputs = share.outputs(ways)
        step, lane = np.divmod(np.arange(blocks * share.spread), share.spread), np.arange(
            BANKS * ways)
        group  = BANKS * step[0][:, None] + (step[1][:, None] ^ lane // ways)
        inputs = group[:, None] * ways + np.arange(ways)[:, None]
        return padded[outputs, inputs] * (outputs >= 0).astype(padded.dtype)

    def _add(self):
        """Weights for the last pass, int16 [words, ways, lanes].

        Each lane adds the partial sums for its output, first the high words and then the low words.
        """
        high   = _LOWS[self.low_bits]
        first  = min(share.first for share in self.shares)
        held   = np.stack([share.outputs(self.ways) for share in self.shares])
        taken  = held.reshape(-1, self.ways)[..., None] == first + np.arange(BANKS * self.ways)
        factors = [*high, 1, *[0] * (len(high) - 1)]
        return np.concatenate([taken * factor for factor in factors]).astype(np.int16)

    def passes(self, source, sums, constants, common, above):
        """Passes writing the partial-sum words.

        Parameters
        ----------
        source, sums : placed TensorLayouts: inputs, and words
        constants : placed Constants with ``cells`` at their end
        common : dict, input, weight and output fields for the passes
        above : int, Y rows between ``constants`` and ``cells``
        """
        rows   = self._rows(constants.weights_row + above)
        high, low = sums.words32
        held   = {"hold": True, "rounding": RoundMode.FLOOR, "z": high.access(),
                  "acc_range": AccumulatorRange.BITS40, "z_width": Width.BITS16}
        inputs = {name: common[name] for name in ("x_width", "y_width", "x_zero")
                  if name in common}
        made   = [Pass(entry=entry, **inputs, **held, **self._operands(share, source, row))
                  for entry, (share, row) in enumerate(zip(self.shares, rows, strict=False))]
        count  = len(self.shares)
        take   = held | {"hold": False, "resume": True, "x_shape": Shape.LANES,
                         "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                         "clip": container_clip(CELL_BITS), "outer": (count, 1, 1)}
        base   = rows[-1] * self.ways
        lower  = len(_LOWS[self.low_bits])
        step   = (BANKS * (count > 1), 0, 0)
        made.append(Pass(**take | {"x": low.access(step), "y": Access(base, base, base),
                                   "z": high.access(step), "shift": self.low_bits}))
        made.append(Pass(**take | {
            "x": high.access(step), "z": low.access(step), "taps": (1, lower, 1),
            "y": Access(base + 1, base + 1, base + lower, taps=(0, int(lower > 1), 0))}))
        return made

    def last(self, sums, constants, above):
        """Fields for the pass adding up the words; parameters as in ``passes``."""
        row, count = self._rows(constants.weights_row + above)[-2], len(self.shares) * BANKS
        factors = len(_LOWS[self.low_bits])
        return {"x": sums.access(taps=(sums.apart, 0, 1)), "x_width": Width.BITS16, "x_zero": 0,
                "y": Access(row, row, row + 2 * factors * count - 1,
                            taps=(factors * count, count * (factors > 1), 1)),
                "y_width": Width.BITS16, "taps": (2, factors, count)}

    def _rows(self, first):
        """First ``cells`` row for each part."""
        sizes = [cells.size // self._row_cells for cells in self.cells]
        return [*accumulate(sizes, initial=first)][:-1]

    def _operands(self, share, source, row):
        """X and Y fields for a share's pass."""
        units  = CELL_BITS // (8 * self.weights.itemsize)
        blocks = -(-self.groups // BANKS)
        count  = share.steps(self.groups)
        access = source.access(taps=(0, BANKS * (blocks > 1), int(share.spread > 1)))
        x      = Access(access.base, access.low, access.high | BANKS - 1, taps=access.taps)
        if not share.spread:
            base = row * units * self.ways
            return {"x": x, "y": Access(base, base, base + count - 1,
                                        taps=(0, int(blocks > 1), 0)),
                    "taps": (1, blocks, 1), "x_shape": Shape.LANES, "y_shape": Shape.LANES}
        base = row * units
        return {"x": x, "y": Access(base, base, base + count - 1, taps=(
            0, share.spread * (blocks > 1), int(share.spread > 1))),
            "taps": (1, blocks, share.spread), "op": Op.CROSS}


def split_matrix(linear, taps, source):
    """The SplitSums for a single-row matrix, or None if it saves no cycles or partial sums can be
    too large.

    Parameters
    ----------
    linear : Linear
    taps : its weights [outputs, elements in the input vectors]
    source : input TensorLayout
    """
    ways  = source.ways
    rest  = len(taps) % (BANKS * ways)
    shares, groups = _share(len(taps) - rest, rest, ways), taps.shape[1] // ways
    if (not shares or source.offset % BANKS or len(shares) > HELD
            or sum(share.steps(groups) + _EACH for share in shares) + _MORE - _EACH >= groups):
        return None
    zero = linear.output.get("x_zero", 0)
    peak = max(abs(limit - zero) for limit in container_clip(source.bits))
    for bits in _LOWS:
        split   = SplitSums(shares, taps, bits, ways)
        largest = max(_largest(split, share) for share in shares) * peak
        if largest < 1 << CELL_BITS - 1 + bits:
            return split
    return None


def _largest(split, share):
    """The largest sum of a lane's weight magnitudes."""
    weights = np.abs(split._weigh(share).astype(np.int64))
    return int((weights.sum(1) if not share.spread else weights.sum((0, 1))).max())


def _share(first, rest, ways):
    """Shares for the outputs after the ``first`` outputs; none if these fill the lanes."""
    if rest == 1 or (ways == 1 and rest):
        return tuple(PartialSums(first + index, 1, 0) for index in range(rest))
    groups = -(-rest // ways)
    bounds = {1: (1,), 2: (2,), 3: (2, 1)}.get(groups, ())
    shares = []
    for spread, (start, end) in zip(bounds, pairwise([*accumulate(bounds, initial=0)]),
                                    strict=True):
        shares.append(PartialSums(first + start * ways, min(end * ways, rest) - start * ways,
                                  spread))
    return tuple(shares)
