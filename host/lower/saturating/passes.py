# SPDX-License-Identifier: Apache-2.0
"""Sums that saturate after each block, or wrap, as passes: see ``host.lower.saturating.steps``.

Windows extending past the image read a copy with padding. Depthwise kernels read a copy whose
channels fill full output vectors. Finished sums are scaled from their two words.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, Access, Shape, Width, bias_rows
from xymac.host.ir.saturating import SaturatingSum
from xymac.host.lower.channels import over_channels
from xymac.host.lower.linear.tiles import ImageLowering
from xymac.host.lower.orders import refuse_pixels
from xymac.host.lower.scratch import place_behind, wide, with_room
from xymac.host.lower.sweep import Loop, copy, elementwise, narrow_outputs, sweep
from xymac.host.lower.words32 import FACTORS32, join_words32
from xymac.host.memory.constants import Constants, lane_words
from xymac.host.memory.layout import LOW_OFFSET, TensorLayout
from xymac.host.memory.packing import pack_lanes, pack_records, to_cells, vector_words, width_of

from .steps import Places, Step, choose, copies, sum_passes

__all__ = ["SaturatingLowering"]

_ONE, _ZERO, _LOWER = range(len(FACTORS32), len(FACTORS32) + 3)  #: Further words.
_WORDS = np.array([*FACTORS32, 1, 0, -LOW_OFFSET], np.int16)


class SaturatingLowering(ImageLowering):
    """A convolution, matrix or mean whose accumulators can saturate between blocks, or wrap."""

    forms = (SaturatingSum,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._form = self.form

    def source_layouts(self, preferred):
        """Pixel by pixel; a matrix reads its input flattened."""
        [x], order = self.inputs, self._form.order
        return (TensorLayout.flat(x, self.ways) if order is None
                else TensorLayout.of(x, order, self.ways),)

    def refuses(self, sources):
        """An image that is not pixel by pixel."""
        order = self._form.order
        return None if order is None else refuse_pixels(order, *sources)

    def target_layout(self, sources):
        """Pixel by pixel, or a single run."""
        form, [source] = self._form, sources
        target = TensorLayout.of(self.output, range(len(self.output.shape)), source.ways,
                                 parts=source.parts if form.lanes else None)
        return with_room(target, self._scratch(_walk(form, source), target))

    def _scratch(self, walk, target):
        """Unplaced TensorLayouts behind the output: accumulators, ones, the optional copy, and
        outputs before a second rounding.
        """
        form, lanes = self._form, BANKS * self.ways
        sums = TensorLayout((form.rows, form.cols, walk.groups * lanes), 32, self.ways, (0, 1, 2),
                            1, (walk.groups * lanes,))
        ones = TensorLayout((lanes,), 16, self.ways, (0,), 1, (lanes,))
        return [sums, ones, *([walk.layout] if walk.copied else []),
                *([wide(target)] if form.narrow_to else [])]

    def constants(self, sources):
        """Words for the accumulators, then the blocks; biases, then requantisation parameters."""
        form, ways, walk = self._form, self.ways, _walk(self._form, sources[0])
        scheme = choose(form, _steps(form, walk), walk.groups)
        words  = lane_words(_WORDS, ways)
        cells  = [words.weights, _blocks(form, walk)]
        start  = np.full(len(form.bias), LOW_OFFSET) + form.bias * form.wraps
        begin  = form.bias if form.begin is None else form.begin
        biases = pack_records([walk.spread(begin)], ways).reshape(walk.groups, 1, -1)
        last   = pack_records([walk.spread(record) for record in (*form.records, start)], ways)
        biases = np.repeat(biases, copies(form, scheme), axis=1).ravel()
        return Constants(np.concatenate(cells), words.row_cells, np.concatenate([biases, last]))

    def passes(self, sources, target, constants):
        """Passes writing ones, the optional copy, the block sums, then the finished outputs."""
        form, [source], ways = self._form, sources, self.ways
        walk = _walk(form, source)
        sums, ones, *more = place_behind(target, self._scratch(walk, target))
        walk   = replace(walk, layout=more[0] if walk.copied else source)
        steps  = _steps(form, walk)
        scheme = choose(form, steps, walk.groups)
        one    = constants.word(_ONE, 16, ways)
        passes = sweep(elementwise(16, 16, x=ones.access(), y=one, y_width=Width.BITS16,
                                   z=ones.access(), clip=(1, 1)), ones.groups, (0, 0, BANKS))
        if walk.copied:
            passes += _border(form, source, walk.layout, one, _byte(constants, _ONE, ways))
        passes += sum_passes(form, _places(form, walk, sums, ones, steps, constants), walk.groups,
                             scheme, ways)
        first   = constants.y_row + walk.groups * copies(form, scheme) * bias_rows(ways)
        exact   = target if form.narrow_to is None else more[-1]
        passes += over_channels(join_words32(sums, constants), exact, prod(sums.dims),
                                bias_row=first, **form.output)
        if form.narrow_to is None:
            return passes
        return passes + narrow_outputs(exact, target, one, form.narrow_to)


@dataclass(frozen=True)
class _Walk:
    """The unplaced layout that windows read, and each pixel's element indices in it.

    Parameters
    ----------
    layout : TensorLayout, the source itself or with ``copied`` a copy
    pitch, width : vectors per pixel, pixels per row
    start : (row, column) of the first window
    slots : a pixel's element indices within its vectors
    run : layout whose runs are the outputs in the lanes; None if outputs fill consecutive vectors
    groups : output vectors, ``BANKS`` vectors each
    """

    layout: TensorLayout
    copied: bool
    pitch:  int
    width:  int
    start:  tuple
    slots:  np.ndarray
    run:    TensorLayout | None
    groups: int

    def spread(self, values):
        """``values`` [outputs] in lane order."""
        return values if self.run is None else self.run.spread(values)


def _walk(form, source):
    ways   = source.ways
    groups = -(-(source.pitch if form.lanes else -(-len(form.bias) // ways)) // BANKS)
    if form.order is None:
        places = source.places()
        slots  = np.empty(int(places.max()) + 1, int)
        slots[places[places >= 0]] = np.flatnonzero(places >= 0)
        return _Walk(source, False, source.groups, 1, (0, 0), slots, None, groups)
    sizes = [(count - 1) * stride + kernel for count, stride, kernel
             in zip((form.rows, form.cols), form.stride, form.kernel, strict=True)]
    inside = all(start >= 0 and start + size <= held for start, size, held
                 in zip(form.start, sizes, source.dims, strict=True))
    run = source if form.lanes else None
    moved = form.taken is not None or form.spread != (1, 1)
    if inside and not moved and not (form.lanes and source.pitch % BANKS):
        return _Walk(source, False, source.pitch, source.dims[1], form.start, source.slots(), run,
                     groups)
    pitch = groups * BANKS if form.lanes else source.pitch
    bits  = source.bits if form.taken is None else CELL_BITS
    layout = TensorLayout((*sizes, pitch * ways), bits, ways, (0, 1, 2), 1, (pitch * ways,))
    return _Walk(layout, True, pitch, sizes[1], (0, 0), source.slots(), run, groups)


def _steps(form, walk):
    """The Steps for all blocks."""
    steps, first = [], 0
    for block in form.blocks:
        cols  = block.weights.shape[1]
        slots = _slots(block, walk)
        low   = 0 if form.lanes else int(slots.min()) // walk.layout.ways
        taken = 1 if form.lanes else int(slots.max()) // walk.layout.ways + 1 - low
        words = cols * taken
        steps.append(Step((block.row * walk.width + block.col) * walk.pitch + low, cols, taken,
                          words, first, block.x_zero))
        first += walk.groups * words
    return tuple(steps)


def _slots(block, walk):
    return walk.slots[block.first:block.first + block.weights.shape[2]]


def _blocks(form, walk):
    """Memory words for all blocks, in full rows."""
    ways, rows = walk.layout.ways, []
    if form.lanes:
        spread = walk.spread(np.stack([block.weights[:, 0, 0] for block in form.blocks]))
        padded = np.pad(spread, ((0, 0), (0, -spread.shape[1] % (BANKS * ways))))
        words  = padded.reshape(-1, BANKS * ways)
        return pack_lanes(words.T, ways)
    for block, step in zip(form.blocks, _steps(form, walk), strict=True):
        slots = _slots(block, walk)
        taps  = np.zeros((*block.weights.shape[:2], step.groups * ways), block.weights.dtype)
        taps[..., slots - slots.min() // ways * ways] = block.weights
        rows.append(vector_words(taps, ways))
    return to_cells(np.concatenate(rows), 8 * rows[0].itemsize, BANKS * ways * ways)


def _places(form, walk, sums, ones, steps, constants):
    ways  = walk.layout.ways
    bits  = 8 * form.blocks[0].weights.itemsize
    units = CELL_BITS // bits * (ways if form.lanes else 1)
    base  = (constants.weights_row + -(-len(_WORDS) // ways)) * units
    last  = steps[-1]
    shape = Shape.LANES if form.lanes else Shape.VECTOR
    row, col = form.stride
    return Places(
        layout=walk.layout, sums=sums, ones=ones, pitch=walk.pitch, steps=steps,
        origin=(walk.start[0] * walk.width + walk.start[1]) * walk.pitch,
        row=row * walk.width * walk.pitch, col=col * walk.pitch,
        weights=Access(base, base, base + last.first + walk.groups * last.words - 1),
        bias_row=None if form.begin is None else constants.y_row, wraps=form.wraps,
        zero=constants.word(_ZERO, 16, ways), lower=constants.word(_LOWER, 16, ways),
        fields={"x_shape": shape, "y_shape": shape, "x_width": width_of(walk.layout.bits),
                "y_width": width_of(bits)})


def _byte(constants, index, ways):
    """Access to the low byte of a 16-bit word."""
    base = (constants.weights_row + index // ways) * 2 * ways + index % ways
    return Access(base, base, base)


def _border(form, source, target, one, byte):
    """Passes copying the image elements under the windows, and filling padding and gaps."""
    passes = sweep(elementwise(source.bits, target.bits, x=source.access(), x_shape=Shape.VECTOR,
                               y=one, y_width=Width.BITS16, z=target.access(),
                               clip=(form.outside,) * 2), target.groups, (0, 0, BANKS))
    ranges = [_find_reached(*axis) for axis in zip(form.start, target.dims, source.dims,
                                                   form.spread, strict=True)]
    counts = [len(reached) for reached in ranges]
    if min(counts) < 1:
        return passes
    pitches = [(each.dims[1] * each.pitch, each.pitch) for each in (source, target)]
    steps   = [step * spread for step, spread in zip(pitches[1], form.spread, strict=True)]
    loops   = [Loop(count, x, 0, z) for count, x, z in zip(counts, pitches[0], steps, strict=True)]
    x = sum(reached[0] * step for reached, step in zip(ranges, pitches[0], strict=True))
    z = sum((reached[0] * spread - start) * step for reached, spread, start, step
            in zip(ranges, form.spread, form.start, pitches[1], strict=True))
    return passes + copy(source, target, byte, source.pitch, loops, x, z, x_zero=form.taken or 0)


def _find_reached(start, size, held, spread):
    """Indices of an axis of ``held`` elements, within ``size`` positions from ``start``."""
    return range(-(-max(start, 0) // spread), min(-(-(start + size) // spread), held))
