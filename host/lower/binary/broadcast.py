# SPDX-License-Identifier: Apache-2.0
"""Operands broadcast along dimensions of size 1, by numpy's rules.

An operand is *in step* with the output if both have the same dimension order and the same run
dimensions. Its run is whole, with as many elements as an output run, or a single element.
"""

from dataclasses import replace

from xymac.hdl.isa import BANKS, Shape
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.layout import TensorLayout

__all__ = ["default_whole", "expand", "is_single", "is_whole", "lift", "lower", "repeats",
           "whole_of"]


def _shape_of(x, rank):
    """Shape of a Tensor extended to ``rank`` dimensions; the additional dimensions have size 1."""
    missing = rank - len(x.shape)
    return (1,) * missing + tuple(x.shape[max(-missing, 0):])


def is_whole(x, shape):
    """Whether a Tensor is broadcast along no dimension in an output shape ``shape``."""
    return _shape_of(x, len(shape)) == tuple(shape)


def is_single(source, target):
    """Whether an operand run at ``source`` is a single element for a whole run of ``target``."""
    return sum(source.parts) == 1 < sum(target.parts)


def lift(layout, rank):
    """An operand's TensorLayout extended to ``rank`` dimensions by leading dimensions of size 1."""
    missing = rank - len(layout.shape)
    order   = [axis + missing for axis in layout.order]
    run     = order[len(order) - layout.inner:]
    return replace(layout, shape=_shape_of(layout, rank), inner=sum(axis >= 0 for axis in run),
                   order=(*range(missing), *(axis for axis in order if axis >= 0)))


def lower(whole, x):
    """TensorLayout of a Tensor in step with the output layout ``whole``, or None.

    None if its run would be neither whole nor a single element.
    """
    rank    = len(whole.shape)
    missing = rank - len(x.shape)
    shape   = _shape_of(x, rank)
    run     = whole.order[rank - whole.inner:]
    full    = all(shape[axis] == whole.shape[axis] for axis in run)
    if not full and any(shape[axis] > 1 for axis in run):
        return None
    order = *range(-missing), *(axis - missing for axis in whole.order if axis >= missing)
    return TensorLayout(x.shape, x.bits, whole.ways, order,
                        sum(axis >= missing for axis in run), whole.parts if full else (1,))


def default_whole(output, inputs, ways):
    """Output TensorLayout with the longest runs for which every input has a layout in step."""
    rank = len(output.shape)
    wholes = (TensorLayout.of(output, range(rank), ways, inner=inner)
              for inner in range(rank, -1, -1))
    # With no dimension in a run, every run is whole.
    return next(whole for whole in wholes if all(lower(whole, x) is not None for x in inputs))


def whole_of(output, inputs, sources):
    """Output TensorLayout with which all inputs at ``sources`` are in step, or None."""
    rank = len(output.shape)
    for source in sources:
        lifted = lift(source, rank)
        run    = lifted.order[rank - lifted.inner:]
        if any(lifted.shape[axis] != output.shape[axis] for axis in run):
            continue
        whole = lifted.like(output)
        wants = [lower(whole, x) for x in inputs]
        if all(want is not None and _key(lift(want, rank)) == _key(lift(other, rank))
               for want, other in zip(wants, sources, strict=True)):
            return whole
    return None


def _key(layout):
    """Properties that determine element addresses; dimensions of size 1 are ignored."""
    run  = layout.order[len(layout.order) - layout.inner:]
    axes = ([axis for axis in each if layout.shape[axis] > 1]
            for each in (layout.outer_axes, run))
    return (*axes, layout.parts, layout.gap)


def repeats(source, target):
    """Triples (axis, size, operand stride in vectors) for outer dimensions of ``target`` above size
    1.

    The stride is 0 where the operand at ``source`` is broadcast.
    """
    lifted = lift(source, len(target.shape))
    return [(axis, target.shape[axis], lifted.step(axis) if lifted.shape[axis] > 1 else 0)
            for axis in target.outer_axes if target.shape[axis] > 1]


def expand(source, room, target, one, **fields):
    """Passes to write an operand to ``room``, broadcast to the elements of ``target``.

    Parameters
    ----------
    source, room, target : TensorLayouts; ``room`` is like ``target``, placed
    one : Access to a word of ones, 8 bits; its address is a multiple of ``ways``
    fields : other fields of the passes
    """
    single = is_single(source, target)
    pass_  = elementwise(source.bits, room.bits, x=source.access(), y=one, z=room.access(),
                         z_memory=room.memory,
                         x_shape=Shape.VECTOR if single else Shape.LANES, **fields)
    loops  = [Loop(size, step, 0, room.step(axis)) for axis, size, step in repeats(source, target)]
    groups = room.pitch
    while loops and loops[-1].z == groups and loops[-1].x == (0 if single else groups):
        groups *= loops.pop().count
    return sweep(pass_, groups, (0 if single else BANKS, 0, BANKS), loops)
