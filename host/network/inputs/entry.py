# SPDX-License-Identifier: Apache-2.0
"""The format for a network input's real values."""

from xymac.golden import tflm
from xymac.host.executable.steps import Host

from .values import is_scaled

__all__ = ["find_form"]

#: Moving layers.
_MOVES = (tflm.ExpandDims, tflm.Pad, tflm.Reshape, tflm.Slice, tflm.Split, tflm.SplitV,
          tflm.Squeeze, tflm.StridedSlice, tflm.Transpose, tflm.Unpack)


def find_form(network, number):
    """Input ``number``'s quantised Tensor format in a Network or Executable; None if there is none.

    It is the input's own format, or the output format of the first QUANTIZE after a floating-point
    input, possibly through moving layers.
    """
    blank = network.inputs[number]
    if blank.data.dtype.kind != "f":
        return blank if is_scaled(blank) else None
    moved = {number}
    for layer, sources, output in _list_steps(network):
        if moved.isdisjoint(sources):
            continue
        if isinstance(layer, tflm.Quantize):
            return network.values[output]
        if isinstance(layer, (*_MOVES, str)):  # COPY and TAKE are words
            moved.add(output)
    return None


def _list_steps(network):
    """(layer, source values, output value) of a Network's layers, an Executable's host steps.
    """
    if hasattr(network, "nodes"):
        return [(node.layer, node.sources, number)
                for number, node in enumerate(network.nodes, network.first)]
    return [(step.kernel, step.values, step.to) for step in network.run
            if isinstance(step, Host)]
