# SPDX-License-Identifier: Apache-2.0
"""The format for a network input's real values."""

from xymac.golden import tflm

from .values import is_scaled

__all__ = ["find_form"]

#: Layers that only move elements.
_MOVES = (tflm.ExpandDims, tflm.Pad, tflm.Reshape, tflm.Slice, tflm.Split, tflm.SplitV,
          tflm.Squeeze, tflm.StridedSlice, tflm.Transpose, tflm.Unpack)


def find_form(network, number):
    """Input ``number``'s quantised Tensor format; None if there is none.

    It is the input's own format, or the output format of the first QUANTIZE after a floating-point
    input, possibly through layers that only move elements.
    """
    blank = network.inputs[number]
    if blank.data.dtype.kind != "f":
        return blank if is_scaled(blank) else None
    moved = {number}
    for index, node in enumerate(network.nodes):
        if moved.isdisjoint(node.sources):
            continue
        output = network.first + index
        if isinstance(node.layer, tflm.Quantize):
            return network.values[output]
        if isinstance(node.layer, _MOVES):
            moved.add(output)
    return None
