# SPDX-License-Identifier: Apache-2.0
"""Tensors as they lie in the memory of a caller: views with gaps, taken and put by the core."""

from dataclasses import replace

from xymac.golden.views import PutView, Stored, TakeView, memory_of

from .graph import Node
from .run import LayerRun, run_layer
from .tiled import make_plan

__all__ = ["run_in_memory", "view_nodes"]


def view_nodes(layer, inputs, view=None):
    """Nodes of a layer between memories, and their inputs: (list of Node, list of Arrays).

    An input whose data are a view with gaps, or have 32 bits, is a Stored, its memory from its
    first element to its last one. With ``view``, an array of the output's shape and type, the
    output is the memory of that, and the last input is what it holds.

    Parameters
    ----------
    layer : golden layer
    inputs : Tensors; ValueError for views with strides that are not positive
    view : numpy array or None
    """
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


def run_in_memory(device, layer, *inputs, view=None):
    """Apply a golden layer to Tensors on a Device as they lie in memory; returns a LayerRun.

    All lie in the order of the user's arrays. Inputs may be views with gaps. With ``view``, an
    array of the output's shape and type, the output goes to its elements and what lies between them
    stays. The host writes and reads whole memories, from the first element to the last one. Errors
    are those of ``run_layer``.
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
    if put:
        memory_of(view)[...] = run.output.data
        return replace(run, output=replace(layer.output_like(*inputs), data=view))
    return run if view is None else _fill(run, view)


def _fill(run, view):
    """A LayerRun whose output has gone to an array without gaps."""
    view[...] = run.output.data
    return replace(run, output=replace(run.output, data=view))


def _has_gaps(array):
    """Whether elements in memory have gaps between them."""
    return not array.flags.c_contiguous


def _is_apart(array):
    """Whether elements in memory have gaps between them, or halves that passes do not take."""
    return _has_gaps(array) or array.itemsize > 2


def _strides_of(array):
    """Elements from one index to the next of every dimension."""
    return tuple(step // array.itemsize if size > 1 else 1
                 for size, step in zip(array.shape, array.strides, strict=True))
