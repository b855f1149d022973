# SPDX-License-Identifier: Apache-2.0
"""Check individual tensors in a TensorFlow Lite file."""

import math
from math import prod

import numpy as np

from xymac.host.errors import InputError

from .model import TYPES

__all__ = ["LIMIT", "RANK", "check_channels", "check_shape", "check_tensor", "check_type"]

LIMIT = 1 << 26  #: Largest size of a tensor, and of a file, bytes.
RANK  = 8        #: Largest tensor rank.

_SUMS = ("INT32", "INT64")  #: Bias types.


def check_type(what, code):
    """Refuse a TENSOR_TYPE that no operator supports."""
    if code not in TYPES:
        raise InputError(f"{what} must be of {', '.join(each.name for each in TYPES)}, "
                         f"not {code.name}")


def check_shape(what, shape, itemsize):
    """Refuse an open, empty or too large shape."""
    if len(shape) > RANK:
        raise InputError(f"{what} may have {RANK} dimensions at most, not {len(shape)}")
    if min(shape, default=1) < 0:
        raise InputError(f"{what} must have a fixed shape, not {shape}")
    if min(shape, default=1) < 1:
        raise InputError(f"{what} must have at least 1 element a dimension, not shape {shape}")
    if prod(shape) * itemsize > LIMIT:
        raise InputError(f"{what} may take {LIMIT:,} bytes at most, not the "
                         f"{prod(shape) * itemsize:,} of shape {shape}")


def check_tensor(what, tensor, *, infinite=False):
    """Refuse an inconsistent Tensor; InputError starting with the given name.

    ``infinite`` allows infinite scales, which converters give to weights of zeros.
    """
    check_type(what, tensor.type)
    dtype = TYPES[tensor.type]
    check_shape(what, tensor.shape, dtype.itemsize)
    _check_scales(what, tensor, infinite)
    _check_zero_points(what, tensor)
    data = tensor.data
    if data is None:
        return
    if tensor.is_variable:
        raise InputError(f"{what} must be a constant or a state, not both")
    if data.dtype != dtype or data.shape != tensor.shape:
        raise InputError(f"Data of {what} must be {dtype} of shape {tensor.shape}, "
                         f"not {data.dtype} of shape {data.shape}")


def check_channels(what, tensor):
    """Refuse Tensor scales other than a single scale, or a scale per dimension index."""
    count = len(tensor.scales)
    if count > 1 and not 0 <= tensor.dimension < len(tensor.shape):
        raise InputError(f"Scales of {what} must be along dimension 0 to {len(tensor.shape) - 1}, "
                         f"not {tensor.dimension}")
    if count > 1 and count != tensor.shape[tensor.dimension]:
        raise InputError(f"{what} must have 1 scale or {tensor.shape[tensor.dimension]}, one an "
                         f"index of dimension {tensor.dimension}, not {count}")


def _check_scales(what, tensor, infinite):
    for scale in tensor.scales:
        if not (scale >= 0 and (infinite or math.isfinite(scale))):
            raise InputError(f"Scales of {what} must be finite and at least 0, not {scale}")


def _check_zero_points(what, tensor):
    kind = tensor.type.name
    if kind in ("FLOAT32", "BOOL"):
        return
    # The library ignores the scales and zero points of a bias.
    if len(tensor.zero_points) not in (1, len(tensor.scales)) and kind not in _SUMS:
        raise InputError(f"{what} must have 1 zero point, or as many as its {len(tensor.scales)} "
                         f"scales, not {len(tensor.zero_points)}")
    limits = np.iinfo(TYPES[tensor.type])
    for zero_point in tensor.zero_points:
        if not limits.min <= zero_point <= limits.max:
            raise InputError(f"Zero points of {what} must be between {limits.min} and "
                             f"{limits.max}, not {zero_point}")
