"""Elements of tensors that lie alike made into elements, with parameters along a dimension."""

from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from hdl.isa import BANKS, CELL_BITS, bias_rows
from host.lower.scratch import place_behind
from host.lower.sweep import elementwise
from host.memory.constants import Constants
from host.memory.packing import pack_lanes, pack_records, width_of

__all__ = ["Map", "Recipe", "along", "check_axis", "constants", "lower", "scratch", "split"]


@dataclass(frozen=True)
class Map:
    """What one sweep makes of the elements of one or two TensorLayouts.

    An output is the sum, or the extreme, of its elements, each times all of its weights.

    Parameters
    ----------
    weights : int8 or int16 [elements, weights of each, n], n 1 or the size of the dimension that
        parameters differ along
    reads : names of layouts that lie equally far apart: ``a`` and ``b`` the inputs, ``out`` the
        output, ``s0``, ``s1`` scratch; of elements of 32 bits ``a_upper``, ``a_lower`` and so on
    writes : name of a TensorLayout
    records : tuple of int64 [n], as a pass reads them: parameters if scaled, the bias last; or none
    output : dict of the fields of a Pass
    """

    weights: np.ndarray
    reads:   tuple = ("a",)
    writes:  str = "out"
    records: tuple = ()
    output:  dict = field(default_factory=dict)

    @classmethod
    def of(cls, *weights, **fields):
        """With one weight for each element that is read, and the same parameters everywhere."""
        values = np.array(weights)
        return cls(values.astype(np.min_scalar_type(-abs(values).max() - 1))[:, None, None],
                   **fields)

    @property
    def steps(self):
        """Products of an output."""
        return self.weights.shape[0] * self.weights.shape[1]

    @property
    def bits(self):
        """Bits of a weight."""
        return 8 * self.weights.itemsize

    @property
    def size(self):
        """Different parameters along the dimension."""
        return max([self.weights.shape[2], *(len(record) for record in self.records)])


@dataclass(frozen=True)
class Recipe:
    """Maps one after the other.

    Parameters
    ----------
    maps : tuple of Map
    axis : int or None, the dimension that parameters differ along
    scratch : tuple of int, bits of ``s0`` and ``s1`` as far as there are any
    """

    maps:    tuple
    axis:    int | None = None
    scratch: tuple = ()


@dataclass(frozen=True)
class _Part:
    """Loops over some of the groups of a TensorLayout, the outermost one over parameters.

    Parameters
    ----------
    outer, strides : counts, and groups from one index to the next
    beats : int, groups of an output
    offset : int, groups before the first one; first : int, parameters before the first one
    """

    outer:   tuple
    strides: tuple
    beats:   int
    offset:  int = 0
    first:   int = 0


def split(weights):
    """Weights of more than 16 bits as several ones that add up to them: int16 [weights, parts, 1].
    """
    most   = (1 << 15) - 1
    parts  = max(1, *(-(-weight // most) if weight > 0 else -(weight // (most + 1))
                      for weight in weights))
    values = [[weight // parts + (part < weight % parts) for part in range(parts)]
              for weight in weights]
    return np.array(values, np.int16)[..., None]


def along(axis, image):
    """Whether ``axis`` is a dimension of whole runs of ``image`` or a run by itself."""
    return axis in image.outer_axes or (image.inner == 1 and image.order[-1] == axis)


def check_axis(recipe, image):
    """Raise ValueError unless parameters lie in step with the groups of ``image``."""
    if recipe.axis is not None and not along(recipe.axis, image):
        raise ValueError(f"Parameters differ along dimension {recipe.axis}, which lies inside of "
                         f"the runs of an input of shape {image.shape} in the order "
                         f"{image.order}")


def scratch(recipe, target):
    """TensorLayouts of the scratch of ``recipe`` behind the output ``target``; not placed."""
    return [replace(target, bits=bits, row=0, behind=0) for bits in recipe.scratch]


def _parts(size, axis, image):
    """Parts of a TensorLayout for a Map with ``size`` parameters."""
    outer, steps, inside = (1, 1), (0, 0), image.groups
    if size > 1 and axis in image.outer_axes:
        before = prod(image.dims[:image.outer_axes.index(axis)])
        inside = image.step(axis)
        outer, steps = (size, before), (inside, size * inside)
    elif size > 1:
        pixels = prod(image.dims)
        full, rest = divmod(image.pitch, BANKS)
        parts = (_Part((full, 1, pixels), (BANKS, 0, image.pitch), BANKS),
                 _Part((1, 1, pixels), (0, 0, image.pitch), rest, full * BANKS, full))
        return [part for part in parts if part.outer[0] and part.beats]
    full, rest = divmod(inside, BANKS)
    parts = (_Part((*outer, full), (*steps, BANKS), BANKS),
             _Part((*outer, 1), (*steps, 0), rest, full * BANKS))
    return [part for part in parts if part.outer[2] and part.beats]


def _spread(values, axis, image):
    """Parameters [n] for the lanes of every index of the outermost loop."""
    if len(values) > 1 and axis not in image.outer_axes:
        return image.spread(values)
    return np.repeat(values, BANKS * image.ways)


def _filled(map_, values):
    """Parameters [1] as [n], if those of a Map differ."""
    return np.broadcast_to(values, map_.size)


def constants(recipe, image):
    """Constants of all maps for TensorLayouts like ``image``: their weights and their records."""
    weights, records = [], [np.zeros(0, np.uint16)]
    for map_ in recipe.maps:
        steps = [_spread(_filled(map_, step), recipe.axis, image)
                 for step in map_.weights.reshape(map_.steps, -1)]
        weights.append(pack_lanes(np.stack(steps, axis=1), image.ways))
        if map_.records:
            records.append(pack_records([_spread(_filled(map_, record), recipe.axis, image)
                                         for record in map_.records], image.ways))
    return Constants(np.concatenate(weights), BANKS * image.ways**2, bias=np.concatenate(records))


def lower(recipe, images, values):
    """Passes of all maps; elements of 32 bits are in two TensorLayouts of 16.

    Parameters
    ----------
    images : dict of placed TensorLayouts, ``a``, ``out`` and, if it is read, ``b``
    values : Constants, placed in Y
    """
    target, images = images["out"], dict(images)
    for name in [name for name in images if images[name].bits == 2 * CELL_BITS]:
        images[f"{name}_upper"], images[f"{name}_lower"] = images[name].halves
    for number, image in enumerate(place_behind(target, scratch(recipe, target))):
        images[f"s{number}"] = image
    passes, bias_row, weights_row = [], values.y_row, values.weights_row
    for map_ in recipe.maps:
        passes += _passes(map_, recipe.axis, images, bias_row, weights_row - values.weights_row,
                          values)
        groups = 1 if map_.size == 1 else _groups(map_.size, recipe.axis, target)
        lanes  = CELL_BITS // map_.bits * target.ways
        weights_row += -(-groups * map_.steps // lanes)
        bias_row    += groups * len(map_.records) * bias_rows(target.ways)
    return passes


def _groups(size, axis, image):
    """Indices of the outermost loop in all parts."""
    return size if axis in image.outer_axes else -(-image.pitch // BANKS)


def _passes(map_, axis, images, bias_row, row, values):
    """Passes of one Map whose weights begin ``row`` rows behind those of all."""
    sources, target = [images[name] for name in map_.reads], images[map_.writes]
    ways, steps     = target.ways, map_.steps
    count, repeats  = map_.weights.shape[:2]
    distance = sources[1].base - sources[0].base if count > 1 else 0
    taps, x_taps, y_taps = (1, count, repeats), (0, distance, 0), (0, repeats, 1)
    if repeats == 1:
        taps, x_taps, y_taps = (1, 1, count), (0, 0, distance), (0, 0, 1)
    low  = min(source.base for source in sources)
    high = max(source.base + source.groups for source in sources) - 1
    for part in _parts(map_.size, axis, target):
        strides = tuple(stride if runs > 1 else 0
                        for runs, stride in zip(part.outer, part.strides, strict=True))
        word = values.word(row * CELL_BITS // map_.bits * ways + part.first * steps, map_.bits,
                           ways, part.outer[0] * steps, taps=y_taps,
                           outer=(steps if part.outer[0] > 1 else 0, 0, 0))
        records = len(map_.records) * bias_rows(ways)
        yield replace(
            elementwise(sources[0].bits, target.bits, y=word, y_width=width_of(map_.bits),
                        x=replace(sources[0].access(strides, x_taps, part.offset), low=low,
                                  high=high),
                        z=target.access(strides, offset=part.offset), **map_.output),
            outer=part.outer, taps=taps, beats=part.beats,
            bias_row=bias_row + part.first * records if records else None)
