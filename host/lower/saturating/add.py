"""The sum of two vectors, ``add_elementwise``, where it can saturate after the first product.

The shifted operands lie one behind the other, each of their outputs as a pixel of ``lanes``
channels; see ``host.lower.saturating.steps``.
"""

from dataclasses import replace

import numpy as np

from hdl.isa import BANKS, HELD, RoundMode, Shape, Width, bias_rows
from host.lower.binary import passes as lower_eltwise
from host.lower.binary.passes import source_layouts
from host.lower.binary.xs3 import peak, prescaled
from host.lower.linear.xs3 import LIMIT
from host.lower.scratch import place_behind, with_room
from host.lower.sweep import elementwise, sweep
from host.lower.words32 import HALVES_WORDS, sums_of_halves
from host.memory.constants import lane_words
from host.memory.layout import HALF, TensorLayout
from host.memory.packing import pack_records

from .form import Chain, Stretch
from .steps import Places, Step, chain_passes, choose, copies

__all__ = ["constants", "lower", "source_layouts", "takes", "target_layout"]

_ONE, _ZERO, _LOWER, _SCALES = range(len(HALVES_WORDS), len(HALVES_WORDS) + 4)


def takes(layer, xs):
    """Whether a sum of ``layer`` can pass the limit, for some inputs."""
    return peak(layer) > LIMIT


def target_layout(layer, xs, sources):
    """As the inputs; ValueError if they lie in different ways."""
    target = lower_eltwise.target_layout(layer, xs, sources)
    return with_room(target, _scratch(target))


def _sizes(target):
    """Rows and columns of outputs: as many columns as lanes hold sums at once."""
    outputs = -(-target.groups // BANKS)
    cols    = min(outputs, HELD)
    return -(-outputs // cols), cols


def _scratch(target):
    """Layouts of both operands together, of halves, and of a whole output of ones; not placed."""
    (rows, cols), ways, lanes = _sizes(target), target.ways, BANKS * target.ways
    both = TensorLayout((2, rows, cols, lanes), 16, ways, (0, 1, 2, 3), 1, (lanes,))
    ones = TensorLayout((lanes,), 16, ways, (0,), 1, (lanes,))
    halves = TensorLayout((rows, cols, lanes), 32, ways, (0, 1, 2), 1, (lanes,))
    return [both, halves, ones]


def _chain(layer, target):
    """Two blocks of a product each, and what passes need to know of them."""
    rows, cols = _sizes(target)
    chain = Chain(np.full(BANKS * target.ways, layer.bias), (), (Stretch(0, rows, (0, 1)),), cols,
                  lanes=True)
    steps = tuple(Step(offset=block * rows * cols * BANKS, cols=1, groups=1, words=1, first=block)
                  for block in range(2))
    return chain, steps, choose(chain, steps, 1)


def constants(layer, xs, sources):
    """Words for the halves, and the scales; the bias as often as it takes, and what halves lack."""
    ways   = sources[0].ways
    target = target_layout(layer, xs, sources)
    chain, _, scheme = _chain(layer, target)
    words  = np.array([*HALVES_WORDS, 1, 0, -HALF, *layer.scales], np.int16)
    biases = np.concatenate([*[chain.bias] * copies(chain, scheme),
                             np.full(BANKS * ways, HALF)])
    return replace(lane_words(words, ways), bias=pack_records([biases], ways))


def lower(layer, xs, sources, target, values):
    """Passes of a sum; see ``host.lower.registry.lower``."""
    ways, one = target.ways, values.word(_ONE, 16, target.ways)
    both, halves, ones = place_behind(target, _scratch(target))
    chain, steps, scheme = _chain(layer, target)
    first    = replace(both, shape=(1, *both.shape[1:]))
    operands = [first, first.at(first.row + first.rows)]
    passes   = [part for source, operand, shift in zip(sources, operands, layer.shifts, strict=True)
                for part in sweep(elementwise(
                    source.bits, 16, x=source.access(), y=one, y_width=Width.BITS16,
                    z=operand.access(), **prescaled(shift)), source.groups, (BANKS, 0, BANKS))]
    passes  += sweep(elementwise(16, 16, x=ones.access(), y=one, y_width=Width.BITS16,
                                 z=ones.access(), clip=(1, 1)), ones.groups, (0, 0, BANKS))
    places = Places(
        image=both, halves=halves, ones=ones, origin=0, pitch=both.pitch, steps=steps,
        row=chain.cols * both.pitch, col=both.pitch, bias_row=values.y_row,
        weights=values.word(_SCALES, 16, ways, count=2), zero=values.word(_ZERO, 16, ways),
        lower=values.word(_LOWER, 16, ways),
        fields={"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
                "y_width": Width.BITS16})
    passes += chain_passes(chain, places, 1, scheme, ways)
    sums    = sums_of_halves(halves, values)
    total   = elementwise(16, 8, x=halves.access(taps=sums["x_taps"]), y=sums["y"],
                          taps=sums["taps"], y_width=Width.BITS16, z=target.access(),
                          bias_row=values.y_row + copies(chain, scheme) * bias_rows(ways),
                          shift=layer.shift, rounding=RoundMode.UP, clip=(layer.low, 127))
    return passes + sweep(total, target.groups, (BANKS, 0, BANKS))
