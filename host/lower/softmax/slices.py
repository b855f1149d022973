"""Sums along a dimension of a tensor: each is over a run of a layout, and all by one loop."""

from dataclasses import replace

from hdl.isa import Memory, Move, Width
from host.memory.layout import TensorLayout

__all__ = ["first_run", "looped", "run_error", "run_image", "slices"]


def slices(axis, x):
    """Parts of a tensor that have a sum each, along ``axis`` or of all elements if it is -1."""
    return 1 if axis < 0 else x.data.size // x.shape[axis]


def run_image(axis, x, ways):
    """Layout of ``x``, not placed: a single run, or a run for each sum if there are several."""
    if slices(axis, x) == 1:
        return TensorLayout.flat(x, ways)
    others = [other for other in range(len(x.shape)) if other != axis]
    return TensorLayout.of(x, (*others, axis), ways)


def run_error(axis, source):
    """ValueError for a source whose runs are not the elements of a sum each."""
    return ValueError(f"The layer sums along dimension {axis}, its input of shape {source.shape} "
                      f"lies in the order {source.order}, {source.inner} of them in a run")


def first_run(image):
    """The first run of a TensorLayout as a TensorLayout."""
    count = sum(image.parts)
    return replace(image, shape=(count,), order=(0,), inner=1)


def looped(passes, count, pitch, images):
    """Passes again for every further run of ``images`` in X, ``pitch`` groups from one to the next.

    ``images`` are the first runs; what lies elsewhere stays where it is.
    """
    def moved(access, bits, memory):
        high = access.high + (count - 1) * pitch
        runs = memory is Memory.X and any(
            image.bits == bits and image.base <= access.base < image.base + image.groups
            for image in images)
        return replace(access, high=high, move=Move.FIRST) if runs else access

    found = [replace(pass_, x=moved(pass_.x, _bits(pass_.x_width), Memory.X),
                     z=moved(pass_.z, _bits(pass_.z_width), pass_.z_memory)) for pass_ in passes]
    found[-1] = replace(found[-1], back=len(found) - 1, repeat=count - 1, advance=(pitch, 0))
    return found


def _bits(width):
    return 8 if width is Width.BITS8 else 16
