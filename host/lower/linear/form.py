"""Convolutions and matrices of all libraries in one form, which the loops of passes take."""

from dataclasses import dataclass, replace

import numpy as np

from host.lower.refuse import NoPassesError

from .windows import Span, reach, transposed_reach, transposed_spans, window_spans

__all__ = ["Linear", "check_sums", "first_record", "fitted", "largest_sum", "on_windows",
           "transposed"]

MATRIX = (Span(),)  #: Of a matrix: all inputs are under one tap of one output.


@dataclass(frozen=True)
class Linear:
    """Sums of products, and what becomes of them.

    Parameters
    ----------
    weights : int8 or int16 [outputs, rows, columns, inputs], of a matrix [outputs, 1, 1, inputs],
        of a depthwise kernel [channels, rows, columns, 1]
    records : tuple of int64 [outputs], as a pass reads them: parameters if scaled, the bias last
    output : dict of the fields of a Pass that its outputs share
    rows, cols : tuples of Span, a pass for each pair of them
    narrow : (low, high) of outputs of 8 bits that passes of 16 bits are rounded to, or None
    """

    weights: np.ndarray
    records: tuple
    output:  dict
    rows:    tuple = MATRIX
    cols:    tuple = MATRIX
    narrow:  tuple | None = None


def fitted(weights):
    """Integer weights as int8, or as int16 if they have to; NoPassesError if that is too narrow."""
    for dtype in (np.int8, np.int16):
        limits = np.iinfo(dtype)
        if limits.min <= weights.min() and weights.max() <= limits.max:
            return weights.astype(dtype)
    raise NoPassesError(f"Weights less their zero point must have 16 bits, not {weights.min()} to "
                        f"{weights.max()}")


def check_sums(weights, bias, peak, limit):
    """Raise NoPassesError unless no partial sum can pass ``limit``, in whatever order.

    ``peak`` is the largest magnitude of an input. A partial sum of the bias and any of the products
    is at most ``|bias| + sum(|weight|) * peak``, which no other order and no input can exceed.
    """
    largest = largest_sum(weights, bias, peak)
    if largest > limit:
        raise NoPassesError(f"Sums must stay within {limit} for every input, not {largest}")


def largest_sum(weights, bias, peak):
    """What no partial sum of any output exceeds; see ``check_sums``."""
    sums = np.abs(bias) + peak * np.abs(weights.astype(np.int64)).reshape(len(weights), -1).sum(1)
    return int(sums.max())


def first_record(mul, pre, post):
    """The first parameters of a scaled sum as ``hdl.isa`` packs them; int64 arrays."""
    return mul & 0xFFFFFFFF | pre << 32 | post << 37


def on_windows(linear, sizes, outputs, stride, dilation, start):
    """``linear`` on windows of an image; all but itself are (of rows, of columns).

    A kernel grows by zeros if a window were beside the image: such a pass is a fault.
    """
    grown = []
    for axis in range(2):
        fields = stride[axis], dilation[axis]
        front, behind = reach(sizes[axis], outputs[axis], linear.weights.shape[1 + axis], *fields,
                              start[axis])
        linear = _grown(linear, axis, front, behind)
        grown.append(window_spans(sizes[axis], outputs[axis], linear.weights.shape[1 + axis],
                                  *fields, start[axis] - front * dilation[axis]))
    return replace(linear, rows=grown[0], cols=grown[1])


def transposed(linear, sizes, outputs, stride, start):
    """``linear`` on windows of an image spread by ``stride``; see ``on_windows``."""
    grown = []
    for axis in range(2):
        front, behind = transposed_reach(sizes[axis], outputs[axis],
                                         linear.weights.shape[1 + axis], stride[axis], start[axis])
        linear = _grown(linear, axis, front, behind)
        grown.append(transposed_spans(sizes[axis], outputs[axis], linear.weights.shape[1 + axis],
                                      stride[axis], start[axis] - front))
    return replace(linear, rows=grown[0], cols=grown[1])


def _grown(linear, axis, front, behind):
    widths = [(0, 0)] * 4
    widths[1 + axis] = (front, behind)
    return replace(linear, weights=np.pad(linear.weights, widths))
