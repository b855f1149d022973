# SPDX-License-Identifier: Apache-2.0
"""Tensor placement in tflite-micro, as far as results depend on it.

BATCH_TO_SPACE_ND writes as many elements as its input has. In files with an open batch, such as
Keras files, the output is larger, and the rest keeps the previous memory content.
"""

from dataclasses import dataclass
from math import prod

import numpy as np

from .model import ABSENT, TYPES

__all__ = ["find_leftovers"]

_ALIGN = 16  #: Bytes. Source: tensorflow/lite/micro/micro_arena_constants.h.


@dataclass
class _Buffer:
    """Tensor memory, with the first and the last operator that need it."""

    tensor: int
    size:   int
    first:  int
    last:   int
    place:  int = 0

    @property
    def end(self):
        return self.place + self.size


def find_leftovers(graph, number):
    """Tensors whose bytes an operator's output memory holds before the operator runs.

    Returns int64 [bytes, 2], tensor number and byte, -1 where no tensor was.

    Parameters
    ----------
    graph : Subgraph
    number : int, operator number
    """
    buffers = _place_buffers(_list_buffers(graph))
    known   = {buffer.tensor: buffer for buffer in buffers}
    whole   = np.full((max(buffer.end for buffer in buffers), 2), -1)
    written = [*graph.inputs, *(output for operator in graph.operators[:number]
                                for output in operator.outputs)]
    for tensor in written:
        if tensor in known:
            size  = _bytes_of(graph.tensors[tensor])
            place = known[tensor].place
            whole[place:place + size] = np.stack([np.full(size, tensor), np.arange(size)], axis=1)
    [output] = graph.operators[number].outputs
    place    = known[output].place
    return whole[place:place + _bytes_of(graph.tensors[output])]


def _bytes_of(tensor):
    return prod(tensor.shape) * TYPES[tensor.type].itemsize


def _list_buffers(graph):
    """All tensors' _Buffers except constants, by tensor number.

    Source: tensorflow/lite/micro/micro_allocation_info.cc.
    """
    spans = {number: [0, 0] for number in graph.inputs}
    for time, operator in enumerate(graph.operators, 1):
        for number in (*operator.inputs, *operator.outputs):
            if number != ABSENT and graph.tensors[number].data is None:
                spans.setdefault(number, [time, time])[1] = time
    for number in graph.outputs:
        if number in spans:
            spans[number][1] = len(graph.operators)
    return [_Buffer(number, -(-_bytes_of(graph.tensors[number]) // _ALIGN) * _ALIGN, *spans[number])
            for number in sorted(spans)]


def _place_buffers(buffers):
    """The same _Buffers with addresses: the largest first, each in the first gap that it fits.

    Source: tensorflow/lite/micro/memory_planner/greedy_memory_planner.cc.
    """
    placed = []
    for buffer in sorted(buffers, key=lambda each: (-each.size, -each.tensor)):
        others = [each for each in placed if each.last >= buffer.first
                  and each.first <= buffer.last]
        for other in sorted(others, key=lambda each: each.place):
            if other.place - buffer.place >= buffer.size:
                break
            buffer.place = max(buffer.place, other.end)
        placed.append(buffer)
    return placed
