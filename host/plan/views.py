# SPDX-License-Identifier: Apache-2.0
"""Run layers on strided views in the caller's memory: the core gathers and scatters them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xymac.golden.views import PutView, Stored, TakeView, memory_of
from xymac.host.errors import check_type
from xymac.host.plan.tiling.tiled import make_plan

from .graph import Node
from .run import LayerRun, run_layer

if TYPE_CHECKING:
    import numpy as np

    from xymac.golden.array import Array
    from xymac.golden.layer import Layer
    from xymac.host.device.device import Device

__all__ = ["run_in_memory", "view_nodes"]


def view_nodes(layer: Layer, inputs: tuple[Array, ...],
               view: np.ndarray | None = None) -> tuple[list[Node], list[Array]]:
    """Nodes for a layer on views, and their inputs: (list of Node, list of Arrays).

    An input with gaps or 32-bit elements becomes a Stored, its memory from first to last element.
    With ``view``, the output is the view's memory, whose present contents are the last input.

    Parameters
    ----------
    layer : golden layer
    inputs : Tensors; ValueError for views with zero or negative strides
    view : numpy array with the output's shape and type, or None
    """
    check_type("inputs", inputs, tuple, list)
    values, nodes, sources = [], [], []
    taken = [number for number, x in enumerate(inputs) if _is_apart(x.data)]
    count = len(inputs) + (view is not None)
    for number, x in enumerate(inputs):
        values.append(Stored(memory_of(x.data)) if number in taken else x)
        sources.append(count + len(nodes) if number in taken else number)
        if number in taken:
            nodes.append(Node(TakeView(x, _strides_of(x.data)), (number,)))
    nodes.append(Node(layer, tuple(sources)))
    if view is not None:
        values.append(Stored(memory_of(view).copy()))
        nodes.append(Node(PutView(_strides_of(view)), (count + len(nodes) - 1, len(inputs))))
    return nodes, values


def run_in_memory(device: Device, layer: Layer, *inputs: Array,
                  view: np.ndarray | None = None) -> LayerRun:
    """Apply a golden layer to Tensors in their memory order on a Device; returns a LayerRun.

    All tensors have the user's array order, and inputs may be views with gaps. With ``view``, an
    array with the output's shape and type, the output goes to the view's elements; memory between
    them is unchanged. The host transfers whole memories, from first to last element. Errors as in
    ``run_layer``.
    """
    put = view is not None and _has_gaps(view)
    if not put and not any(_has_gaps(x.data) for x in inputs):
        run = run_layer(device, layer, *inputs, c_order=True)
        return run if view is None else _fill(run, view)
    layer.check(*inputs)
    nodes, values = view_nodes(layer, inputs, view if put else None)
    index = next(number for number, node in enumerate(nodes) if node.layer is layer)
    plan  = make_plan(device.config, nodes, *values, keep=False, c_order=True)
    plan.load(device)
    run = plan.run(device, *values)
    run = LayerRun(run.output, run.overflows[index], run.result, plan, run.cells[index])
    if put and view is not None:
        memory_of(view)[...] = run.output.data
        return replace(run, output=replace(layer.output_like(*inputs), data=view))
    return run if view is None else _fill(run, view)


def _fill(run, view):
    """Copy the output to a view without gaps; returns the LayerRun with the view."""
    view[...] = run.output.data
    return replace(run, output=replace(run.output, data=view))


def _has_gaps(array):
    """Whether the array is not C-contiguous."""
    return not array.flags.c_contiguous


def _is_apart(array):
    """Whether the array has gaps, or elements wider than 16 bits, which passes cannot read."""
    return _has_gaps(array) or array.itemsize > 2


def _strides_of(array):
    """Strides per dimension, in elements; 1 for dimensions of size 1."""
    return tuple(step // array.itemsize if size > 1 else 1
                 for size, step in zip(array.shape, array.strides, strict=True))
