# SPDX-License-Identifier: Apache-2.0
"""BATCH_TO_SPACE_ND with an input smaller than its output, including tflite-micro's memory
leftovers.
"""

import numpy as np

from xymac.golden.tflm import BatchToSpaceNd, PickAmong

from .arena import find_leftovers

__all__ = ["add_leftovers"]

#: Operators with additional memory, which changes the tensor addresses.
_OWN_MEMORY = ("TRANSPOSE_CONV", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BATCH_MATMUL")


def add_leftovers(graph, number, layer, shape):
    """(layer, tensors): a layer that also reads leftover memory, and the additional tensors'
    numbers.

    If the operator writes its whole output, the result is ``layer`` and an empty tuple. ``shape``
    is the input shape. ValueError, a single sentence without the operator name, if the memory holds
    other types than INT8.

    Parameters
    ----------
    graph : Model
    number : int, operator number
    layer : the operator's golden layer
    """
    if not isinstance(layer, BatchToSpaceNd) or layer.images is None:
        return layer, ()
    kind = graph.tensors[graph.operators[number].outputs[0]].type.name
    if kind != "INT8":
        raise ValueError(f"Its input of {kind} must have all elements of its output: a file with "
                         f"a fixed batch has them")
    places = layer.places(shape)
    _check_memory(graph, places)
    left   = find_leftovers(graph, number).reshape(*places.shape, 2)
    others = sorted({*left[places < 0][:, 0].tolist()})
    if -1 in others:
        raise ValueError(f"Its input must have all elements of its output, as the "
                         f"{int((places < 0).sum())} that it has not are bytes of no tensor: "
                         f"a file with a fixed batch has them")
    for tensor in others:
        kind = graph.tensors[tensor].type.name
        if kind != "INT8":
            raise ValueError(f"Elements of its output that it does not write must be left by "
                             f"INT8 tensors, not {kind}")
    sources = np.where(places < 0, -1, 0)
    numbers = np.where(places < 0, left[..., 1], places)
    for source, tensor in enumerate(others, 1):
        sources[(places < 0) & (left[..., 0] == tensor)] = source
    return PickAmong(sources, numbers, layer.out), tuple(others)


def _check_memory(graph, places):
    """Refuse networks for which tflite-micro's tensor addresses are unknown."""
    count = int((places < 0).sum())
    names = {operator.name for operator in graph.operators}
    wrong = next((name for name in _OWN_MEMORY if name in names), None)
    if wrong or any(graph.others):
        beside = wrong or "further subgraphs"
        raise ValueError(f"Its input must have all elements of its output, not {count} too few, "
                         f"beside {beside}")
