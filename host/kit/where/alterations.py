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

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["alterations"]

_BLOCKS   = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
_COUNTS   = (*_BLOCKS, 8192, 16384, 32768, 65536, 255, 1023, 65535)
_WIDTHS   = (15, 16, 14, 12, 17)      #: Tried widths of a product,
_PARTS    = (16, 17, 18, 20, 22, 24)  #: and of a partial sum.
_NARROW   = (8, 9, 10, 11, 12, 13, 14, 15)  #: Tried widths of a sum below the Rules' widths.
_RIGHTS   = (7, 8, 15, 16, 31, 32)    #: Tried limits of a right shift.
_SCALED   = (32, 40, 48, 56, 60, 62, 63)  #: Tried widths of a sum times its multiplier.
#: Low bits that a device may lack.
_LOW = {1: "bit of {} is", 2: "2 bits of {} are", 4: "4 bits of {} are", 8: "8 bits of {} are"}
_PAIRS      = ("add", "sub")
_MULTIPLIED = ("factor", "multiplier")
_SHIFTED    = ("left", "shift", "early")


def alterations(operation: str) -> Iterator[tuple[str, Any]]:
    """Pairs (words, function from compared outputs to Sums) for an operation, the plainest first.

    A requantiser's sums have neither products nor bias; a tensor sum's scaled inputs leave only the
    output to change.
    """
    if operation in _PAIRS:
        yield from _outputs()
        return
    if operation == "average_pool":
        yield from changed_means()
    is_unit = operation == "requantise"
    if not is_unit:
        yield from _products()
        yield from _counts()
        yield from _biases()
        yield from _parts()
        yield from _running()
        yield "every sum starts from the sum before it", lambda compared: replace(
            compared.sums, bias=compared.sums.bias + compared.earlier)
        yield ("the first sum of a case starts from the last sum of the case before",
               lambda compared: replace(compared.sums, bias=compared.sums.bias + np.where(
                   compared.places == 0, compared.carried, 0)))
    yield from _totals()
    yield from _channels(is_unit=is_unit)
    yield from _outputs()


def _by(change):
    """A function on _Compared from a function on Sums."""
    return lambda compared: change(compared.sums)


def _of_products(change):
    """Sums with products changed by a function."""
    return _by(lambda sums: replace(sums, elements=change(sums.products), weights=np.ones_like(
        sums.weights)))


def _of_elements(change):
    return _by(lambda sums: replace(sums, elements=change(sums.elements)))


def _wrap(x, bits):
    half = 1 << bits - 1
    return (x + half & (1 << bits) - 1) - half


def _saturate(x, bits):
    return np.clip(x, -(1 << bits - 1), (1 << bits - 1) - 1)


_LIMITS = (("wrap", _wrap), ("saturate", _saturate))


def _products():
    for name, limit in _LIMITS:
        yield (f"inputs less their zero point {name} at 8 bits",
               _of_elements(lambda x, limit=limit: limit(x, 8)))
    yield ("the input zero point counts as unsigned", _by(lambda sums: replace(
        sums, elements=sums.elements - 256 * ((sums.input_zero < 0) & (sums.elements != 0)))))
    yield ("the input zero point counts as unsigned, padding included", _by(lambda sums: replace(
        sums, elements=sums.elements - 256 * (sums.input_zero < 0))))
    yield ("the input zero point is added in place of subtracted", _by(lambda sums: replace(
        sums, elements=sums.elements + 2 * sums.input_zero)))
    yield "the input zero point is subtracted twice", _by(lambda sums: replace(
        sums, elements=sums.elements - sums.input_zero))
    for bits in _WIDTHS:
        for name, limit in _LIMITS:
            yield (f"products {name} at {bits} bits",
                   _of_products(lambda x, bits=bits, limit=limit: limit(x, bits)))
    for bits, words in _LOW.items():
        yield (f"the lowest {words.format('every product')} cut",
               _of_products(lambda x, bits=bits: x >> bits << bits))
    yield "products below 0 are 1 less", _of_products(lambda x: x - (x < 0))


def _counts():
    yield "the last product of a sum is missing", _of_products(partial(_keep, lambda n: (0, n - 1)))
    yield "the first product of a sum is missing", _of_products(partial(_keep, lambda n: (1, n)))
    yield ("the last product of a sum counts twice",
           _of_products(lambda x: np.concatenate([x[:-1], 2 * x[-1:]])))
    yield "the sum of a single product is missing", _of_products(
        partial(_keep, lambda n: (0, n if n > 1 else 0)))
    for size in _BLOCKS:
        yield (f"products after the last multiple of {size} are missing",
               _of_products(partial(_keep, lambda n, size=size: (0, n // size * size))))
        yield (f"only the last products of a sum count, which starts again every {size} products",
               _of_products(partial(_keep, lambda n, size=size: ((n - 1) // size * size, n))))
        yield (f"products after the last multiple of {size} are missing in sums of {size} and more",
               _of_products(partial(_keep, lambda n, size=size: (
                   0, n // size * size if n >= size else n))))
    for size in _COUNTS:
        yield (f"products from {size} on are missing",
               _of_products(partial(_keep, lambda n, size=size: (0, min(n, size)))))
        yield (f"sums of {size} products are missing",
               _of_products(partial(_keep, lambda n, size=size: (0, n if n != size else 0))))
        yield (f"the number of products counts modulo {size}",
               _of_products(partial(_keep, lambda n, size=size: (0, n % size))))
        yield (f"the number of products counts modulo {size}, with {size} for 0",
               _of_products(partial(_keep, lambda n, size=size: (0, (n - 1) % size + 1))))


def _keep(bounds, products):
    """Products without rows outside ``bounds``, a function from the product count."""
    first, last = bounds(len(products))
    other = np.zeros_like(products)
    other[first:last] = products[first:last]
    return other


def _parts():
    """Partial sums with limits."""
    for size in _BLOCKS[:8]:
        for bits in _PARTS:
            for name, limit in _LIMITS:
                yield (f"partial sums of {size} products {name} at {bits} bits",
                       _of_products(partial(_limit_parts, size, bits, limit)))


def _limit_parts(size, bits, limit, products):
    count  = len(products)
    parts  = np.pad(products, ((0, -count % size), (0, 0))).reshape(-1, size, products.shape[1])
    limited = limit(parts.sum(axis=1), bits)
    other   = np.zeros_like(products)
    other[:len(limited)] = limited
    return other


def _running():
    """Sums with limits after a few products each; the bias comes last."""
    for size in (1, 2, *_BLOCKS[:6]):
        steps = "product" if size == 1 else f"{size} products"
        for bits in _PARTS:
            yield (f"the sum saturates at {bits} bits after every {steps}, before the bias",
                   _of_products(partial(_limit_running, size, bits)))
            yield (f"the sum saturates at {bits} bits after every {steps}, then with the bias",
                   _by(partial(_limit_all, size, bits)))


def _limit_running(size, bits, products):
    other = np.zeros_like(products)
    for first in range(0, len(products), size):
        other[0] = _saturate(other[0] + products[first:first + size].sum(axis=0), bits)
    return other


def _limit_all(size, bits, sums):
    """Sums with limits as in ``_limit_running``, and once more with the bias, which comes last."""
    products    = _limit_running(size, bits, sums.products)
    products[0] = _saturate(products[0] + sums.bias, bits) - sums.bias
    return replace(sums, elements=products, weights=np.ones_like(sums.weights))


def _biases():
    yield "the bias is missing", _by(lambda sums: replace(sums, bias=0 * sums.bias))
    yield "the bias counts twice", _by(lambda sums: replace(sums, bias=2 * sums.bias))
    for size in _BLOCKS[:8]:
        yield (f"the bias is added once more after every {size} products", _by(
            lambda sums, size=size: replace(sums, bias=sums.bias * -(
                -sums.elements.shape[0] // size))))
    yield "the bias is added after the scaling, unscaled", _by(lambda sums: replace(
        sums, bias=0 * sums.bias, zero=sums.zero + sums.bias))
    yield "the bias is subtracted", _by(lambda sums: replace(sums, bias=-sums.bias))
    yield "the bias is not shifted", _unshifted
    for bits in (16, 24, 32):
        yield (f"the bias counts as an unsigned number of {bits} bits", _by(
            lambda sums, bits=bits: replace(sums, bias=sums.bias & (1 << bits) - 1)))


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
    return _by(alter)


def _totals():
    for bits, words in _LOW.items():
        yield (f"the lowest {words.format('every sum')} cut",
               _of_totals(lambda total, bits=bits: total >> bits << bits))
    for bits in _NARROW:
        for name, limit in _LIMITS:
            yield (f"the sum {name}s at {bits} bits",
                   _of_totals(lambda total, bits=bits, limit=limit: limit(total, bits)))
    yield "sums below 0 are 1 less", _of_totals(lambda total: total - (total < 0))
    yield "sums below 0 have the opposite sign", _of_totals(np.abs)
    yield "sums below 0 are 0", _of_totals(lambda total: np.maximum(total, 0))
    yield "the sum has the opposite sign", _of_totals(lambda total: -total)
    for bits in _SCALED:
        yield (f"the product of sum and multiplier wraps at {bits} bits", _by(
            lambda sums, bits=bits: replace(sums, narrowing=replace(
                sums.narrowing, product_bits=bits))))


def _outputs():
    """Output shifts, zero points and limits."""
    yield "left shifts are left out", _by(lambda sums: replace(
        sums, left=0 * sums.left, shift=np.maximum(sums.shift, 0)))
    for most in _RIGHTS:
        yield (f"right shifts of more than {most} bits are shifts of {most} bits", _by(
            lambda sums, most=most: replace(sums, shift=np.minimum(sums.shift, most))))
        yield (f"right shifts count modulo {most + 1}", _by(
            lambda sums, most=most: replace(sums, shift=np.where(
                sums.shift > 0, sums.shift % (most + 1), sums.shift))))
    for words, change in (("counts as unsigned", lambda zero: zero & 255), ("is missing",
                          lambda zero: 0 * zero), ("is subtracted", lambda zero: -zero)):
        yield (f"the output zero point {words}", _by(
            lambda sums, change=change: replace(sums, zero=change(sums.zero))))
    for words, change in changed_limits():
        yield words, _by(partial(_limited, change))


def _limited(change, sums):
    """Sums with other output limits."""
    low, high = change(sums.low, sums.high, sums.zero, container(sums.narrowing.out_bits))
    return replace(sums, low=low, high=high)
