"""Arithmetic and faults of the steps of a pass."""

from dataclasses import dataclass

import numpy as np

from hdl.isa import ACC_BITS, RoundMode, Shape, Status

__all__ = ["Fault", "finish", "first_fault", "sum_products"]

FLOAT_TERMS = 1 << 22  #: Products of at most 2**30: their float64 sum stays below 2**53, exact.


@dataclass(frozen=True)
class Fault:
    """First fault in program order; ``output`` and ``beat`` count what was written before it."""

    status: Status
    field:  int = 0
    output: int = 0
    beat:   int = 0


def sum_products(pass_, x, weights, words, x_at, valid):
    """Sum the products of every output: [outputs, lanes], int64.

    ``weights`` is [1 or outputs, steps, ways or 1, lanes]; its first axis is 1 where all
    outputs share them.
    """
    weights = weights.astype(np.int64)
    if pass_.x_shape is Shape.LANES:
        beats = np.minimum(x_at[..., None] + np.arange(pass_.beats), len(x) - 1)
        operands = x[beats].reshape(*x_at.shape, -1).astype(np.int64) * valid[..., None]
        return (operands * weights.sum(2)).sum(1)
    operands = x[x_at].astype(np.int64) * valid[..., None]
    if pass_.y_shape is Shape.LANES:
        way = np.broadcast_to(words % x.shape[1], x_at.shape)
        operands = np.take_along_axis(operands, way[..., None], 2)
    operands = operands.reshape(len(operands), 1, -1)
    weights  = weights.reshape(len(weights), operands.shape[2], -1)
    if operands.shape[2] <= FLOAT_TERMS:
        operands, weights = operands.astype(np.float64), weights.astype(np.float64)
    if len(weights) == 1:
        return (operands[:, 0] @ weights[0]).astype(np.int64)
    return (operands @ weights)[:, 0].astype(np.int64)


def first_fault(valid, no_bias, x_bad, y_bad, z_bad):
    """First fault of some outputs in program order, or None; masks are [outputs, steps or
    beats]."""
    empty = ~valid.any(1)
    steps = x_bad | y_bad
    bad   = empty | no_bias | steps.any(1) | z_bad.any(1)
    if not bad.any():
        return None
    output = int(bad.argmax())
    if empty[output]:
        return Fault(Status.EMPTY, output=output)
    if no_bias:
        return Fault(Status.Y_ACCESS, output=output)
    if steps[output].any():
        step = steps[output].argmax()
        status = Status.X_ACCESS if x_bad[output, step] else Status.Y_ACCESS
        return Fault(status, output=output)
    return Fault(Status.Z_ACCESS, output=output, beat=int(z_bad[output].argmax()))


def finish(pass_, acc):
    """Wrap sums to the accumulator, shift, round and clip them."""
    half = 1 << ACC_BITS - 1
    acc  = (acc + half & (1 << ACC_BITS) - 1) - half
    if pass_.shift <= 0:
        shifted = acc << -pass_.shift
    else:
        middle  = 1 << pass_.shift - 1
        shifted = acc + middle >> pass_.shift
        if pass_.rounding is RoundMode.CONVERGENT:
            tie = acc & (1 << pass_.shift) - 1 == middle
            shifted -= tie & shifted
    return np.clip(shifted, *pass_.clip)
