# SPDX-License-Identifier: Apache-2.0
"""Yes-or-no questions on outputs and cases, each with its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .table import OutputTable

__all__ = ["case_tests", "join_words", "output_tests", "sum_tests"]

CASES   = "in cases with "  #: Beginning of the words on cases.

_MODULI = (4, 8, 16, 32)
_POWERS = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096)
_ASKED  = 4   #: Expected values that are asked for one by one.
_SINGLE = 4   #: Single elements that are asked for one by one.
_NARROW = 8   #: Least ratio of all inputs' range to a range that is asked for.
_REACH  = 0.5 #: Largest range of a curve's arguments that is asked for.
_VALUES = 64  #: Maximum number of values of a quantity that are asked for one by one.
_RANDOM = ("multiplier",)  #: Quantities whose single values tell nothing.
_NAMES  = {"row": "rows", "column": "columns", "channel": "channels",
           "batch": "batches", "step": "steps", "input channel": "input channels"}
_SIZES  = {"height": "heights", "width": "widths", "channels": "numbers of channels",
           "output row": "output heights", "output column": "output widths"}


def join_words(words: Sequence[str]) -> str:
    """Words of questions in a sentence: places first, then cases after a single beginning."""
    cases  = [each.removeprefix(CASES) for each in words if each.startswith(CASES)]
    places = [each for each in words if not each.startswith(CASES)]
    return ", ".join([*places, *([CASES + " and ".join(cases)] if cases else [])])


def output_tests(table: OutputTable) -> Iterator[tuple[str, np.ndarray]]:
    """Pairs (words, bool array) on the places of outputs in an OutputTable, the plainest first."""
    for axis, (index, size) in table.places.items():
        yield from _axis_tests(table, axis, index, size)
    yield from _border(table)
    flat, size = table.flat, table.size
    yield "at the first element of a result", flat == 0
    yield "at the last element of a result", flat == size - 1
    yield "at the last but one element of a result", flat == size - 2
    yield "at the middle element of a result", flat == size // 2
    places = np.unique(flat[table.wrong])
    for place in places if len(places) <= _SINGLE else ():
        yield f"at element {place} of a result", flat == place
    yield from _points(table)
    for modulus in _MODULI:
        for rest in np.unique(flat[table.wrong] % modulus)[:1]:
            yield f"in elements {rest} modulo {modulus} of a result", flat % modulus == rest
        yield (f"in elements after the last multiple of {modulus} of a result",
               flat >= size // modulus * modulus)
    yield "in results with a single element", size == 1
    for modulus in (*_MODULI, 64, 256):
        yield f"in results with a multiple of {modulus} elements", size % modulus == 0
    for power in _POWERS:
        yield f"in elements from {power} on of a result", flat >= power
        yield f"in results with {power} and more elements", size >= power
    yield from table.sides.items()
    yield from _input_tests(table)
    yield from _argument_tests(table)
    yield from _value_tests(table)


def _input_tests(table):
    """Questions on the input of each output of an elementwise operation."""
    for name, values in table.inputs.items():
        yield from _tests_of_input(name, values, values[table.wrong])
    zero = table.quantities.get("input_zero")
    if zero is not None and "input" in table.inputs:
        zero = np.array([-1 << 40 if each is None else each for each in zero])
        yield "where the input is below its zero point", table.inputs["input"] < zero
        yield "where the input is above its zero point", table.inputs["input"] > zero


def _argument_tests(table):
    """Questions on a small range of a curve's arguments, in which an entry of its table counts."""
    if not table.arguments:
        return
    value, step, zero = (table.arguments[name] for name in ("value", "step", "zero"))
    for words, values in (("", value), ("plus or minus ", np.abs(value))):
        low, high = values[table.wrong].min(), values[table.wrong].max()
        if words and zero.any():  # tables of both signs
            continue
        if high - low <= _REACH:
            entry = _entry(low, high, step, zero) if words or zero.all() else ""
            yield (f"where the input is {words}{low:.4g} to {high:.4g} as a real number{entry}",
                   (values >= low) & (values <= high))


def _entry(low, high, step, zero):
    """Words on a table's entry that counts for all arguments from ``low`` to ``high``, "" without.
    """
    if (step != step[0]).any() or (zero != zero[0]).any() or not step[0]:
        return ""
    first, last = np.floor(low / step[0]), np.ceil(high / step[0])
    if last - first > 2:
        return ""
    name = "entry {}" if last - first == 2 else "entries {} and {}"
    numbers = (int(number + zero[0]) for number in (
        [first + 1] if last - first == 2 else [first, last]))
    return f", around {name.format(*numbers)} of the library's table"


def _tests_of_input(name, values, wrong):
    singles = np.unique(wrong)
    for value in singles if len(singles) <= _ASKED else ():
        yield f"where the {name} is {value}", values == value
    for words, end in (("lowest", values.min()), ("highest", values.max())):
        yield f"where the {name} is not {end}, the {words} one", values != end
    yield f"where the {name} is below 0", values < 0
    yield f"where the {name} is above 0", values > 0
    first, last = singles[0], singles[-1]
    if len(singles) > 1 and last - first <= (values.max() - values.min()) // _NARROW:
        yield f"where the {name} is {first} to {last}", (values >= first) & (values <= last)
        yield f"where the {name} is {first} or more", values >= first
        yield f"where the {name} is {last} or less", values <= last
    for modulus in (2, *_MODULI, 64, 128):
        for rest in np.unique(wrong % modulus)[:2]:
            yield f"where the {name} is {rest} modulo {modulus}", values % modulus == rest


def _axis_tests(table, axis, index, size):
    many = _NAMES.get(axis, f"places along {axis}")
    for place in np.unique(index[table.wrong])[:_VALUES]:
        if place >= 0:
            yield f"in {axis} {place}", index == place
    yield f"in the first {axis}", index == 0
    yield f"in the last {axis}", (index == size - 1) & (index >= 0)
    yield f"off the first {axis}", index > 0
    yield f"off the last {axis}", (index < size - 1) & (index >= 0)
    for modulus in (2, *_MODULI):
        for rest in np.unique(index[table.wrong] % modulus)[:2]:
            yield (f"in {many} {rest} modulo {modulus}", (index % modulus == rest) & (index >= 0))
    for modulus in _MODULI:
        yield (f"in {many} after the last multiple of {modulus}",
               (index >= size // modulus * modulus) & (index >= 0))
        yield (f"in the last, maybe partial, group of {modulus} {many}",
               (index >= (size - 1) // modulus * modulus) & (index >= 0))
    for power in _POWERS:
        yield f"in {many} from {power} on", index >= power
        yield f"in {many} up to {power - 1}", (index < power) & (index >= 0)


def _points(table):
    """Single image places, in every channel or in a single channel."""
    for names in (("row", "column"), ("row", "column", "channel")):
        if not all(name in table.places for name in names):
            continue
        index  = np.stack([table.places[name][0] for name in names])
        points = np.unique(index[:, table.wrong], axis=1).T
        for point in points if len(points) <= _SINGLE else ():
            words = ", ".join(f"{name} {place}" for name, place in zip(names, point, strict=True))
            yield f"in {words}", (index == point[:, np.newaxis]).all(axis=0)


def sum_tests(sums: np.ndarray, right: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Pairs (words, bool array) on the sums of outputs and their right shifts, int arrays."""
    yield "where the sum is below 0", sums < 0
    yield "where the sum is above 0", sums > 0
    for bits in range(8, 32):
        yield f"where the sum has more than {bits} bits", (sums < -1 << bits - 1) | (
            sums >= 1 << bits - 1)
    values = np.unique(right)
    for value in values if len(values) > 1 else ():
        yield f"where the right shift is {value}", right == value
        yield f"where the right shift is at least {value}", right >= value
        yield f"where the right shift is at most {value}", right <= value


def _border(table):
    ends = [(index == 0) | (index == size - 1) for axis, (index, size) in table.places.items()
            if axis in ("row", "column")]
    if len(ends) > 1:
        yield "at the border of the image", np.any(ends, axis=0)
        yield "off the border of the image", ~np.any(ends, axis=0)


def _value_tests(table):
    value = table.value
    for name, end in (("lowest", value.min()), ("highest", value.max())):
        yield f"where {end}, the {name} output, is expected", value == end
        yield f"where {end}, the {name} output, is not expected", value != end
    for one in np.unique(value[table.wrong])[:_ASKED]:
        yield f"where {one} is expected", value == one
    zero = table.quantities.get("output_zero")
    if zero is not None:
        zero = np.array([-1 << 40 if each is None else each for each in zero])
        yield "where the output zero point is expected", value == zero
        yield "where less than the output zero point is expected", value < zero
        yield "where more than the output zero point is expected", value > zero
    yield "where less than 0 is expected", value < 0
    yield "where 0 or more is expected", value >= 0
    yield "where more than 0 is expected", value > 0
    yield "where 0 or less is expected", value <= 0
    yield "where 0 is not expected", value != 0
    yield "where an even number is expected", value % 2 == 0
    yield "where an odd number is expected", value % 2 == 1


def case_tests(quantities: Mapping[str, np.ndarray], number: np.ndarray,
               wrong: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Pairs (words, bool array) on the quantities of cases.

    Parameters
    ----------
    quantities : {name: object array}
    number : int array, case numbers
    wrong : bool array, rows that differ
    """
    first = int(number[wrong].min()) if wrong.any() else 0
    if first:
        yield f"in case {first} and all later ones", number >= first
    for name, values in quantities.items():
        words = [value for value in values if isinstance(value, str)]
        for value in dict.fromkeys(words):
            yield f"{CASES}{name} {value}", (values == value).astype(bool)
        numbers = np.array([value if isinstance(value, int) else -1 << 40 for value in values])
        there   = numbers > -1 << 40
        if there.any():
            yield from _number_tests(name, numbers, there)
    for one, two in (("height", "width"), ("kernel_height", "kernel_width"),
                     ("stride_height", "stride_width"), ("channels", "outputs")):
        if one in quantities and two in quantities:
            yield (f"{CASES}different {one} and {two}".replace("_", " "),
                   (quantities[one] != quantities[two]).astype(bool))


def _number_tests(name, numbers, there):
    values = np.unique(numbers[there])
    plain  = CASES + name.replace("_", " ")
    if len(values) < 2:
        return
    for value in _choose(values):
        yield f"{plain} of {value}", numbers == value
        if name not in _RANDOM:
            yield f"{plain} other than {value}", there & (numbers != value)
    if name in _SIZES:
        yield f"{CASES}odd {_SIZES[name]}", there & (numbers % 2 == 1)
        yield f"{CASES}even {_SIZES[name]}", there & (numbers % 2 == 0)
        for modulus in _MODULI:
            yield (f"{CASES}{_SIZES[name]} that are no multiples of {modulus}",
                   there & (numbers % modulus != 0))
    for value in _choose(values[1:]):
        yield f"{plain} of {value} and more", there & (numbers >= value)
    for value in _choose(values[:-1]):
        yield f"{plain} up to {value}", there & (numbers <= value)


def _choose(values):
    """All of few values; of many the round ones and some between."""
    if len(values) <= _VALUES:
        return values.tolist()
    rounds = [value for value in values.tolist() if value in _POWERS or value == 0]
    return sorted({*rounds, *values[::len(values) // _VALUES + 1].tolist()})
