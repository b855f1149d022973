# SPDX-License-Identifier: Apache-2.0
"""The tables of MLI 2.0 at single Python ints, every entry from its function."""

from math import exp, tanh

from .mli2 import rounded, saturated

__all__ = ["argument", "entry", "naive_table", "naive_values"]


def entry(function, index, offset, places, out_bits=15):
    return min(round(function((index - offset) / 2 ** places) * 2 ** out_bits), 32767)


TABLES = {"sigm": (lambda x: 1 / (1 + exp(-x)), 320, 160, 4), "tanh": (tanh, 344, 172, 5),
          "exp": (exp, 358, 356, 5)}


def naive_values(table, x, frac_bits, build):
    """Value of a golden Table with any entries at one argument, as C reads it into ``int16_t``."""
    def short(value):
        return (value + 0x8000) % 0x10000 - 0x8000

    values, shift = table.values, min(frac_bits - table.frac_bits, 15)
    if shift <= 0:
        index = saturated(saturated(x * 2 ** -shift, 32) + table.offset, 32)
        return values[max(0, min(index, len(values) - 1))]
    x    >>= min(max(frac_bits - table.frac_bits - 15, 0), 15)
    index  = max(0, min((x >> shift) + table.offset, len(values) - 2))
    fall   = short(values[index] - values[index + 1]) * (x % 2 ** shift)
    return short(values[index] - saturated(rounded(fall, shift, 32, build), 16))


def naive_table(name, x, frac_bits, build):
    """Value of a table at one argument, 16 bits."""
    function, size, offset, places = TABLES[name]
    shift = min(frac_bits - places, 15)
    if shift <= 0:
        index = saturated(x * 2 ** -shift, 32) + offset
        return entry(function, max(0, min(index, size - 1)), offset, places)
    x    >>= min(max(frac_bits - places - 15, 0), 15)
    index  = max(0, min((x >> shift) + offset, size - 2))
    left   = entry(function, index, offset, places)
    fall   = left - entry(function, index + 1, offset, places)
    return saturated(left - saturated(rounded(fall * (x % 2 ** shift), shift, 32, build), 16), 16)


def argument(name, value, kind, build):
    """SA_8 argument less its zero point as one of 16 bits, and its fractional bits."""
    frac_bits = 8 + TABLES[name][3]
    return rounded(value * kind.scale, kind.scale_frac_bits - frac_bits, 32, build), frac_bits
