# SPDX-License-Identifier: Apache-2.0
"""Lane blocks for convolution outputs, and the inputs of each block.

Outputs of different channel groups have different inputs. A block reads only the inputs its lanes
need; where this saves steps, each bank reads its own (``Op.CROSS``).
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.memory.packing import to_cells

__all__ = ["Block", "blocks_of", "pack_blocks"]


@dataclass(frozen=True)
class Block:
    """Outputs that a single pass computes; counts, indices and steps in vectors of ``ways``
    channels.

    Parameters
    ----------
    first, beats : first output vector, and output vectors per lane bank
    at, width : first input vector and input vector count for every tap
    crossed : bool, bank ``b`` reads ``input ^ b``
    count : int, blocks in sequence in the pass
    step, stride : output and input distance between these blocks
    tap, taps : first weight column, and column count; 0 for all columns
    """

    first:   int
    beats:   int
    at:      int
    width:   int
    crossed: bool = False
    count:   int = 1
    step:    int = BANKS
    stride:  int = 0
    tap:     int = 0
    taps:    int = 0

    def columns(self, linear):
        """Weight columns that the blocks use."""
        return self.taps or linear.weights.shape[2]

    @property
    def each(self):
        """List of the pass's single blocks."""
        return [replace(self, first=self.first + index * self.step,
                        at=self.at + index * self.stride, count=1) for index in range(self.count)]


def blocks_of(linear, source):
    """Blocks covering all ``linear`` outputs, for the input TensorLayout ``source``."""
    ways, pitch = source.ways, -(-len(linear.weights) // source.ways)
    if linear.strips:
        return [Block(0, BANKS, 0, source.pitch // BANKS, crossed=True, count=pitch // BANKS)]
    if linear.groups == 1:
        full, rest = divmod(pitch, BANKS)
        width = (source.groups // linear.cols[0].count if linear.order is None
                 else source.pitch)
        if linear.side_stride:
            return _blocks_of_pixels(linear, pitch, width)
        whole = [Block(0, BANKS, 0, width, count=full)] * (full > 0)
        return whole + [Block(pitch - rest, rest, 0, width)] * (rest > 0)
    ranges = [_inputs_of(linear, source, group) for group in range(pitch)]
    # A core of one way may lack ``Op.CROSS``.
    crosses = ways > 1 and source.offset % BANKS == source.distance % BANKS == 0
    return _join(_cut(ranges, prod(linear.weights.shape[1:3]), crosses))


def _blocks_of_pixels(linear, pitch, width):
    """Blocks for ``pitch`` output vectors of packed pixels, with the columns of their pixels."""
    each, step = pitch // linear.side, linear.side_stride
    kernel = linear.weights.shape[2] - (linear.side - 1) * step
    blocks = []
    for first in range(0, pitch, BANKS):
        beats = min(BANKS, pitch - first)
        begin, end = first // each, (first + beats - 1) // each
        block = Block(first, beats, 0, width, tap=begin * step, taps=kernel + (end - begin) * step)
        last  = blocks[-1] if blocks else None
        if last and (last.beats, last.tap, last.taps) == (beats, block.tap, block.taps):
            blocks[-1] = replace(last, count=last.count + 1)
        else:
            blocks.append(block)
    return blocks


def _inputs_of(linear, source, group):
    """Input vectors (first, end) for an output vector."""
    if hasattr(source, "homes"):
        return source.homes[group], source.homes[group] + 1
    held  = linear.weights.shape[3]
    each  = len(linear.weights) // linear.groups
    last  = min((group + 1) * source.ways, len(linear.weights)) - 1
    slots = source.slots()
    first, end = (slots[at] // source.ways for at in (
        group * source.ways // each * held, (last // each + 1) * held - 1))
    return int(first), int(end) + 1


def _cut(ranges, taps, crosses):
    """Single-index Blocks with the fewest cycles and, at equal cycles, the fewest blocks.

    A block takes its steps or its drain cycles, whichever is more.
    """
    best = [(0, None)]
    for end in range(1, len(ranges) + 1):
        choices = []
        for beats in range(min(BANKS, end), 0, -1):
            block = _block(end - beats, ranges[end - beats:end], crosses)
            choices.append((best[end - beats][0] + max(BANKS, taps * block.width), block))
        best.append(min(choices, key=lambda choice: choice[0]))
    blocks, end = [], len(ranges)
    while end:
        blocks.append(best[end][1])
        end = blocks[-1].first
    return blocks[::-1]


def _block(first, ranges, crosses):
    """The block for output vectors with these input ranges."""
    plain = [place for span in ranges for place in span]
    plain = Block(first, len(ranges), min(plain), max(plain) - min(plain))
    if not crosses or len(ranges) == 1:
        return plain
    asked = [place ^ bank for bank, span in enumerate(ranges) for place in range(*span)]
    width = max(asked) - min(asked) + 1
    if width >= plain.width:
        return plain
    return replace(plain, at=min(asked), width=width, crossed=True)


def _join(blocks):
    """Blocks merged where a chain has equal distances, longest chain first."""
    joined = []
    while blocks:
        chains = [_follow(blocks, apart) for apart in range(1, len(blocks))]
        chain  = max(chains, key=len, default=[0])
        first  = blocks[0]
        if len(chain) > 1:
            second = blocks[chain[1]]
            first  = replace(first, count=len(chain), step=second.first - first.first,
                             stride=second.at - first.at)
        joined.append(first)
        blocks = [block for index, block in enumerate(blocks) if index not in chain]
    return joined


def _follow(blocks, apart):
    """Indices: the first block, and every ``apart``-th block that continues at its distance."""
    step  = [getattr(blocks[apart], name) - getattr(blocks[0], name) for name in ("first", "at")]
    chain = [0]
    for index in range(apart, len(blocks), apart):
        first, at = (len(chain) * distance for distance in step)
        if blocks[index] != replace(blocks[0], first=blocks[0].first + first,
                                    at=blocks[0].at + at):
            break
        chain.append(index)
    return chain


def pack_blocks(linear, source, blocks):
    """Weight words for all blocks, every tap and input, and records for all lanes of every block.

    A word has the weight for each way and lane; 0 if the lane has no output, or the output has no
    such input.
    """
    ways   = source.ways
    lane   = np.arange(BANKS * ways)
    each   = len(linear.weights) // linear.groups
    held   = linear.weights.shape[3]
    place  = np.full((source.pitch + BANKS) * ways, -1)  # a crossed input may not exist
    if hasattr(source, "homes"):
        place[:len(source.elements)] = source.elements
    else:
        place[source.slots()] = np.arange(source.slots().size)
    words, records = [], []
    for block in (one for several in blocks for one in several.each):
        output = block.first * ways + lane
        made   = (lane < block.beats * ways) & (output < len(linear.weights))
        output = np.where(made, output, 0)
        inputs = block.at + np.arange(block.width)[:, None, None]
        inputs = inputs ^ lane // ways if block.crossed else inputs + 0 * lane
        inputs = place[inputs * ways + np.arange(ways)[:, None]]  # [width, ways, lanes]
        own    = inputs - output // each * held
        taken  = made & (inputs >= 0) & (own >= 0) & (own < held)
        values = linear.weights[output, :, :, np.where(taken, own, 0)] * taken[..., None, None]
        words.append(np.moveaxis(values, (3, 4), (0, 1)).ravel())
        *parameters, bias = (record[output] for record in linear.records)
        records.append([*(record if linear.once else np.where(made, record, 0)
                          for record in parameters), np.where(made, bias, 0)])
    cells = np.concatenate(words).astype(linear.weights.dtype)
    return (to_cells(cells, 8 * cells.itemsize, ways * BANKS * ways),
            [np.concatenate(record) for record in zip(*records, strict=True)])
