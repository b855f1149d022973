# SPDX-License-Identifier: Apache-2.0
"""Random choice for case properties, with preference for the least used values."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

__all__ = ["Draw", "NoCaseError"]

#: Quantities whose limits hold for data.
_LIMITS = {"data": "input", "data of the second": "input", "data of weights": "weights"}
_NOTED = 40  #: Values outside a limit that are noted.
_FEW = 8  #: A limit with at most this many values is drawn completely.
#: Sizes beyond the usual ones, at the ends of counters of 5, 6, 8 and 10 bits,
_LARGE  = (33, 257, 1000, 1025, 256, 64, 32, 255, 100, 1024, 65, 31)
_SMALL  = 3  #: and largest other size of a case that has one.
_SIZES  = ("height", "width", "channels", "outputs")
#: Quantities from 1 on, whatever their limits hold,
_COUNTS = (*_SIZES, "elements", "batches", "dimensions", "dilation", "steps", *(
    f"{name}_{side}" for name in ("kernel", "stride", "dilation") for side in ("height", "width")))
#: and choices that are quantities of the case as they are, so that functions can bind them.
_BOUND  = (*_SIZES, *(f"{name}_{side}" for name in ("kernel", "stride", "dilation")
                      for side in ("height", "width")))
#: Data styles, edges first.
STYLES = ("lowest", "highest", "ends", "zero", "small", "any", "any ")


class NoCaseError(ValueError):
    """No case satisfies the limits."""


def _holds(limit, value):
    """Whether ``value`` is within a limit; only ints are looked up in a range."""
    value = value.item() if isinstance(value, np.generic) else value
    return (isinstance(value, int) or not isinstance(limit, range)) and value in limit


def _sizes_of(limit: Any) -> Any:
    """A limit without its ints below 1, from low to high; ``limit`` itself if all are sizes."""
    if not isinstance(limit, range):
        return limit if all(value > 0 for value in limit) else type(limit)(
            value for value in limit if value > 0)
    limit = limit if limit.step > 0 else limit[::-1]
    return limit[bisect_right(limit, 0):]


def _is_style(limit, candidates):
    """Whether candidates are words although the limit has ints: it then limits the derived ints."""
    return all(isinstance(each, str) for each in candidates) and (
        isinstance(limit, range) or not any(isinstance(each, str) for each in limit))


class Draw:
    """Chooses quantity values within limits.

    Attributes
    ----------
    rng : numpy Generator
    hits : {quantity: {value: case count}}
    left_out : {quantity: values outside the limits}, in order
    way : str, direction of the case's sums, see ``reach``; "" for random sums
    products : int, products per sum with a direction
    large : str, quantity with a large size, "" for none; other sizes are then small
    is_telling : bool, whether there is such a size; constants of each output and all products
        then show in the outputs
    offset : int, which the device's elements have more than these: 128 for uint8
    """

    def __init__(self, rng: np.random.Generator, limits: Mapping[str, Any] | None = None,
                 offset: int = 0) -> None:
        self.rng      = rng
        self.hits     = defaultdict(dict)
        self._tried   = Counter()  # by (quantity, value), including rejected cases
        self._picked  = set()
        self.left_out = {}
        self.way      = ""
        self.products = 0
        self.large    = ""
        self.is_telling = False
        self.offset   = offset
        limits = limits or {}
        self._limits  = {name: _sizes_of(limit) if name in _COUNTS else limit
                         for name, limit in limits.items() if not callable(limit)}
        #: Functions bind a whole case, and the last choice among their arguments.
        self._functions = {name: (limit, tuple(signature(limit).parameters))
                           for name, limit in limits.items() if callable(limit)}

    def pick(self, quantity: str, candidates: Sequence[Any], *,
             where: Callable[[Any], bool] | None = None) -> Any:
        """A candidate with the fewest cases so far.

        Parameters
        ----------
        quantity : str, its limit applies
        candidates : values, edges first; a short limit, or a limit without any candidate, adds its
            own values; a long range adds its ends
        where : function that tells whether a value fits the earlier choices

        NoCaseError if no value remains.
        """
        if self.large and quantity in _SIZES:
            size = self._size(quantity, candidates, where)
            if size:
                return size
        allowed = self._narrow(quantity, candidates)
        for value in allowed:
            self.hits[quantity].setdefault(value, 0)
        fitting = [value for value in allowed if where is None or where(value)]
        if not fitting:
            raise NoCaseError(f"nothing that the limits take of {quantity} fits")
        fitting = self._relate(quantity, fitting)
        least  = min(self._tried[quantity, value] for value in fitting)
        choice = [value for value in fitting if self._tried[quantity, value] == least]
        value  = choice[int(self.rng.integers(len(choice)))]
        self._tried[quantity, value] += 1
        self._picked.add((quantity, value))
        return value

    def _relate(self, quantity, values):
        """The values that functions take beside the earlier choices; all values if they take
        none.
        """
        known = {name: value for name, value in self._picked if name in _BOUND}
        for name, (function, arguments) in self._functions.items():
            if quantity in arguments and {*arguments} <= {*known, quantity} and quantity in _BOUND:
                values = self._taken(name, function, arguments, known, quantity, values)
        return values

    def _taken(self, name, function, arguments, known, quantity, values):
        taken = []
        for value in values:
            choices = known | {quantity: value}
            try:
                is_held = function(**{each: choices[each] for each in arguments})
            except Exception:  # the whole case says so
                return values
            if is_held:
                taken.append(value)
            elif name in choices:
                self.leave_out(name, choices[name])
        return taken or values

    def _size(self, quantity, candidates, where):
        """A large size if the case wants one, else a small one; 0 if there is none within the
        limit.
        """
        limit = self._limits.get(quantity)
        if quantity == self.large:
            step  = 4 if all(size % 4 == 0 for size in candidates) else 1
            sizes = [size for size in _LARGE if size % step == 0]
            most  = self.products or max(sizes)
            sizes = [size for size in sizes if size <= most]
        else:
            sizes = [size for size in candidates if size <= max(_SMALL, min(candidates))]
        sizes = [size for size in sizes if (limit is None or _holds(limit, size))
                 and (where is None or where(size))]
        if not sizes:
            return 0
        least = min(self._tried[quantity, size] for size in sizes)
        size  = next(size for size in sizes if self._tried[quantity, size] == least)
        self._tried[quantity, size] += 1
        self._picked.add((quantity, size))
        return size

    def lean(self, quantity: str, candidates: Sequence[Any]) -> Any:
        """``pick``, but the first candidate in every other case, and in cases with a direction or
        a large size.

        The limits must allow the first candidate.
        """
        usual = candidates[0]
        if usual in self._narrow(quantity, candidates) and (
                self.way or self.is_telling or self.rng.random() < 0.5):
            return self.pick(quantity, candidates, where=lambda value: value == usual)
        return self.pick(quantity, candidates)

    def tell(self, quantity: str, candidates: Sequence[Any], telling: Any) -> Any:
        """``pick``, but the candidate ``telling`` in telling cases, if the limits allow
        it.
        """
        if self.is_telling and telling in self._narrow(quantity, candidates):
            return self.pick(quantity, candidates, where=lambda value: value == telling)
        return self.pick(quantity, candidates)

    def near(self, quantity: str, wanted: int, least: int = 1) -> int:
        """The largest int up to ``wanted`` within the quantity's limit.

        If there is none, the lowest int from ``least`` on. It counts as a hit, never as a miss.
        """
        limit = self._limits.get(quantity)
        if limit is not None:
            limit  = limit if isinstance(limit, range) else sorted(
                each for each in limit if isinstance(each, int))
            limit  = limit[bisect_right(limit, least - 1):]
            if not limit:
                raise NoCaseError(f"nothing that the limits take of {quantity} fits")
            wanted = limit[max(bisect_right(limit, wanted) - 1, 0)]
        self._picked.add((quantity, wanted))
        return wanted

    def close(self, *, counts: bool) -> None:
        """End a case; its choices count as hits if it ``counts``."""
        for quantity, value in self._picked if counts else ():
            self.hits[quantity][value] = self.hits[quantity].get(value, 0) + 1
        self._picked.clear()

    def _narrow(self, quantity, candidates):
        limit = self._limits.get(quantity)
        if limit is None or _is_style(limit, candidates):
            return list(dict.fromkeys(candidates))
        allowed = [value for value in candidates if _holds(limit, value)]
        allowed = list(dict.fromkeys([*allowed, *self.own(quantity, few=bool(allowed))]))
        for value in dict.fromkeys(candidates):
            if not _holds(limit, value):
                self.leave_out(quantity, value)
        return allowed

    def own(self, quantity: str, *, few: bool = False) -> list[int]:
        """Up to 8 ints of the quantity's limit: all, or both ends and ints between them.

        With ``few``, only the ends of a long limit.
        """
        limit = self._limits.get(quantity, ())
        if not isinstance(limit, range):
            limit = sorted(value for value in limit if isinstance(value, int))
        if len(limit) <= _FEW:
            return list(limit)
        count = 2 if few else _FEW
        return [limit[place * (len(limit) - 1) // (count - 1)] for place in range(count)]

    def leave_out(self, quantity: str, value: Any) -> None:
        """Note a value outside the limits."""
        seen = self.left_out.setdefault(quantity, [])
        if value is not None and value not in seen and len(seen) < _NOTED:
            seen.append(value)

    def allows(self, quantity: str, value: Any) -> bool:
        """Whether ``value`` is within the quantity's limit."""
        return _holds(self._limits.get(quantity, (value,)), value)

    def integers(self, low: int, high: int, shape: int | tuple[int, ...] = ()) -> np.ndarray:
        """Uniform int64 integers from ``low`` to ``high``, both included."""
        return self.rng.integers(low, high, shape, np.int64, endpoint=True)

    def shapes(self, ranks: Sequence[int]) -> list[tuple[int, ...]]:
        """Shapes that a limit lists, of these ranks; empty without a limit of shapes."""
        limit = self._limits.get("shape")
        if limit is None:
            return []
        shapes = sorted(shape for shape in limit if len(shape) in ranks)
        if not shapes:
            raise NoCaseError("nothing that the limits take of shape fits")
        return shapes

    def ends(self, quantity: str, low: int, high: int) -> tuple[int, int]:
        """``low`` and ``high``, narrowed to the quantity's limit."""
        limit = self._limits.get(quantity, (low, high))
        if isinstance(limit, range):
            limit = (limit[0], limit[-1])  # a range of sums is too long to look through
        return max(low, min(limit)), min(high, max(limit))

    def data(self, quantity: str, shape: tuple[int, ...], dtype: npt.DTypeLike,
             low: int | None = None) -> np.ndarray:
        """An array in a random style, over the whole type or from ``low`` on, within the quantity's
        limit.
        """
        limits    = np.iinfo(dtype)
        low, high = self.ends(_LIMITS.get(quantity, quantity),
                              limits.min if low is None else low, limits.max)
        values = self._draw_style(self.tell(quantity, STYLES, "any").strip(), shape, low, high)
        return np.clip(values, low, high).astype(dtype)

    def spread(self, quantity: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> np.ndarray:
        """An array over the whole type, within the quantity's limit."""
        limits = np.iinfo(dtype)
        return self.integers(*self.ends(quantity, limits.min, limits.max), shape).astype(dtype)

    def _draw_style(self, style, shape, low, high):
        if style == "ends":
            return self.rng.choice([low, low + 1, high - 1, high], shape)
        if style in ("lowest", "highest", "zero"):
            values = np.full(shape, {"lowest": low, "highest": high, "zero": 0}[style], np.int64)
            spots  = self.rng.random(shape) < (0.1 if self.rng.random() < 1 / 2 else 0)
            return np.where(spots, self.integers(low, high, shape), values)
        if style == "small":
            return self.integers(-4, 4, shape)
        return self.integers(low, high, shape)
