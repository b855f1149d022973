# SPDX-License-Identifier: Apache-2.0
"""Sums that lack products, or whose partial sums are too narrow."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.host.kit.sums import Sums

__all__ = ["BLOCKS", "LIMITS", "by", "missing_products", "narrow_parts", "of_products", "saturate",
           "wrap"]

BLOCKS   = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)  #: Products that belong together.
_COUNTS  = (*BLOCKS, 8192, 16384, 32768, 65536, 255, 1023, 65535)
_PARTS   = (16, 17, 18, 20, 22, 24)  #: Tried widths of a partial sum.


def by(change: Callable[[Sums], Sums]) -> Callable[..., Sums]:
    """A function on compared outputs from a function on Sums."""
    return lambda compared: change(compared.sums)


def of_products(change: Callable[[np.ndarray], np.ndarray]) -> Callable[..., Sums]:
    """A function as from ``by``, to Sums with products changed by a function."""
    return by(lambda sums: replace(sums, elements=change(sums.products), weights=np.ones_like(
        sums.weights)))


def wrap(x: np.ndarray, bits: int) -> np.ndarray:
    """Numbers modulo ``2**bits``, with a sign."""
    half = 1 << bits - 1
    return (x + half & (1 << bits) - 1) - half


def saturate(x: np.ndarray, bits: int) -> np.ndarray:
    """Numbers limited to ``bits`` bits with a sign."""
    return np.clip(x, -(1 << bits - 1), (1 << bits - 1) - 1)


LIMITS = (("wrap", wrap), ("saturate", saturate))  #: Verbs and functions of an array and a width.


def missing_products() -> Iterator[tuple[str, Any]]:
    """Pairs (words, function from compared outputs to Sums): sums that lack products."""
    yield "the last product of a sum is missing", of_products(partial(_keep, lambda n: (0, n - 1)))
    yield "the first product of a sum is missing", of_products(partial(_keep, lambda n: (1, n)))
    yield ("the last product of a sum counts twice",
           of_products(lambda x: np.concatenate([x[:-1], 2 * x[-1:]])))
    yield "the sum of a single product is missing", of_products(
        partial(_keep, lambda n: (0, n if n > 1 else 0)))
    for size in BLOCKS:
        yield (f"products after the last multiple of {size} are missing",
               of_products(partial(_keep, lambda n, size=size: (0, n // size * size))))
        yield (f"only the last products of a sum count, which starts again every {size} products",
               of_products(partial(_keep, lambda n, size=size: ((n - 1) // size * size, n))))
        yield (f"products after the last multiple of {size} are missing in sums of {size} and more",
               of_products(partial(_keep, lambda n, size=size: (
                   0, n // size * size if n >= size else n))))
    for size in (2, *BLOCKS[:8]):
        for place, words in ((size - 1, "last"), (0, "first")):
            yield (f"the {words} of every {size} products is missing",
                   of_products(partial(_lose, size, place)))
    for size in BLOCKS:
        yield (f"the first {size} products of a longer sum are missing",
               of_products(partial(_keep, lambda n, size=size: (size if n > size else 0, n))))
    for size in _COUNTS:
        yield (f"products from {size} on are missing",
               of_products(partial(_keep, lambda n, size=size: (0, min(n, size)))))
        yield (f"sums of {size} products are missing",
               of_products(partial(_keep, lambda n, size=size: (0, n if n != size else 0))))
        yield (f"the number of products counts modulo {size}",
               of_products(partial(_keep, lambda n, size=size: (0, n % size))))
        yield (f"the number of products counts modulo {size}, with {size} for 0",
               of_products(partial(_keep, lambda n, size=size: (0, (n - 1) % size + 1))))


def _keep(bounds, products):
    """Products without rows outside ``bounds``, a function from the product count."""
    first, last = bounds(len(products))
    other = np.zeros_like(products)
    other[first:last] = products[first:last]
    return other


def _lose(size, place, products):
    """Products without those at ``place`` modulo ``size``."""
    other = products.copy()
    other[place::size] = 0
    return other


def narrow_parts() -> Iterator[tuple[str, Any]]:
    """Pairs as from ``missing_products``: limits of partial sums, and limits after a few products.
    """
    for size in (2, *BLOCKS[:8]):
        for bits in _PARTS:
            for name, limit in LIMITS:
                yield (f"partial sums of {size} products {name} at {bits} bits",
                       of_products(partial(_limit_parts, size, bits, limit)))
    for count in (2, *BLOCKS[:4]):
        nth = f"{count}{'nd' if count == 2 else 'th'}"
        for bits in _PARTS:
            for name, limit in LIMITS:
                yield (f"partial sums, each of every {nth} product, {name} at {bits} bits",
                       of_products(partial(_limit_lanes, count, bits, limit)))
    yield from _running()


def _limit_parts(size, bits, limit, products):
    count  = len(products)
    parts  = np.pad(products, ((0, -count % size), (0, 0))).reshape(-1, size, products.shape[1])
    limited = limit(parts.sum(axis=1), bits)
    other   = np.zeros_like(products)
    other[:len(limited)] = limited
    return other


def _limit_lanes(count, bits, limit, products):
    other = np.zeros_like(products)
    for lane in range(min(count, len(products))):
        other[lane] = limit(products[lane::count].sum(axis=0), bits)
    return other


def _running():
    """Sums with limits after a few products each; the bias comes last."""
    for size in (1, 2, *BLOCKS[:6]):
        steps = "product" if size == 1 else f"{size} products"
        for bits in _PARTS:
            yield (f"the sum saturates at {bits} bits after every {steps}, before the bias",
                   of_products(partial(_limit_running, size, bits)))
            yield (f"the sum saturates at {bits} bits after every {steps}, then with the bias",
                   by(partial(_limit_all, size, bits)))


def _limit_running(size, bits, products):
    other = np.zeros_like(products)
    for first in range(0, len(products), size):
        other[0] = saturate(other[0] + products[first:first + size].sum(axis=0), bits)
    return other


def _limit_all(size, bits, sums):
    """Sums with limits as in ``_limit_running``, and once more with the bias, which comes last."""
    products    = _limit_running(size, bits, sums.products)
    products[0] = saturate(products[0] + sums.bias, bits) - sums.bias
    return replace(sums, elements=products, weights=np.ones_like(sums.weights))
