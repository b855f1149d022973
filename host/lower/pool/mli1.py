"""Means of MLI 1.x as sums of products."""

from golden.mli1.pool import reciprocal
from host.lower.sweep import container_clip

from .form import Mean

__all__ = ["describe"]


def describe(layer, x, count):
    """The ``Mean`` of ``count`` elements of a Tensor like ``x``.

    Multiplier of 15 bits and shift are those of the library, of which a 1 becomes the equal
    multiplier of full length so that neighbours can share a shift.
    """
    multiplier, shift = reciprocal(count)
    factor, shift = (1 << 14, shift + 14) if multiplier == 1 else (multiplier, shift)
    return Mean(factor, output={"shift": shift, "rounding": layer.rounding,
                                "acc_range": layer.acc_range(x), "clip": container_clip(x.bits)})
