# SPDX-License-Identifier: Apache-2.0
"""Value storage in external memory: as layout words, or element by element."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from xymac.hdl.isa import CELL_BITS, Opcode
from xymac.host.memory.scatter import invert_units

from .entries import Move
from .positions import byte_positions, can_move_elements, positions_of
from .rectangles import cut_rectangles
from .space import REGION_OF

__all__ = ["FILL_BYTES", "ElementPlace", "WordPlace", "shorten"]

FILL_BYTES = 256  #: Bytes of a row of equal elements, for positions beside a value.

_HALF = 2    # bytes
_LESS = 0x80  # offset of uint8 elements from int8


@dataclass(frozen=True)
class WordPlace:
    """A value stored as its layout's words in the core.

    Parameters
    ----------
    layout : the whole value's layout
    shape : tuple of int, the value's shape in this layout
    less : bool, whether uint8 elements are stored minus 128 as int8
    offset : int, first byte in the image
    """

    layout: object
    shape:  tuple
    less:   bool
    offset: int = 0

    @property
    def bytes(self):
        """Size."""
        return _HALF * self.layout.count

    def encode(self, data):
        """The value's bytes, uint8 array."""
        data = data.reshape(self.shape)
        data = (data ^ _LESS).view(np.int8) if self.less else data
        return np.ascontiguousarray(self.layout.cells(data)).view(np.uint8)

    def decode(self, content, blank):
        """Array like ``blank`` from the value's bytes."""
        data = self.layout.data(np.array(content).view(np.uint16))
        data = data.view(np.uint8) ^ _LESS if self.less else data
        return data.astype(blank.dtype).reshape(blank.shape)

    def moves(self, opcode, layout, shape, part, fill_at, cuts=()):
        """Moves between this place and the layout in the core; see ``ElementPlace``."""
        group  = _HALF * self._lanes if layout.bits < CELL_BITS else 1
        first  = _HALF * layout.first_cell
        bounds = [_HALF * self._lanes * -(-cut // group) if group > 1 else _HALF * cut
                  for cut in cuts]
        inside = sorted({bound - first for bound in bounds if 0 < bound - first < self.bytes})
        return [Move(opcode, REGION_OF[layout.memory], first + low, high - low,
                     external=self.offset + low)
                for low, high in pairwise([0, *inside, self.bytes])]

    def describe(self):
        """Where the elements lie: see ``xymac.host.image.description``."""
        found = positions_of(self.layout.at(0), self.shape, (), self._lanes, writes=True)
        if self.layout.bits > CELL_BITS:
            return _describe_halves(self._word_bytes(found))
        told  = {"places": shorten(self._word_bytes(found))}
        if not np.array_equal(found.taken, np.arange(int(np.prod(self.shape)))):
            told |= {"takes": shorten(found.taken), "fill": found.fill}
        return told

    @property
    def _lanes(self):
        return self.layout.row_cells

    def _word_bytes(self, found):
        """Byte for each position."""
        if found.bits == CELL_BITS:
            return _HALF * found.places
        block, rest = np.divmod(found.places, 2 * self._lanes)
        return _HALF * (block * self._lanes + rest % self._lanes) + rest // self._lanes


def _describe_halves(places):
    """The description of 32-bit elements with the bytes ``places`` of their half-words."""
    return {"places": shorten(places[::2]), "upper": shorten(places[1::2])}


def shorten(numbers):
    """(first, count, step) triples for numbers in order."""
    numbers = np.asarray(numbers, np.int64)
    triples, start = [], 0
    steps   = np.diff(numbers)
    changes = np.append(np.flatnonzero(np.diff(steps)) + 1, len(steps))
    while start < len(numbers):
        end = start + 1
        if start < len(steps):
            end = int(changes[np.searchsorted(changes, start, side="right")]
                      if start < changes[-1] else len(steps)) + 1
        step = int(steps[start]) if end > start + 1 else 0
        triples.append([int(numbers[start]), end - start, step])
        start = end
    return triples


@dataclass(frozen=True, eq=False)
class ElementPlace:
    """A value element by element.

    Parameters
    ----------
    item : int, bytes per element, or per half-word of a ``wide`` value
    places : int array, byte for each element of the flattened value, or for each half-word of a
        ``wide`` value, from ``offset`` on
    bytes : int, size
    lanes : int, words per X row
    less : bool, see ``WordPlace``
    offset : int, first byte in the image
    pairs : bool, whether 8-bit elements of X move in pairs, as the words that hold them, which
        takes half as many reads of X; only where each Move then has whole words
    wide : bool, whether the value has 32-bit elements as the core stores them, in half-words; see
        ``Scatter``
    words : TensorLayout of bytes in Y, at row 0, or None; the place then holds its words, so that
        it can be moved to such a layout, as a whole
    """

    item:   int
    places: np.ndarray
    bytes:  int
    lanes:  int
    less:   bool = False
    offset: int = 0
    pairs:  bool = False
    wide:   bool = False
    words:  object = None

    @classmethod
    def in_order(cls, data, lanes, *, axes=None, pitch=None, less=False):
        """Place for an array like ``data`` with its dimensions in the order ``axes``, the last
        dimension's elements ``pitch`` apart; by default the array bytes.
        """
        axes  = tuple(range(data.ndim)) if axes is None else axes
        shape = tuple(data.shape[axis] for axis in axes)
        last  = shape[-1] if shape else 1
        pitch = last if pitch is None else pitch
        index = np.arange(data.size).reshape(data.shape).transpose(axes).reshape(-1, last)
        lies  = np.arange(len(index))[:, None] * pitch + np.arange(last)
        places = np.empty(data.size, np.int64)
        places[index.ravel()] = data.itemsize * lies.ravel()
        return cls(data.itemsize, places, data.itemsize * len(index) * pitch, lanes, less)

    @classmethod
    def of_words(cls, layout, shape, lanes, *, less=False):
        """Place for a value of 8-bit elements as the words of its ``layout`` in Y."""
        words  = layout.at(0)
        found  = positions_of(words, shape, (), lanes, writes=True)
        places = np.empty(found.taken.size, np.int64)
        places[found.taken] = byte_positions(found.places, lanes)
        return cls(1, places, _HALF * words.count, lanes, less, words=words)

    @classmethod
    def of_halves(cls, data, lanes):
        """Place for an array like ``data`` of 32-bit elements: its bytes, but for the highest bits
        of low half-words.
        """
        places = _HALF * np.arange(data.nbytes // _HALF)
        return cls(_HALF, places, data.nbytes, lanes, wide=True)

    @property
    def is_array(self):
        """Whether these are the array bytes."""
        return not self.wide and self.bytes == self.item * self.places.size and np.array_equal(
            self.places, self.item * np.arange(self.places.size))

    def encode(self, data):
        """The value's bytes, uint8 array; 0 between elements."""
        data  = data ^ _LESS if self.less else data
        units = np.ascontiguousarray(data).reshape(-1).view(f"i{self.item}")
        bytes_ = np.zeros(self.bytes, np.uint8)
        bytes_.view(f"i{self.item}")[self.places // self.item] = (
            invert_units(units) if self.wide else units)
        return bytes_

    def describe(self):
        """Where the elements lie: see ``xymac.host.image.description``."""
        if self.wide:
            return _describe_halves(self.places)
        return {} if self.is_array else {"places": shorten(self.places)}

    def decode(self, content, blank):
        """Array like ``blank`` from the value's bytes."""
        flat = np.array(content).view(f"i{self.item}")[self.places // self.item]
        flat = invert_units(flat) if self.wide else flat
        flat = flat.view(blank.dtype) ^ _LESS if self.less else flat.view(blank.dtype)
        return flat.reshape(blank.shape)

    def moves(self, opcode, layout, shape, part, fill_at, cuts=()):
        """Moves between this place and the layout for the value's ``part`` in the core.

        ``fill_at(value, item)`` is the image byte at which ``FILL_BYTES`` bytes with ``value``
        elements begin. No move goes across the positions ``cuts``.
        """
        if self.words is not None and not can_move_elements(layout):
            return WordPlace(self.words, shape, self.less, self.offset).moves(
                opcode, layout, shape, part, fill_at, cuts)
        found  = positions_of(layout, shape, part, self.lanes, writes=opcode is Opcode.LOAD)
        period = np.searchsorted(sorted(cuts), found.places, side="right")
        return [move for number in np.unique(period) for move in self._moves(
            opcode, layout, found.among(period == number), fill_at)]

    def _moves(self, opcode, layout, found, fill_at):
        """Moves of the Positions ``found``."""
        unit  = 1 if found.bits == 8 else _HALF
        taken = found.taken >= 0
        core  = found.places[taken]
        pairs = self.pairs and found.bits == 8
        moves = [Move(opcode, REGION_OF[layout.memory], unit * each.core, unit * each.size,
                      each.rows, unit * each.core_stride, self.offset + unit * each.external,
                      unit * each.external_stride, narrow=found.bits == 8 and not pairs)
                 for each in cut_rectangles(byte_positions(core, self.lanes) if pairs else core,
                                            self.places[found.taken[taken]] // unit)]
        if taken.all():
            return moves
        source = fill_at(found.fill, self.item)
        beside = found.places[~taken]
        return moves + [
            Move(opcode, REGION_OF[layout.memory], unit * each.core, unit * each.size, each.rows,
                 unit * each.core_stride, source, narrow=found.bits == 8)
            for each in cut_rectangles(beside, beside, FILL_BYTES // unit)]
