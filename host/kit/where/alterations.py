# SPDX-License-Identifier: Apache-2.0
"""Altered sums in devices: products, biases, other channels, output limits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.fixed import container
from xymac.host.kit.operands import operands_of

from .limits import changed_limits
from .means import changed_means
from .pairs import changed_pairs
from .summed import BLOCKS, LIMITS, by, missing_products, narrow_parts, of_products

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["alterations"]

_WIDTHS   = (15, 16, 14, 12, 17)      #: Tried widths of a product.
_LANES    = (2, 4, 8, 16)             #: Input channels that a device may take at once.
_KEPT     = (8, 4, 16, 2, 32)         #: Accumulators that a device may have.
_NARROW   = (8, 9, 10, 11, 12, 13, 14, 15)  #: Tried widths of a sum below the Rules' widths.
_RIGHTS   = (7, 8, 15, 16, 31, 32)    #: Tried limits of a right shift.
_LEFTS    = (1, 2, 3, 7)              #: Tried limits of a left shift.
_SCALED   = (32, 40, 48, 56, 60, 62, 63)  #: Tried widths of a sum times its multiplier.
#: Low bits that a device may lack.
_LOW = {1: "bit of {} is", 2: "2 bits of {} are", 4: "4 bits of {} are", 8: "8 bits of {} are"}
_PAIRS      = ("add", "sub")
_MULTIPLIED = ("factor", "multiplier")
_SHIFTED    = ("left", "shift", "early")


def alterations(operation: str) -> Iterator[tuple[str, Any]]:
    """Pairs (words, function from compared outputs to Sums) for an operation, the plainest first.

    A requantiser's sums have neither products nor bias.
    """
    if operation in _PAIRS:
        yield from changed_pairs()
        yield from _outputs()
        return
    if operation == "average_pool":
        yield from changed_means()
    is_unit = operation == "requantise"
    if not is_unit:
        yield from _weights()
        yield from _products(is_deep=operation != "depthwise_conv2d")
        yield from missing_products()
        yield from _biases()
        yield from narrow_parts()
        yield "every sum starts from the sum before it", lambda compared: replace(
            compared.sums, bias=compared.sums.bias + compared.earlier)
        yield from _kept()
    yield from _totals()
    yield from _channels(is_unit=is_unit)
    yield from _outputs()


def _of_elements(change):
    return by(lambda sums: replace(sums, elements=change(sums.elements)))


def _products(*, is_deep):
    for name, limit in LIMITS:
        yield (f"inputs less their zero point {name} at 8 bits",
               _of_elements(lambda x, limit=limit: limit(x, 8)))
    yield ("the input zero point counts as unsigned", by(lambda sums: replace(
        sums, elements=sums.elements - 256 * ((sums.input_zero < 0) & (sums.elements != 0)))))
    yield ("the input zero point counts as unsigned, padding included", by(lambda sums: replace(
        sums, elements=sums.elements - 256 * (sums.input_zero < 0))))
    yield ("the input zero point is added in place of subtracted", by(lambda sums: replace(
        sums, elements=sums.elements + 2 * sums.input_zero)))
    yield "the input zero point is subtracted twice", by(lambda sums: replace(
        sums, elements=sums.elements - sums.input_zero))
    for words, is_in in _lanes(is_deep=is_deep):
        for rest, is_padded in ((", padding included", True), ("", False)):
            yield (f"the input zero point is ignored{words}{rest}",
                   partial(_without_zero, is_in, is_padded))
    for bits in _WIDTHS:
        for name, limit in LIMITS:
            yield (f"products {name} at {bits} bits",
                   of_products(lambda x, bits=bits, limit=limit: limit(x, bits)))
    for bits, words in _LOW.items():
        yield (f"the lowest {words.format('every product')} cut",
               of_products(lambda x, bits=bits: x >> bits << bits))
    yield "products below 0 are 1 less", of_products(lambda x: x - (x < 0))


def _weights():
    """Weights of uint8 with another zero point."""
    for words, is_in in _lanes(is_deep=True):
        yield (f"the zero point of the weights is ignored{words}",
               partial(_with_base, is_in, lambda base: base))
    _, everywhere = next(_lanes(is_deep=False))
    for words, step in (("1 lower", 1), ("1 higher", -1)):
        yield (f"the zero point of the weights is {words}",
               partial(_with_base, everywhere, lambda base, step=step: step))


def _with_base(is_in, change, compared):
    """Sums whose weights in some input channels have more added, a function of their offset."""
    sums, base = compared.sums, compared.sums.narrowing.base
    lines = is_in(np.arange(len(sums.elements)) % compared.inputs, compared.inputs)
    return replace(sums, weights=sums.weights + change(base) * lines[:, np.newaxis]) if base else (
        sums)


def _lanes(*, is_deep):
    """Pairs (words, function from numbers of input channels and their count to a bool array).

    ``is_deep`` tells whether a sum has products of several input channels.
    """
    yield "", lambda numbers, count: numbers >= 0
    if not is_deep:
        return
    yield " in the last input channel", lambda numbers, count: numbers == count - 1
    for lanes in _LANES:
        for lane in range(lanes):
            yield (f" in input channels {lane} modulo {lanes}",
                   lambda numbers, count, lane=lane, lanes=lanes: numbers % lanes == lane)


def _without_zero(is_in, is_padded, compared):
    """Sums whose elements in some input channels keep their zero point."""
    sums  = compared.sums
    count = compared.inputs
    lines = is_in(np.arange(len(sums.elements)) % count, count)[:, np.newaxis]
    where = lines if is_padded else lines & compared.inside
    return replace(sums, elements=sums.elements + np.where(where, sums.input_zero, 0))


def _biases():
    yield "the bias is missing", by(lambda sums: replace(sums, bias=0 * sums.bias))
    yield "the bias counts twice", by(lambda sums: replace(sums, bias=2 * sums.bias))
    for size in BLOCKS[:8]:
        yield (f"the bias is added once more after every {size} products", by(
            lambda sums, size=size: replace(sums, bias=sums.bias * -(
                -sums.elements.shape[0] // size))))
    yield "the bias is added after the scaling, unscaled", by(lambda sums: replace(
        sums, bias=0 * sums.bias, zero=sums.zero + sums.bias))
    yield "the bias is subtracted", by(lambda sums: replace(sums, bias=-sums.bias))
    yield "the bias is not shifted", _unshifted
    for bits in (16, 24, 32):
        yield (f"the bias counts as an unsigned number of {bits} bits", by(
            lambda sums, bits=bits: replace(sums, bias=sums.bias & (1 << bits) - 1)))


def _kept():
    """Accumulators that a device does not clear between cases."""
    left = "the first sum of a case starts from the last sum of the case before"
    yield left, lambda compared: compared.from_kept(1, of_channels=False)
    for lanes in _KEPT:
        for names, of_channels in (("elements", False), ("channels", True)):
            yield (f"in each of {lanes} lanes, {names} modulo {lanes}, {left}",
                   lambda compared, lanes=lanes, of_channels=of_channels: compared.from_kept(
                       lanes, of_channels=of_channels))


def _unshifted(compared):
    """Sums with a bias without its left shift."""
    shift = operands_of(compared.case).get("bias_shift", 0)
    bias  = compared.sums.bias
    return replace(compared.sums, bias=bias >> shift if shift > 0 else bias << -shift)


def _channels(*, is_unit):
    """Another channel's parameters."""
    kinds = {"multiplier": _MULTIPLIED, "shift": _SHIFTED,
             "multiplier and shift": (*_MULTIPLIED, *_SHIFTED)}
    if not is_unit:
        kinds = {"bias": ("bias",), "bias, multiplier and shift": (
            "bias", *_MULTIPLIED, *_SHIFTED)} | kinds
    for name, columns in kinds.items():
        yield (f"all channels have the {name} of channel 0",
               partial(_taken, columns, lambda channels, count: 0 * channels))
        yield (f"every channel has the {name} of the one before",
               partial(_taken, columns, lambda channels, count: (channels - 1) % count))
        yield (f"every channel has the {name} of the next one",
               partial(_taken, columns, lambda channels, count: (channels + 1) % count))
        yield (f"every channel has the {name} of the one before, the first its own",
               partial(_taken, columns, lambda channels, count: np.maximum(channels - 1, 0)))
        yield (f"every channel has the {name} of the next one, the last its own", partial(
            _taken, columns, lambda channels, count: np.minimum(channels + 1, count - 1)))
        yield (f"the channels have the {name} of the others in reversed order",
               partial(_taken, columns, lambda channels, count: count - 1 - channels))
        for lanes in (4, 8, 16, 32):
            yield (f"every channel has the {name} of channel modulo {lanes}",
                   partial(_taken, columns, lambda channels, count, lanes=lanes: channels % lanes))


def _taken(columns, move, compared):
    other = compared.of_channels(move(compared.channels, compared.count))
    return replace(compared.sums, **{name: getattr(other, name) for name in columns})


def _of_totals(change):
    """Sums with a changed final sum, bias included."""
    def alter(sums):
        elements    = np.zeros_like(sums.elements)
        elements[0] = change(sums.total + sums.bias) - sums.bias
        return replace(sums, elements=elements, weights=np.ones_like(sums.weights))
    return by(alter)


def _totals():
    for bits, words in _LOW.items():
        yield (f"the lowest {words.format('every sum')} cut",
               _of_totals(lambda total, bits=bits: total >> bits << bits))
    for bits in _NARROW:
        for name, limit in LIMITS:
            yield (f"the sum {name}s at {bits} bits",
                   _of_totals(lambda total, bits=bits, limit=limit: limit(total, bits)))
    yield "sums below 0 are 1 less", _of_totals(lambda total: total - (total < 0))
    yield "sums below 0 have the opposite sign", _of_totals(np.abs)
    yield "sums below 0 are 0", _of_totals(lambda total: np.maximum(total, 0))
    yield "the sum has the opposite sign", _of_totals(lambda total: -total)
    for bits in _SCALED:
        yield (f"the product of sum and multiplier wraps at {bits} bits", by(
            lambda sums, bits=bits: replace(sums, narrowing=replace(
                sums.narrowing, product_bits=bits))))


def _outputs():
    """Output shifts, zero points and limits."""
    yield "left shifts are left out", by(lambda sums: replace(
        sums, left=0 * sums.left, shift=np.maximum(sums.shift, 0)))
    for most in _LEFTS:
        yield (f"left shifts of more than {most} bit{'s' * (most > 1)} are shifts of {most}", by(
            lambda sums, most=most: replace(sums, left=np.minimum(sums.left, most),
                                            shift=np.maximum(sums.shift, -most))))
    for most in _RIGHTS:
        yield (f"right shifts of more than {most} bits are shifts of {most} bits", by(
            lambda sums, most=most: replace(sums, shift=np.minimum(sums.shift, most))))
        yield (f"right shifts count modulo {most + 1}", by(
            lambda sums, most=most: replace(sums, shift=np.where(
                sums.shift > 0, sums.shift % (most + 1), sums.shift))))
    for words, change in (("counts as unsigned", lambda zero: zero & 255), ("is missing",
                          lambda zero: 0 * zero), ("is subtracted", lambda zero: -zero)):
        yield (f"the output zero point {words}", by(
            lambda sums, change=change: replace(sums, zero=change(sums.zero))))
    for words, change in changed_limits():
        yield words, by(partial(_limited, change))


def _limited(change, sums):
    """Sums with other output limits."""
    low, high = change(sums.low, sums.high, sums.zero, container(sums.narrowing.out_bits))
    return replace(sums, low=low, high=high)
