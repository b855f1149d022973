# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices as passes."""

from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, Access, Op, Pass
from xymac.host.ir.contraction import Linear
from xymac.host.ir.windows import WindowRange
from xymac.host.lower.groups import split_outputs
from xymac.host.lower.orders import refuse_layout, refuse_pixels
from xymac.host.lower.scratch import place_behind, wide, with_room
from xymac.host.lower.sweep import narrow_outputs
from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_lanes, pack_vectors, to_cells, width_of
from xymac.host.memory.strip_pixels import StripPixels
from xymac.host.memory.strips import StripLayout
from xymac.host.memory.windows import WindowLayout

from .blocks import blocks_of, pack_blocks
from .loops import is_whole, loops_of_lanes, passes_of_blocks, repeat_batch
from .matrix import lay_rows, row_places
from .pixel_blocks import pack_pixel_blocks
from .records import pack_copies, pack_outputs, spread_records
from .side import put_side_by_side
from .slide import can_slide, pack_slide
from .split import split_matrix
from .spread_groups import move_groups, spread_groups
from .strip_rows import can_read_pixels, list_parts
from .strips import follow_strips
from .tiles import ImageLowering
from .turns import find_turns
from .written import written_forms

__all__ = ["LinearLowering"]


class LinearLowering(ImageLowering):
    """A convolution or a matrix."""

    forms        = (Linear,)
    writes_runs  = True
    takes_strips = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._form = replace(self.form, slides=self.can(Op.SLIDE))
        self._splits, self._word_cycles = {}, 0

    @property
    def takes_turns(self):
        """Whether weights go to input elements wherever these lie in a run."""
        return self._form.groups == 1

    @cached_property
    def by_turns(self):
        """See ``Lowering``; for a depthwise kernel with several outputs per channel."""
        return find_turns(self, self._form, self._spread) if self.parallel else None

    def keep_pixels_apart(self):
        """The form, with pixel packing disabled from now on."""
        self._form = replace(self._form, window=None)
        return self._form

    def source_layouts(self, preferred):
        """Pixel by pixel; a fully connected layer takes its input flattened."""
        [x], order = self.inputs, self._form.order
        return (lay_rows(x, self._rows, self.ways) if order is None
                else TensorLayout.of(x, order, self.ways),)

    def written_layouts(self):
        """Windows, where several taps to a group take fewer cycles."""
        return tuple(form.layout for form in self._written)

    @cached_property
    def _written(self):
        return written_forms(self._form, self.inputs[0], self.output,
                             self.ways) if self.parallel else []

    def refuses(self, sources):
        """Rows that are not alike, strips without passes, images that are not pixel by pixel."""
        form, [source] = self._form, sources
        if form.order is None:
            return None if row_places(source, self._rows) is not None else refuse_layout(
                f"The layer takes {self._rows} rows one after the other, its input of shape "
                f"{source.shape} lies in the order {source.order}, {source.inner} of them "
                f"together")
        if isinstance(source, StripLayout):
            if self.reads_strips(source) or self._strips(source) is not None:
                return None
            return refuse_layout(f"The layer has no passes on strips of {source.shape}")
        return None if isinstance(source, WindowLayout) else _refuse_order(form.order, source)

    def target_layout(self, sources):
        """The input layout."""
        form, [source] = self._form, sources
        if form.order is None:
            target = lay_rows(self.output, self._rows, source.ways)
        elif isinstance(source, StripLayout) and not self.reads_strips(source):
            target = self._strips(source).target
        else:
            if isinstance(source, StripLayout):
                source = StripPixels.of_strips(source)
            elif isinstance(source, WindowLayout):  # pixels side by side have nothing between them
                self.writes_runs = self._widen(source).side == 1
            target = (source.like(self.output) if form.lanes
                      else TensorLayout.of(self.output, form.order, source.ways))
        return with_room(target, self._room(source, target))

    def _room(self, source, target):
        """Scratch layouts behind the output.

        They hold outputs before a second rounding, partial-sum words, and the input spread over the
        banks.
        """
        split, spread = self._split(source), self._spread(source)
        return ([wide(target)] if self._form.narrow_to is not None else []) + (
            [split.sums] if split else []) + ([spread] if spread else [])

    @property
    def _rows(self):
        """Rows in the matrix input."""
        return self._form.cols[0].count

    def _taps(self, source):
        """Weights for a matrix [outputs, elements in an input row's vectors]."""
        places = row_places(source, self._rows)
        weights = self._form.weights.reshape(len(self._form.weights), -1)
        return np.where(places < 0, 0, weights[:, places]).astype(weights.dtype)

    def _split(self, source):
        """The Split for a matrix whose input lies at ``source``, or None."""
        if self._form.order is not None or self._rows > 1 or not self.parallel:
            return None
        key = source.arrangement, source.offset
        if key not in self._splits:
            self._splits[key] = split_matrix(self._form, self._taps(source), source)
        return self._splits[key]

    def _spread(self, source):
        """SpreadGroups for the input layout ``source``, or None."""
        if self._form.groups == 1 or not self.parallel or type(source) is not TensorLayout:
            return None
        key = source.arrangement, source.offset
        if key not in self._splits:
            self._splits[key] = spread_groups(self._form, source)
        return self._splits[key]

    @property
    def tile_lanes(self):
        """The core's lanes."""
        return BANKS * self.ways

    def constants(self, sources):
        """Weights and records; if outputs are rounded twice, an all-ones row follows the
        records."""
        source     = self._seen(sources[0])
        form, ways = self._widen(source), self.ways
        weights, records = form.weights, form.records
        if form.lanes:
            spread  = source.spread(weights.reshape(len(weights), -1).T).T
            cells   = (pack_slide(form, source) if can_slide(form, source)
                       else pack_lanes(np.tile(spread, (form.side, 1)), ways))
            records = [np.tile(record, form.side) for record in spread_records(form, source)]
            full, rest = divmod(source.pitch, BANKS)
            counts  = [full] * (full > 0) + [1] * (rest > 0)
        else:
            spread = self._spread(source)
            blocks = blocks_of(form, spread or source)
            counts = [block.count for block in blocks]
            if form.groups > 1:
                cells, records = pack_blocks(form, spread or source, blocks)
                if spread:
                    words = spread.move(source).words
                    cells = np.concatenate([cells, to_cells(words, 8, BANKS * ways * ways)])
            elif form.order is None:
                cells  = self._matrix_cells(source)
            elif form.side_stride:
                cells  = pack_pixel_blocks(form, source, blocks)
            else:
                taps   = weights.reshape(len(weights), -1, weights.shape[-1])
                cells  = pack_vectors(taps if form.strips else source.spread(taps), ways)
        if form.narrow_to is not None:
            cells = np.concatenate([cells, np.ones(BANKS * ways * ways, np.uint16)])
        bias = pack_outputs(form, records, counts, ways)
        if not form.lanes and self._spread(source):
            bias = np.concatenate([bias, pack_copies(form, ways)])
        return Constants(cells, BANKS * ways * ways, bias=bias)

    def weigh_constants(self, sources, cycles):
        """See ``Lowering``: output tiles across pixels take more words."""
        if cycles == self._word_cycles:
            return False
        before, self._word_cycles = self._widen(self._seen(sources[0])), cycles
        after = self._widen(self._seen(sources[0]))
        if (before.side, before.side_stride) == (after.side, after.side_stride):
            return False
        self._packed = None
        return True

    def _matrix_cells(self, source):
        """Memory words with the matrix weights."""
        taps, split = self._taps(source), self._split(source)
        if split is None:
            return pack_vectors(taps[:, None], self.ways)
        full = len(taps) - len(taps) % (BANKS * self.ways)
        return np.concatenate([pack_vectors(taps[:full, None], self.ways), *split.cells])

    def passes(self, sources, target, constants):
        """The sums, and perhaps their second rounding."""
        behind = place_behind(target, self._room(sources[0], target))
        source, moved = self._seen(sources[0]), []
        if self._spread(source):
            *behind, spread = behind
            moved  = move_groups(self._form, source, spread, constants)
            source = spread
        if self._form.narrow_to is None:
            return moved + self._sums(source, target, constants, behind)
        exact, *behind = behind
        row     = constants.weights_row + constants.weights.size // constants.row_cells - 1
        ones    = Access(base=row * target.ways, low=row * target.ways, high=row * target.ways)
        return (moved + self._sums(source, exact, constants, behind)
                + narrow_outputs(exact, target, ones, self._form.narrow_to))

    def reads_strips(self, layout):
        """See ``Lowering``."""
        if (not self.parallel or self._form.order is None or self._strips(layout)
                or not StripPixels.can_be_pixels(layout)):
            return False
        pixels = StripPixels.of_strips(layout)
        return can_read_pixels(self._pack_pixels(pixels), pixels)

    def _seen(self, source):
        """The TensorLayout ``source``, or StripPixels for strips read pixel by pixel."""
        reads = isinstance(source, StripLayout) and self.reads_strips(source)
        return StripPixels.of_strips(source) if reads else source

    def _widen(self, source):
        """The form for the input layout ``source``, possibly with several pixels at once."""
        if self._form.order is None or not self.parallel:
            return self._form
        if isinstance(source, StripLayout):
            return self._strips(source).linear
        if isinstance(source, WindowLayout):
            return next(form.linear for form in self._written
                        if form.layout.arrangement == source.arrangement)
        return self._pack_pixels(source)

    def _pack_pixels(self, source):
        return put_side_by_side(self._form, source, word_cycles=self._word_cycles)

    def _strips(self, source):
        """The Strips for the input StripLayout ``source``, or None."""
        form = next((form for form in self._written
                     if form.layout.arrangement == source.arrangement), None)
        return form or follow_strips(self._form, source, self.output)

    def _sums(self, source, target, constants, behind):
        form   = self._widen(source)
        if target.gap and form.window:  # pixels have others between them
            form = replace(form, cols=self._form.cols)
        common = {"x_width": width_of(source.bits), "y_width": width_of(8 * form.weights.itemsize),
                  "z_width": width_of(target.bits), **form.output}
        parts = list_parts(form, source)
        if (form.order is not None and not form.lanes and len(parts) == 1
                and is_whole(parts[0][0], source, target)):
            parts = [((WindowRange(), WindowRange(count=prod(target.dims))), source)]
            form  = replace(form, batch=1)
        if form.lanes:
            passes = [part for pair, own in parts for part in split_outputs(Pass(
                bias_row=constants.y_row, once=form.once, **common,
                **loops_of_lanes(form, pair, own, target, constants)), target, pair[1].width)]
        else:
            passes = [part for pair, own in parts for part in passes_of_blocks(
                form, pair, own, target, constants, common)]
            if behind:
                passes = self._add_split(passes, source, *behind, constants, common)
        return repeat_batch(passes, form.batch, source, target)

    def _add_split(self, passes, source, sums, constants, common):
        """Passes for a matrix; the last pass adds up partial sums."""
        split, [*full, last] = self._split(source), passes
        words = sum(pass_.loop.outer[0] * split.groups for pass_ in full)
        rows  = -(-words // (CELL_BITS // (8 * split.weights.itemsize)))
        full  = [replace(pass_, y=replace(pass_.operands.y, high=pass_.operands.y.low + words - 1))
                 for pass_ in full]
        return [*split.passes(source, sums, constants, common, rows), *full,
                replace(last, **split.last(sums, constants, rows))]


def _refuse_order(order, source):
    """Refusal unless the TensorLayout ``source`` is pixel by pixel in ``order``."""
    if len(order) == 3 or (source.order, source.inner) == (order, 1):
        return refuse_pixels(order, source)
    return refuse_layout(f"The layer takes its input pixel by pixel, but that lies in the order "
                         f"{source.order}, {source.inner} of them together")
