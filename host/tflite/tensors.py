# SPDX-License-Identifier: Apache-2.0
"""Checks of single tensors in a TensorFlow Lite file; a message begins with the given name."""

import math
from math import prod

import numpy as np

from xymac.host.errors import InputError

from .model import TYPES

__all__ = ["LIMIT", "RANK", "check_channels", "check_code", "check_shape", "check_tensor"]

LIMIT = 1 << 26  #: Largest tensor size and file size, bytes.
RANK  = 8        #: Largest tensor rank.

_SUMS = ("INT32", "INT64")  #: Bias types.


def check_code(name, code):
    """Raise InputError for a TENSOR_TYPE without an operator."""
    if code not in TYPES:
        raise InputError(f"{name} must be of {', '.join(each.name for each in TYPES)}, "
                         f"not {code.name}")


def check_shape(name, shape, itemsize):
    """Raise InputError for an open, empty or too large shape; ``itemsize`` is in bytes."""
    if len(shape) > RANK:
        raise InputError(f"{name} may have at most {RANK} dimensions, not {len(shape)}")
    if min(shape, default=1) < 0:
        raise InputError(f"{name} must have a fixed shape, not {shape}")
    if min(shape, default=1) < 1:
        raise InputError(f"{name} must have at least 1 element per dimension, not shape {shape}")
    if prod(shape) * itemsize > LIMIT:
        raise InputError(f"{name} may take at most {LIMIT:,} bytes, not "
                         f"{prod(shape) * itemsize:,}, the size of shape {shape}")


def check_tensor(name, tensor, *, infinite=False):
    """Raise InputError for an inconsistent Tensor.

    ``infinite`` accepts infinite scales, which converters give to weights of 0.
    """
    check_code(name, tensor.type)
    dtype = TYPES[tensor.type]
    check_shape(name, tensor.shape, dtype.itemsize)
    _check_scales(name, tensor, infinite)
    _check_zero_points(name, tensor)
    data = tensor.data
    if data is None:
        return
    if tensor.is_variable:
        raise InputError(f"{name} must be a constant or a state, not both")
    if data.dtype != dtype or data.shape != tensor.shape:
        raise InputError(f"Data of {name} must be {dtype} of shape {tensor.shape}, "
                         f"not {data.dtype} of shape {data.shape}")


def check_channels(name, tensor):
    """Raise InputError unless a Tensor has a single scale, or a scale per index of a dimension."""
    count = len(tensor.scales)
    if count > 1 and not 0 <= tensor.dimension < len(tensor.shape):
        raise InputError(f"Scales of {name} must lie along dimension 0 to {len(tensor.shape) - 1}, "
                         f"not {tensor.dimension}")
    if count > 1 and count != tensor.shape[tensor.dimension]:
        raise InputError(f"{name} must have 1 scale or {tensor.shape[tensor.dimension]}, one per "
                         f"index of dimension {tensor.dimension}, not {count}")


def _check_scales(name, tensor, infinite):
    for scale in tensor.scales:
        if not (scale >= 0 and (infinite or math.isfinite(scale))):
            raise InputError(f"Scales of {name} must be finite and at least 0, not {scale}")


def _check_zero_points(name, tensor):
    type_name = tensor.type.name
    if type_name in ("FLOAT32", "BOOL"):
        return
    # The library ignores the scales and zero points of a bias.
    if len(tensor.zero_points) not in (1, len(tensor.scales)) and type_name not in _SUMS:
        raise InputError(f"{name} must have 1 zero point, or as many as its {len(tensor.scales)} "
                         f"scales, not {len(tensor.zero_points)}")
    limits = np.iinfo(TYPES[tensor.type])
    for zero_point in tensor.zero_points:
        if not limits.min <= zero_point <= limits.max:
            raise InputError(f"Zero points of {name} must be between {limits.min} and "
                             f"{limits.max}, not {zero_point}")
