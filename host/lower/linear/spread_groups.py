# SPDX-License-Identifier: Apache-2.0
"""Grouped convolutions whose outputs need few inputs, moved to a separate vector per bank.

A bank's outputs may need less than an input vector, for instance with a depthwise kernel and two
outputs per channel. All banks' inputs then occupy fewer vectors than there are banks, and a pass
takes a step for each. If every bank has its inputs in its own vector, crossed, a pass takes a
single step. An earlier pass moves the channels there, some to several banks.
"""

from dataclasses import dataclass, replace

from xymac.hdl.isa import BANKS, bias_rows
from xymac.host.lower.move.run_move import RunMove
from xymac.host.memory.layout import TensorLayout

from .blocks import blocks_of
from .records import COPY_RECORDS, copy_fields
from .side import window_cost

__all__ = ["SpreadGroups", "move_groups", "spread_groups"]

_MOVE = 60  #: Cycles for the move passes, and for waiting on them.


@dataclass(frozen=True)
class SpreadGroups(TensorLayout):
    """An image whose pixels have an input vector for each output vector; its ``parts`` are full
    rows.

    Parameters
    ----------
    elements : tuple of int, channel at every pixel position, -1 for none
    homes : tuple of int, input vector for every output vector
    """

    elements: tuple = ()
    homes:    tuple = ()

    def move(self, source):
        """The RunMove for the pixels of the TensorLayout ``source``."""
        places = [-1 if element < 0 else int(source.slots()[element]) for element in self.elements]
        return RunMove(tuple(places), source.distance, source.groups // source.pitch, source.ways)


def spread_groups(linear, source):
    """Unplaced SpreadGroups for an input TensorLayout ``source``; None where they save no cycles.

    Parameters
    ----------
    linear : Linear, with channel groups
    source : TensorLayout
    """
    ways, outputs = source.ways, len(linear.weights)
    each, held    = outputs // linear.groups, linear.weights.shape[3]
    if ways == 1 or linear.window is None or source.gap:
        return None
    needs = [{first // each * held + at for first in range(
        group, min(group + ways, outputs)) for at in range(held)}
        for group in range(0, outputs, ways)]
    if max(map(len, needs)) > ways // 2:
        return None
    rows, homes = [], []
    for first in range(0, len(needs), BANKS):
        block  = needs[first:first + BANKS]
        joined = [have | need for have, need in zip(rows[-1], block, strict=False)] if rows else []
        if joined and max(map(len, joined)) <= ways:
            rows[-1] = joined + rows[-1][len(joined):]
        else:
            rows.append(block + [set()] * (BANKS - len(block)))
        homes += [(len(rows) - 1) * BANKS + bank for bank in range(len(block))]
    elements = [place for row in rows for group in row
                for place in sorted(group) + [-1] * (ways - len(group))]
    layout = SpreadGroups(**vars(replace(source.at(0), parts=(len(elements),), before=0, behind=0,
                                         offset=0)), elements=tuple(elements), homes=tuple(homes))
    now, then = (sum(block.count * window_cost(linear, block.width)
                     for block in blocks_of(linear, each)) * linear.batch
                 for each in (source, layout))
    return layout if then + layout.move(source).cycles + _MOVE < now else None


def move_groups(linear, source, spread, constants):
    """Passes moving the channels from the placed TensorLayout ``source`` to the placed SpreadGroups
    ``spread``.

    The move words are the last ``constants`` rows, except for an all-ones row behind sums narrowed
    twice; the records are the last records.
    """
    move  = spread.move(source)
    count = move.words.size // constants.row_cells
    rows  = -(-count // 2) + (linear.narrow_to is not None)
    first = 2 * (constants.weights.size // constants.row_cells - rows)
    copies = copy_fields(linear)
    if copies:
        copies["bias_row"] = constants.weights_row - COPY_RECORDS * bias_rows(source.ways)
    return move.passes(source, spread, constants.word(first, 8, 1, count), **copies)
