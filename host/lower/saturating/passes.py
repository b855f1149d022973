"""Sums that saturate after each block, as passes: see ``host.lower.saturating.steps``.

Windows that reach out of the image walk over a copy with a border, and channels of depthwise
kernels over one that fills whole outputs. Finished sums are scaled from their halves.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from hdl.isa import BANKS, Access, Shape, Width, bias_rows
from host.lower.channels import over_channels
from host.lower.linear.passes import check_pixels
from host.lower.scratch import place_behind, wide, with_room
from host.lower.sweep import Loop, copy, elementwise, narrowed, sweep
from host.lower.words32 import HALVES_WORDS, sums_of_halves
from host.memory.constants import Constants, lane_words
from host.memory.formats import blank_output
from host.memory.layout import HALF, TensorLayout
from host.memory.packing import pack_lanes, pack_records, to_cells, vector_words, width_of

from . import xs3 as chains_xs3
from .steps import Places, Step, chain_passes, choose, copies

__all__ = ["KINDS", "constants", "lower", "source_layouts", "takes", "target_layout"]

KINDS = chains_xs3.KINDS

_ONE, _ZERO, _LOWER = range(len(HALVES_WORDS), len(HALVES_WORDS) + 3)  #: Further words.
_WORDS = np.array([*HALVES_WORDS, 1, 0, -HALF], np.int16)


def takes(layer, xs):
    """Whether sums of ``layer`` on the Integers ``xs`` can saturate on the way."""
    return chains_xs3.can_saturate(layer, *xs)


@dataclass(frozen=True)
class _Walk:
    """What windows walk over: an image, not placed, and where in it the inputs of a pixel lie.

    Parameters
    ----------
    image : TensorLayout, the source itself or with ``copied`` a copy
    pitch, width : groups of a pixel, pixels of a row
    start : (row, column) of the first window
    slots : elements of a pixel among those of its groups
    run : layout whose runs are what lies in the lanes, outputs; None if they fill one group after
        the other
    groups : of ``BANKS`` groups of outputs
    """

    image:  TensorLayout
    copied: bool
    pitch:  int
    width:  int
    start:  tuple
    slots:  np.ndarray
    run:    TensorLayout | None
    groups: int

    def spread(self, values):
        """``values`` [outputs] as they lie in the lanes."""
        return values if self.run is None else self.run.spread(values)


def _walk(chain, source, matrix):
    ways   = source.ways
    groups = -(-(source.pitch if chain.lanes else -(-len(chain.bias) // ways)) // BANKS)
    if matrix:
        places = source.places()
        slots  = np.empty(int(places.max()) + 1, int)
        slots[places[places >= 0]] = np.flatnonzero(places >= 0)
        return _Walk(source, False, source.groups, 1, (0, 0), slots, None, groups)
    sizes = [(count - 1) * stride + kernel for count, stride, kernel
             in zip((chain.rows, chain.cols), chain.stride, chain.kernel, strict=True)]
    inside = all(start >= 0 and start + size <= held for start, size, held
                 in zip(chain.start, sizes, source.dims, strict=True))
    run = source if chain.lanes else None
    if inside and not (chain.lanes and source.pitch % BANKS):
        return _Walk(source, False, source.pitch, source.dims[1], chain.start, source.slots(), run,
                     groups)
    pitch = groups * BANKS if chain.lanes else source.pitch
    image = TensorLayout((*sizes, pitch * ways), source.bits, ways, (0, 1, 2), 1, (pitch * ways,))
    return _Walk(image, True, pitch, sizes[1], (0, 0), source.slots(), run, groups)


def _steps(chain, walk):
    """The Steps of all blocks."""
    steps, first = [], 0
    for block in chain.blocks:
        cols  = block.weights.shape[1]
        slots = _slots(block, walk)
        low   = 0 if chain.lanes else int(slots.min()) // walk.image.ways
        taken = 1 if chain.lanes else int(slots.max()) // walk.image.ways + 1 - low
        words = cols * taken
        steps.append(Step((block.row * walk.width + block.col) * walk.pitch + low, cols, taken,
                          words, first))
        first += walk.groups * words
    return tuple(steps)


def _slots(block, walk):
    return walk.slots[block.first:block.first + block.weights.shape[2]]


def source_layouts(layer, xs, preferred, ways):
    """As a matrix takes it, or pixel by pixel."""
    [x] = xs
    return (TensorLayout.flat(x, ways) if len(x.shape) == 1
            else TensorLayout.of(x, (0, 1, 2), ways),)


def target_layout(layer, xs, sources):
    """Pixel by pixel, or as a single run; ValueError if the input lies in another way."""
    [x], [source] = xs, sources
    chain, out = chains_xs3.describe(layer, x), blank_output(layer, x)
    if len(x.shape) > 1:
        check_pixels(layer, source)
    parts  = source.parts if chain.lanes else None
    target = TensorLayout.of(out, range(len(out.shape)), source.ways, parts=parts)
    return with_room(target, _scratch(chain, x, source, target))


def _scratch(chain, x, source, target):
    """TensorLayouts behind the output: halves, ones, the copy if there is one, and outputs that are
    rounded again; not placed."""
    ways, walk = source.ways, _walk(chain, source, len(x.shape) == 1)
    lanes  = BANKS * ways
    halves = TensorLayout((chain.rows, chain.cols, walk.groups * lanes), 32, ways, (0, 1, 2), 1,
                   (walk.groups * lanes,))
    ones   = TensorLayout((lanes,), 16, ways, (0,), 1, (lanes,))
    return [halves, ones, *([walk.image] if walk.copied else []),
            *([wide(target)] if chain.narrow else [])]


def constants(layer, xs, sources):
    """Words for the halves, then the blocks; biases, then the parameters of the finished sums."""
    [x], [source] = xs, sources
    chain, ways = chains_xs3.describe(layer, x), source.ways
    walk   = _walk(chain, source, len(x.shape) == 1)
    scheme = choose(chain, _steps(chain, walk), walk.groups)
    words  = lane_words(_WORDS, ways)
    cells  = [words.weights, _blocks(chain, walk)]
    start  = np.full(len(chain.bias), HALF)
    biases = pack_records([walk.spread(chain.bias)], ways).reshape(walk.groups, 1, -1)
    last   = pack_records([walk.spread(record) for record in (*chain.records, start)], ways)
    biases = np.repeat(biases, copies(chain, scheme), axis=1).ravel()
    return Constants(np.concatenate(cells), words.row_cells, np.concatenate([biases, last]))


def _blocks(chain, walk):
    """Cells of the words of all blocks, in whole rows."""
    ways, rows = walk.image.ways, []
    if chain.lanes:
        spread = walk.spread(np.stack([block.weights[:, 0, 0] for block in chain.blocks]))
        padded = np.pad(spread, ((0, 0), (0, -spread.shape[1] % (BANKS * ways))))
        words  = padded.reshape(-1, BANKS * ways)
        return pack_lanes(words.T, ways)
    for block, step in zip(chain.blocks, _steps(chain, walk), strict=True):
        slots = _slots(block, walk)
        taps  = np.zeros((*block.weights.shape[:2], step.groups * ways), block.weights.dtype)
        taps[..., slots - slots.min() // ways * ways] = block.weights
        rows.append(vector_words(taps, ways))
    return to_cells(np.concatenate(rows), 8 * rows[0].itemsize, BANKS * ways * ways)


def lower(layer, xs, sources, target, values):
    """Passes of a chain; see ``host.lower.registry.lower``."""
    [x], [source], ways = xs, sources, target.ways
    chain = chains_xs3.describe(layer, x)
    walk  = _walk(chain, source, len(x.shape) == 1)
    halves, ones, *more = place_behind(target, _scratch(chain, x, source, target))
    walk   = replace(walk, image=more[0] if walk.copied else source)
    steps  = _steps(chain, walk)
    scheme = choose(chain, steps, walk.groups)
    places = _places(chain, walk, halves, ones, steps, values)
    one    = values.word(_ONE, 16, ways)
    passes = sweep(elementwise(16, 16, x=ones.access(), y=one, y_width=Width.BITS16,
                               z=ones.access(), clip=(1, 1)), ones.groups, (0, 0, BANKS))
    if walk.copied:
        passes += _bordered(chain, source, walk.image, one, _byte(values, _ONE, ways))
    passes += chain_passes(chain, places, walk.groups, scheme, ways)
    first   = values.y_row + walk.groups * copies(chain, scheme) * bias_rows(ways)
    exact   = target if chain.narrow is None else more[-1]
    passes += over_channels(sums_of_halves(halves, values), exact, prod(halves.dims),
                            bias_row=first, **chain.output)
    return passes if chain.narrow is None else passes + narrowed(exact, target, one, chain.narrow)


def _places(chain, walk, halves, ones, steps, values):
    ways  = walk.image.ways
    units = 2 * (ways if chain.lanes else 1)
    base  = (values.weights_row + -(-len(_WORDS) // ways)) * units
    last  = steps[-1]
    shape = Shape.LANES if chain.lanes else Shape.VECTOR
    row, col = chain.stride
    return Places(
        image=walk.image, halves=halves, ones=ones, pitch=walk.pitch, steps=steps,
        origin=(walk.start[0] * walk.width + walk.start[1]) * walk.pitch,
        row=row * walk.width * walk.pitch, col=col * walk.pitch,
        weights=Access(base, base, base + last.first + walk.groups * last.words - 1),
        bias_row=values.y_row, zero=values.word(_ZERO, 16, ways),
        lower=values.word(_LOWER, 16, ways),
        fields={"x_shape": shape, "y_shape": shape, "x_width": width_of(walk.image.bits)})


def _byte(values, index, ways):
    """Access to the low bytes of a word of 16 bits."""
    base = (values.weights_row + index // ways) * 2 * ways + index % ways
    return Access(base, base, base)


def _bordered(chain, source, target, one, byte):
    """Passes that copy what windows reach of an image, and fill what is around it."""
    passes = sweep(elementwise(8, 8, x=source.access(), x_shape=Shape.VECTOR, y=one,
                               y_width=Width.BITS16, z=target.access(),
                               clip=(chain.outside,) * 2), target.groups, (0, 0, BANKS))
    firsts = [max(start, 0) for start in chain.start]
    counts = [min(start + size, held) - first for start, size, held, first
              in zip(chain.start, target.dims, source.dims, firsts, strict=True)]
    if min(counts) < 1:
        return passes
    pitches = [(image.dims[1] * image.pitch, image.pitch) for image in (source, target)]
    loops   = [Loop(count, x, 0, z) for count, x, z in zip(counts, *pitches, strict=True)]
    x, z    = (sum(place * step for place, step in zip(places, steps, strict=True))
               for places, steps in zip((firsts, [first - start for first, start in zip(
                   firsts, chain.start, strict=True)]), pitches, strict=True))
    return passes + copy(source, target, byte, source.pitch, loops, x, z)
