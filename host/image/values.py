# SPDX-License-Identifier: Apache-2.0
"""Storage of an executable's values in external memory: shared places and element order."""

from dataclasses import dataclass, field
from functools import partial
from math import inf

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory, Opcode
from xymac.host.errors import InputError
from xymac.host.executable.steps import Read, Write
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.layout_rows import LayoutRows
from xymac.host.memory.wide import WideScatter
from xymac.host.memory.windows import WindowLayout

from .external import count_accesses
from .places import ElementPlace, WordPlace
from .positions import byte_positions, can_move_elements, positions_of

__all__ = ["Shared", "choose_place", "find_shared"]

_HALF   = 2  # bytes
_PREFER = 2  #: Largest accepted cost of a public array, relative to the words of the layout.


@dataclass
class Shared:
    """Values with a common place in external memory.

    Parameters
    ----------
    numbers : list of int, value numbers
    accesses : list of the values' Read and Write steps, in order
    shapes : dict, shapes by value number, with equal element counts
    blank : array with the values' type and size
    public : bool, whether the user writes or reads a value of them
    """

    numbers:  list
    shapes:   dict
    blank:    np.ndarray
    public:     bool
    accesses: list = field(default_factory=list)

    @property
    def key(self):
        """Equal, and hashable, for values with the same accesses: ``choose_place`` gives them equal
        places."""
        steps = [(type(step), step.layout, step.less, self.shapes[step.value],
                  *((cut.start, cut.stop, cut.step) for cut in step.part))
                 for step in self.accesses]
        return self.blank.shape, self.blank.dtype, self.public, *steps


def find_shared(values, copies, accesses, public):
    """Group values with a common place; returns a list of Shared.

    Parameters
    ----------
    values : dict, arrays by value number
    copies : list of value number pairs with a common place
    accesses : list of Read and Write steps
    public : set of int, numbers of values that the user writes or reads
    """
    group_of = {number: number for number in values}

    def root(number):
        while group_of[number] != number:
            number = group_of[number]
        return number

    for source, target in copies:
        group_of[root(target)] = root(source)
    shared = {}
    for number, blank in values.items():
        made = shared.setdefault(root(number), Shared([], {}, blank, public=False))
        made.numbers.append(number)
        made.shapes[number] = blank.shape
        made.public |= number in public
    for step in accesses:
        shared[root(step.value)].accesses.append(step)
    return list(shared.values())


def choose_place(shared, name, config, memory, *, arrays=False):
    """The place of Shared values with the fastest transfers, at offset 0.

    ``config`` and ``memory`` are the CoreConfig and the ExternalMemory. A public value stays an
    array in C order unless its transfers take more than twice the cycles; with ``arrays`` it always
    stays an array, if transfers exist. A 32-bit value is never an array: the core has half-words.
    InputError for values that no transfer can arrange.
    """
    steps = shared.accesses
    lanes, ways = config.lanes, config.ways
    less  = any(step.less for step in steps)
    if any(isinstance(step.layout, WideScatter) for step in steps):
        raise InputError(f"{name} has states among its constants, which a transfer cannot write")
    if len({step.less for step in steps}) > 1:
        raise InputError(f"{name} has a value with two number formats in the core, which a "
                         f"transfer cannot convert")
    words = _word_place(shared, less)
    if any(step.layout.bits > CELL_BITS for step in steps):
        return words or _as_stored(shared, less, lanes, wide=True) or ElementPlace.of_halves(
            shared.blank, lanes)
    array = ElementPlace.in_order(shared.blank, lanes, less=less)
    if not steps:
        return array
    if any(not can_move_elements(step.layout) for step in steps):
        words = words or _of_words(shared, less, lanes)
        if words is None:
            raise InputError(f"{name} has a value in several layouts, among them bytes in Y, "
                             f"which a transfer cannot arrange")
        return words
    cost  = partial(_cost, shared, config, memory)
    first = cost(array)
    if shared.public and (words is None or first <= _PREFER * cost(words) or (
            arrays and first < inf)):
        return array
    found = [(first, 0, array), *((cost(place), number, place) for number, place in
                                  enumerate(_candidates(shared, less, lanes, ways), 2))]
    if words is not None:
        found.append((cost(words), 1, words))
    return min(found, key=lambda each: each[:2])[-1]


def _cost(shared, config, memory, place):
    """Cycles of all transfers of Shared values at ``place``, and of programs that wait for X.

    Infinite if a transfer is impossible.
    """
    moves = [move for step in shared.accesses for move in place.moves(
        Opcode.LOAD if isinstance(step, Write) else Opcode.STORE, step.layout,
        shared.shapes[step.value], step.part, lambda value, item: 0)]
    if not all(move.is_aligned for move in moves):
        return inf
    return sum(memory.cycles(move, config) + count_accesses(move, config) // 2 * (
        move.opcode is Opcode.STORE) for move in moves)


def _word_place(shared, less):
    """The WordPlace if all steps move the whole value in the same layout, else None."""
    layouts = [step.layout for step in shared.accesses]
    if not layouts or any(step.part for step in shared.accesses) or any(
            isinstance(layout, LayoutRows) for layout in layouts):
        return None
    first = layouts[0]
    if not isinstance(first, TensorLayout):
        return None
    alike = all(isinstance(layout, TensorLayout) and layout.at(0) == first.at(0)
                for layout in layouts)
    if isinstance(first, WindowLayout) and any(isinstance(step, Read) for step in shared.accesses):
        alike &= len(layouts) == 1 or not _is_filled(first)
    return WordPlace(first, shared.shapes[shared.accesses[0].value], less) if alike else None


def _of_words(shared, less, lanes):
    """The ElementPlace of the words in Y, if all steps to bytes in Y write the whole value in the
    same layout, and all others move 8-bit elements; else None.
    """
    steps = [step for step in shared.accesses if not can_move_elements(step.layout)]
    first, shape = steps[0].layout, shared.shapes[steps[0].value]
    if not all(type(step.layout) is TensorLayout and isinstance(step, Write) and not step.part
               and step.layout.at(0) == first.at(0) for step in steps) or any(
            step.layout.bits != first.bits for step in shared.accesses):
        return None
    return ElementPlace.of_words(first, shape, lanes, less=less)


def _is_filled(layout):
    """Whether a reader may need elements not written by a layout's writer."""
    return bool((layout.taken < 0).any()) or layout.taken.size != np.unique(layout.taken).size


def _candidates(shared, less, lanes, ways):
    """Yield ElementPlaces: as the core stores, and in the layouts' dimension orders."""
    seen, shape = set(), shared.blank.shape
    for pairs in (False, True):
        if (place := _as_stored(shared, less, lanes, pairs=pairs)) is not None:
            yield place
    for step in shared.accesses:
        layout = step.layout.layout if isinstance(step.layout, LayoutRows) else step.layout
        axes   = getattr(layout, "axes", None) or layout.order
        if not axes or len(axes) != len(shape) or sorted(axes) != list(range(len(shape))):
            continue
        if tuple(axes) not in seen:
            seen.add(tuple(axes))
            last  = shape[axes[-1]]
            pitch = -(-last // ways) * ways
            yield ElementPlace.in_order(shared.blank, lanes, axes=tuple(axes), pitch=pitch,
                                        less=less)
            if pitch != last:
                yield ElementPlace.in_order(shared.blank, lanes, axes=tuple(axes), less=less)


def _as_stored(shared, less, lanes, *, pairs=False, wide=False):
    """The ElementPlace in which every transfer out of the core is a single row, or None if these
    do not cover the value, or have no ``pairs``; ``wide`` as in ElementPlace.
    """
    item   = _HALF if wide else shared.blank.itemsize
    places = np.full(shared.blank.nbytes // item, -1, np.int64)
    first  = 0
    if pairs and item > 1:
        return None
    for step in shared.accesses:
        if isinstance(step, Read):
            found = positions_of(step.layout, shared.shapes[step.value], step.part, lanes,
                                 writes=False)
            if pairs and found.memory is not Memory.X:
                return None
            lies  = byte_positions(found.places, lanes) if pairs else item * found.places
            low   = lies.min() // (2 * pairs or 1) * (2 * pairs or 1)
            places[found.taken] = first + lies - low
            first += int(lies.max() + item - low)
            first += first % 2 * pairs
    if (places < 0).any():
        return None
    return ElementPlace(item, places, first, lanes, less, pairs=pairs, wide=wide)
