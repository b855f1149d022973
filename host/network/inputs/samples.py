# SPDX-License-Identifier: Apache-2.0
"""Random inputs as defaults."""

import numpy as np

from ..network import Images
from .entry import find_form
from .values import dequantise

__all__ = ["random_images"]

_SMALL = 1 << 15                  #: Limit of elements wider than 16 bits.
_MOST  = np.finfo(np.float32).max  #: Limit of floating point.


def random_images(network, seed):
    """Images with a single random input, uniform over all 8-bit or 16-bit elements.

    Floating-point inputs get real values for random elements in the next layer.
    """
    rng  = np.random.default_rng(seed)
    data = tuple(np.asarray(_random_input(network, number, blank, rng))[np.newaxis]
                 for number, blank in enumerate(network.inputs))
    return Images(data[0] if len(data) == 1 else data)


def _random_input(network, number, blank, rng):
    if blank.data.dtype.kind == "b":
        return rng.integers(0, 1, blank.shape, endpoint=True).astype(bool)
    if blank.data.dtype.kind != "f":
        limits = np.iinfo(blank.data.dtype)
        return rng.integers(max(limits.min, -_SMALL), min(limits.max, _SMALL - 1), blank.shape,
                            blank.data.dtype, endpoint=True)
    form = find_form(network, number)
    if form is not None:
        limits = np.iinfo(form.data.dtype)
        steps  = rng.integers(limits.min, limits.max, blank.shape, endpoint=True)
        return dequantise(steps, form).clip(-_MOST, _MOST).astype(np.float32)
    return rng.uniform(-1, 1, blank.shape).astype(np.float32)
