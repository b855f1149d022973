"""Dense kernel of recurrent cells of MLI 2.0 as passes."""

from dataclasses import replace

import numpy as np

from hdl.isa import BANKS, Access
from host.lower.linear.form import fitted
from host.lower.sweep import container_clip
from host.lower.workspace import Workspace
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout
from host.memory.packing import width_of

from .arithmetic import blank
from .sums import Input, dense_sums

__all__ = ["constants", "lower", "source_layouts", "target_layout"]


def source_layouts(layer, xs, preferred, ways):
    """Each input as it comes, a single run."""
    return tuple(TensorLayout.flat(x, ways) for x in xs)


def target_layout(layer, xs, sources):
    """A single run, behind what the passes work on, in whole tiles."""
    ways = sources[0].ways
    space, image = Workspace(ways), TensorLayout.flat(blank_output(layer, *xs), ways)
    _sums(layer, xs, sources, space)
    whole = -(-_tiles(image) * BANKS // image.row_groups)
    return replace(image, before=space.x_rows, behind=whole - image.rows)


def constants(layer, xs, sources):
    """Weights and parameters of ``layer``, as its passes ask for them."""
    space = Workspace(sources[0].ways)
    _passes(layer, xs, sources, TensorLayout.flat(blank_output(layer, *xs), space.ways), space)
    return space.constants()


def lower(layer, xs, sources, target, values):
    """Passes of a dense kernel; see ``host.lower.registry.lower``."""
    space = Workspace(target.ways, values, target.row - target.before)
    return _passes(layer, xs, sources, target, space)


def _tiles(image):
    return -(-image.groups // BANKS)


def _sums(layer, xs, sources, space):
    """The sums of all inputs: weights of one matrix, an input's behind those of the one before."""
    outputs, taps = layer.bias.shape[0], []
    for weights, source in zip(layer.weights, sources, strict=True):
        places = source.places()
        taps.append(np.where(places < 0, 0, weights.centred.T[:, places]))
    tiles  = -(-outputs // (BANKS * space.ways))
    rows   = np.pad(np.hstack(taps), ((0, tiles * BANKS * space.ways - outputs), (0, 0)))
    matrix = space.matrix(fitted(rows))
    inputs, column = [], 0
    for x, source in zip(xs, sources, strict=True):
        zero = x.format.zero_point if x.is_affine else 0
        peak = max(abs(limit - zero) for limit in container_clip(x.bits))
        inputs.append(Input(blank(x.format, x.bits), matrix, column, source.groups,
                            width_of(x.bits), peak))
        column += source.groups
    return dense_sums(space, layer.build, layer.out, inputs, [(layer.weights, layer.bias)], tiles)


def _passes(layer, xs, sources, target, space):
    sums = _sums(layer, xs, sources, space)
    z    = Access(target.base, target.base, target.base + sums.tiles * BANKS - 1, (BANKS, 0, 0))
    last = sums.narrowed({"z": z, "z_width": width_of(target.bits)})
    return sums.passes([source.access(taps=(0, 0, 1)) for source in sources],
                       [(0, sums.tiles, last)])
