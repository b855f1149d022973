# SPDX-License-Identifier: Apache-2.0
"""Golden functions on arguments of their whole range, closer than layers see them."""

from functools import partial

import numpy as np

from xymac.golden.tflm.curves import exponential, interpolate, logarithm, root
from xymac.golden.tflm.curves.sigmoid import _sigmoid, _tanh
from xymac.golden.tflm.plain import circular, exponents

__all__ = ["FUNCTIONS"]

_COUNT = 20_000
_MOST  = (1 << 31) - 1
#: Bits of floats at which functions change their steps: for exp(x) - 1; for exp(x) at both ends.
_LIMITS = 0x33000000, 0x3EB17218, 0x3F851591, 0x4195B844, 0x42B17217, 0x42CFF1B4


def _words(key, low, high):
    """Integers from ``low`` to ``high``: the ends, and others with every number of bits."""
    rng    = np.random.default_rng(key)
    values = rng.integers(-_MOST - 1, _MOST + 1, _COUNT) >> rng.integers(0, 32, _COUNT)
    kept   = values[(values >= low) & (values <= high)]
    return np.array([low, low + 1, high - 1, high, *kept], np.int64)


def _of_floats(function, high=np.inf):
    """Values for floats with any exponent, and for those without a number; NaN has no sign."""
    rng    = np.random.default_rng(11)
    words  = rng.integers(0, 1 << 32, _COUNT, np.uint32)
    near   = np.array([limit + step + sign for limit in _LIMITS for step in range(-2, 3)
                       for sign in (0, 1 << 31)], np.uint32)
    values = np.concatenate([words.view(np.float32), near.view(np.float32), np.float32(
        rng.normal(scale=8, size=_COUNT)), np.float32(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2 ** -149, 2 ** -126, 88, 89, -103, -104])])
    values = values[~(values > high)]
    with np.errstate(all="ignore"):
        found = function(values)
    return np.where(np.isnan(found), np.float32(np.nan), found)


def _tables(function):
    x = np.arange(-1 << 15, 1 << 15)
    return [function(x, factor, shift)
            for factor, shift in ((1, 0), (3, 0), (12288, 14), (16384, 15), (32767, 15))]


def _looked_up():
    table = np.random.default_rng(3).integers(-1 << 15, 1 << 15, 513)
    return interpolate.look_up(table, np.arange(-1 << 15, 1 << 15))


#: By name a function without arguments that returns values.
FUNCTIONS = {
    "exponential, 4 bits": partial(exponential.exponential, _words(1, -_MOST - 1, 0), 4),
    "exponential, 5 bits": partial(exponential.exponential, _words(2, -_MOST - 1, 0), 5),
    "half reciprocal":     partial(exponential.half_reciprocal, _words(3, 0, _MOST)),
    "reciprocal":          partial(exponential.reciprocal, _words(4, 0, _MOST)),
    "logarithm":           partial(logarithm.logarithm, _words(5, 1 << 19, _MOST)),
    "inverse root":        partial(root.inverse_root, _words(6, 0, _MOST)),
    "sigmoid":             partial(_sigmoid, _words(7, -_MOST - 1, _MOST)),
    "tanh":                partial(_tanh, _words(8, -_MOST - 1, _MOST)),
    "sigmoid by a table":  partial(_tables, interpolate.sigmoid),
    "tanh by a table":     partial(_tables, interpolate.tanh),
    "table of 513":        _looked_up,
    "float exponential":   partial(_of_floats, exponents.exponential),
    "float exponential less one": partial(_of_floats, exponents.exponential_less_one, 38),
    "float logarithm":     partial(_of_floats, exponents.logarithm),
    "float sine":          partial(_of_floats, circular.sine),
    "float cosine":        partial(_of_floats, circular.cosine),
    "float tangent":       partial(_of_floats, circular.hyperbolic_tangent),
}
