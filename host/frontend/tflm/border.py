# SPDX-License-Identifier: Apache-2.0
"""Fold PAD into the padding of its reader, with equal sums, maxima and means."""

from dataclasses import fields, replace

from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.tflm import AveragePool2d, Conv2d, DepthwiseConv2d, MaxPool2d, Pad, TransposeConv
from xymac.host.ir.tile import along

from .bands import ConvBand, DepthwiseBand, TransposeBand
from .pool_bands import AveragePoolBand, MaxPoolBand

__all__ = ["is_pad", "read_without_pad"]


def is_pad(layer):
    """Whether a golden layer adds padding and does nothing else."""
    return isinstance(layer, Pad)


def read_without_pad(layer, taken, pad, x):
    """Replace ``layer``, which reads ``pad``, by a layer on the input of ``pad``.

    Returns (layer, Tensor in its input format), which differs from ``x`` only in scale and zero
    point. None if the layer cannot have this padding, or if its results would differ.

    Parameters
    ----------
    layer : golden layer
    taken : Tensor in the format of the layer's input
    pad : golden Pad
    x : Tensor in the ``pad`` input format
    """
    kind = next((kind for kind in _READERS if type(layer) in kind), None)
    if kind is None or pad.pads[0] != (0, 0):
        return None
    part = _READERS[kind](layer, taken, pad, x)
    if part is None:
        return None
    own, around = layer.pads(taken.shape), (*pad.pads[1], *pad.pads[2])
    if isinstance(layer, TransposeConv):  # its output begins earlier and is cut
        around = -around[0] * layer.stride[0], 0, -around[2] * layer.stride[1], 0
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    values["sides"] = tuple(map(sum, zip(own, around, strict=True)))
    if isinstance(layer, AveragePool2d):
        counted = values.get("counted", (0, 0, 0, 0))
        values |= {"counted": tuple(map(sum, zip(counted, around, strict=True))),
                   "fill": pad.fill(x)}
    made   = kind[-1](**values)
    read   = replace(x, quantisation=taken.quantisation)
    try:
        made.check(read)
    except ValueError:  # such as a window that holds only padding
        return None
    return made, read


def _read_conv(layer, taken, pad, x):
    """A convolution without the weights of padded channels, whose products are 0."""
    before, behind = pad.pads[3]
    if pad.fill(x) != _zero_of(taken):
        return None
    if not before and not behind:
        return layer
    if layer.weights.shape[3] != taken.shape[3]:  # channel groups
        return None
    return replace(layer, weights=layer.weights.take(
        along(layer.weights.shape, 3, before, before + x.shape[3])))


def _read_depthwise(layer, taken, pad, x):
    """A depthwise convolution, or None if channels are padded: their outputs would be missing."""
    return layer if pad.fill(x) == _zero_of(taken) and pad.pads[3] == (0, 0) else None


def _read_maxima(layer, taken, pad, x):
    """Max pooling whose padding value does not exceed any output; else None."""
    low, _ = activation_range(layer.activation, layer.out.scale, layer.out.zero_point, taken.bits)
    return layer if pad.fill(x) <= low and pad.pads[3] == (0, 0) else None


def _read_means(layer, taken, pad, x):
    """Mean pooling that counts the padding; passes subtract the padding value from every element.
    """
    fill = pad.fill(x)
    if pad.pads[3] != (0, 0) or (fill and x.bits > 8):
        return None
    return layer if getattr(layer, "fill", fill) == fill else None


def _zero_of(x):
    """Element value that represents 0."""
    return x.quantisation.zero_point if x.bits == 8 else 0


#: By layer classes; the last class of a key has its own padding.
_READERS = {(Conv2d, ConvBand): _read_conv, (DepthwiseConv2d, DepthwiseBand): _read_depthwise,
            (TransposeConv, TransposeBand): _read_conv,
            (MaxPool2d, MaxPoolBand): _read_maxima, (AveragePool2d, AveragePoolBand): _read_means}
