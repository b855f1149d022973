# SPDX-License-Identifier: Apache-2.0
"""Cases for data-movement operations without regard to formats."""

import numpy as np

from xymac.golden import mli1, mli2, tflm
from xymac.golden.mli1 import Layout

from . import mli1 as mli1_stimuli
from . import mli2 as mli2_stimuli
from . import tflm as tflm_stimuli

__all__ = ["GENERATORS"]

_SIZES = (1, 2, 3, 5, 8, 17)
_PADS  = (0, 1, 3)
#: Functions (Draw, type, shape) that make a tensor, by dialect.
_TENSORS = {"tflm": lambda draw, kind, shape: tflm_stimuli.draw_input(draw, shape, kind),
            "mli-1": mli1_stimuli.draw_tensor, "mli-2": mli2_stimuli.draw_tensor}


def _shape(draw, counts=(1, 2, 3, 4)):
    """A shape with a rank in ``counts``, among a limit's shapes if it lists shapes."""
    shapes = draw.shapes(counts)
    if shapes:
        return shapes[int(draw.integers(0, len(shapes) - 1))]
    count = draw.pick("dimensions", counts, where=lambda count: count in counts)
    return tuple(draw.rng.choice(_SIZES, count).tolist())


def _transpose(dialect, layer):
    def make(draw, kind):
        shape = _shape(draw, (2, 3, 4))
        order = tuple(draw.rng.permutation(len(shape)).tolist())
        return layer(order), _TENSORS[dialect](draw, kind, shape)
    return make


def _concatenate(dialect, layer):
    def make(draw, kind):
        shape = _shape(draw)
        axis  = draw.pick("axis", (0, 1, 2, 3), where=lambda axis: axis < len(shape))
        first = _TENSORS[dialect](draw, kind, shape)
        parts = [first]
        for size in draw.rng.choice(_SIZES, draw.pick("tensors", (2, 3)) - 1).tolist():
            other = draw.data("data of the second", (*shape[:axis], size, *shape[axis + 1:]),
                              first.data.dtype)
            parts.append(_like(first, other))
        return layer(axis), tuple(parts)
    return make


def _like(first, data):
    """A tensor with ``data`` in ``first``'s format."""
    return type(first)(data, **{name: value for name, value in vars(first).items()
                                if name != "data"})


def _pad_tflm(draw, kind):
    shape = _shape(draw)
    x     = _TENSORS["tflm"](draw, kind, shape)
    most  = draw.pick("padding", _PADS)
    pads  = tuple(tuple(draw.integers(0, most, 2).tolist()) for _ in shape)
    if draw.pick("value", ("zero point", "other")) == "other":
        limits = np.iinfo(x.data.dtype)
        return tflm.PadV2(pads, x.quantisation,
                          int(draw.rng.choice([limits.min, limits.max, 1]))), x
    return tflm.Pad(pads, x.quantisation), x


def _pad_mli1(draw, kind):
    shapes = draw.shapes((3,))
    shape  = shapes[int(draw.integers(0, len(shapes) - 1))] if shapes else tuple(
        draw.rng.choice(_SIZES, 3).tolist())
    most   = draw.pick("padding", _PADS)
    return mli1.Padding2d(tuple(draw.integers(0, most, 4).tolist()),
                          Layout[draw.pick("layout", ("CHW", "HWC"))]), _TENSORS["mli-1"](
                              draw, kind, shape)


def _box(draw, shape):
    """First element and size along every dimension."""
    begin = [int(draw.integers(0, size - 1)) for size in shape]
    return tuple(begin), tuple(int(draw.integers(1, size - place))
                               for size, place in zip(shape, begin, strict=True))


def _slice_tflm(draw, kind):
    shape = _shape(draw)
    way   = draw.pick("slice", ("box", "strided", "equal part"))
    x     = _TENSORS["tflm"](draw, kind, shape)
    begin, size = _box(draw, shape)
    if way == "box":
        return tflm.Slice(begin, size), x
    if way == "strided":
        step = tuple(int(draw.rng.choice([1, 2, 3])) for _ in shape)
        ends = tuple(first + count for first, count in zip(begin, size, strict=True))
        return tflm.StridedSlice(begin, ends, step), x
    axis  = int(draw.integers(0, len(shape) - 1))
    count = int(draw.rng.choice([each for each in _SIZES if shape[axis] % each == 0]))
    return tflm.Split(axis, count, int(draw.integers(0, count - 1))), x


def _slice_mli1(draw, kind):
    shape = _shape(draw)
    begin, size = _box(draw, shape)
    count = int(draw.integers(1, len(shape)))
    return (mli1.Subtensor(begin[:count], size[count - 1]),
            _TENSORS["mli-1"](draw, kind, shape))


#: Functions from a Draw and a type to a layer and its inputs, by dialect and operation.
GENERATORS = {
    "tflm":  {"transpose": _transpose("tflm", tflm.Transpose), "pad": _pad_tflm,
              "concatenate": _concatenate("tflm", tflm.Concatenation), "slice": _slice_tflm},
    "mli-1": {"transpose": _transpose("mli-1", mli1.Permute), "pad": _pad_mli1,
              "concatenate": _concatenate("mli-1", mli1.Concat), "slice": _slice_mli1},
    "mli-2": {"transpose": _transpose("mli-2", mli2.Permute),
              "concatenate": _concatenate("mli-2", mli2.Concat)}}
