# SPDX-License-Identifier: Apache-2.0
"""Sums of TensorFlow Lite on a scaled pass, and what they come to in Python's ints."""

from tests.support.seed import random_of
from xymac.hdl.isa import BANKS, Access, Pass, RoundMode, Scale, Width, bias_rows

__all__ = ["LIMIT", "drawn_sums", "quantized", "twice_pass", "write_sums"]

LIMIT = 32767  #: Of the elements that the pass writes.
_TOP  = (1 << 31) - 1


def quantized(x, multiplier, exponent):
    """MultiplyByQuantizedMultiplier as the library spells it, its integers those of C.

    Source: tensorflow/lite/kernels/internal/common.cc; gemmlowp, fixedpoint/fixedpoint.h,
    ``SaturatingRoundingDoublingHighMul`` and ``RoundingDivideByPOT``.
    """
    product = (x << max(exponent, 0)) * multiplier
    nudged  = product + ((1 << 30) if product >= 0 else 1 - (1 << 30))
    high    = abs(nudged) // (1 << 31) * (1 if nudged >= 0 else -1)
    right   = max(-exponent, 0)
    mask    = (1 << right) - 1
    return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))


def drawn_sums(exponent, count, key):
    """``count`` sums and multipliers whose elements lie around ``LIMIT`` at most.

    Most are where the element, or what it is rounded from, is about to change.
    """
    rng, drawn = random_of(key), []
    right = max(-exponent, 0)
    edges = [(0, _TOP), (1, 0), (-1, 0), (-1, _TOP), (1, 1 << 30), (-1, 1 << 30)]
    while len(drawn) < count:
        multiplier = int(rng.choice([1 << 30, (1 << 30) + 1, _TOP, rng.integers(1 << 30, _TOP)]))
        element = int(rng.choice([0, 1, -1, 2, -2, *rng.integers(-LIMIT, LIMIT, 3)]))
        high    = ((2 * element + 1) << right >> 1) + int(rng.integers(-1, 2))
        x = ((2 * high + int(rng.integers(-1, 2))) << 30 - max(exponent, 0)) // multiplier
        x += int(rng.integers(-1, 3))
        if -(1 << 31) <= x << max(exponent, 0) <= _TOP:
            drawn.append((x, multiplier))
    # The largest sums: their elements are beyond the limits unless much is shifted out.
    edges += [(sign * _TOP - (sign < 0) >> max(exponent, 0), multiplier)
              for sign in (1, -1) for multiplier in (1 << 30, _TOP)]
    return [*edges, *drawn][:count]


def twice_pass(config, count, *, once=False, addend=True):
    """A pass of ``count`` outermost indices whose sums are their biases; ``addend``: it has a
    record of addends."""
    row, end = config.y_rows // 2, config.x_rows * BANKS
    return Pass(x=Access(end - 4, end - 4, end - 1), y=Access(0, 0, 0),
                z=Access(0, 0, 4 * count - 1, (4, 0, 0)), outer=(count, 1, 1),
                x_width=Width.BITS16, y_width=Width.BITS16, z_width=Width.BITS16,
                clip=(-LIMIT - 1, LIMIT), bias_row=row, scale=Scale.BITS32, addend=addend,
                once=once, rounding=RoundMode.TWICE)


def _write(cells, config, row, values):
    """A record of a value a lane, 48 bits, at ``row`` of Y; cells are [rows, ways, lanes]."""
    places = [(row + index // config.ways, index % config.ways)
              for index in range(bias_rows(config.ways) * config.ways)]
    last = bias_rows(config.ways) - 1
    for part in range(3):
        at, way = places[part]
        cells[row + last - (at - row), way, :] = [value >> 16 * part & 0xFFFF for value in values]


def write_sums(cells, config, pass_, sums, exponent, addend=None):
    """Records of ``sums`` (value, multiplier) in cells of Y.

    With ``once`` the multipliers are those of the first index. ``addend`` is that of the library if
    there is none; every other lane has it with bit 31, which does not count.
    """
    lanes, width = BANKS * config.ways, bias_rows(config.ways)
    cells = cells.reshape(-1, config.ways, lanes)
    cells[0] = 0
    row   = pass_.accumulate.bias_row
    post  = 31 - exponent
    if addend is None:
        addend = (exponent < 0) << 30
    addends = [addend | lane % 2 << 31 for lane in range(lanes)]
    for first in range(0, len(sums), lanes):
        group  = sums[first:first + lanes]
        values = [[mul | post << 37 for _, mul in group], addends, [x for x, _ in group]]
        if not pass_.epilogue.addend:
            del values[1]
        for record in values[-1 if pass_.epilogue.once and first else 0:]:
            _write(cells, config, row, record)
            row += width
