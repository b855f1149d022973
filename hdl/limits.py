# SPDX-License-Identifier: Apache-2.0
"""Constructor argument checks."""

from .config import SLOTS, CoreConfig
from .isa import BANKS

__all__ = ["PASSES_MAX", "ROWS_MAX", "WAYS", "check_between", "check_config", "check_int",
           "check_lane", "check_one_of", "check_passes", "check_rows", "check_slots",
           "check_values", "check_vendor", "check_ways", "check_words"]

WAYS       = (1, 2, 4)  #: Legal numbers of MACs per lane.
ROWS_MAX   = 4096       #: Most rows of a memory; a row address has 12 bits.
PASSES_MAX = 256        #: Most passes in program memory.


def check_int(quantity, value):
    """Return ``value`` if it is an int; TypeError if not."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{quantity} must be an int, not {value!r}")
    return value


def check_between(quantity, value, low, high, *, multiple=1):
    """Return ``value`` if it is an int within ``low .. high`` and divisible by ``multiple``.

    TypeError for another type, ValueError for another value.
    """
    if not low <= check_int(quantity, value) <= high or value % multiple:
        kind = f"a multiple of {multiple} from {low} to" if multiple > 1 else f"between {low} and"
        raise ValueError(f"{quantity} must be {kind} {high}, not {value!r}")
    return value


def check_one_of(quantity, value, choices):
    """Return ``value`` if it is in ``choices``, ints; TypeError or ValueError if not."""
    if check_int(quantity, value) not in choices:
        *others, last = map(str, choices)
        raise ValueError(f"{quantity} must be {', '.join(others)} or {last}, not {value!r}")
    return value


def check_ways(ways):
    """Return ``ways`` if it is 1, 2 or 4; TypeError or ValueError if not."""
    return check_one_of("Ways", ways, WAYS)


def check_slots(slots):
    """Return ``slots`` if it is 2 or ``SLOTS``; TypeError or ValueError if not."""
    return check_one_of("Slots", slots, (2, SLOTS))


def check_rows(memory, rows):
    """Return ``rows``, depth of ``memory``, if it is 2 .. ``ROWS_MAX``; else as check_between."""
    return check_between(f"Rows of {memory}", rows, 2, ROWS_MAX)


def check_lane(lane, ways):
    """Return ``lane`` if a core with ``ways`` has that lane; TypeError or ValueError if not."""
    return check_between("Lane", lane, 0, BANKS * ways - 1)


def check_passes(passes):
    """Return ``passes`` if it is a power of two from 2 to ``PASSES_MAX``.

    TypeError or ValueError if not.
    """
    if not 2 <= check_int("Passes", passes) <= PASSES_MAX or passes & (passes - 1):
        raise ValueError(f"Passes must be a power of two from 2 to {PASSES_MAX}, not {passes!r}")
    return passes


def check_config(config):
    """Return ``config`` if it is a CoreConfig; TypeError if not."""
    if not isinstance(config, CoreConfig):
        raise TypeError(f"Config must be a CoreConfig, not {config!r}")
    return config


def check_vendor(vendor, known="ecp5"):
    """Return ``vendor`` if it is None or ``known``; ValueError if not."""
    if vendor not in (None, known):
        raise ValueError(f"Vendor must be None or {known!r}, not {vendor!r}")
    return vendor


def check_words(name, words, low, high):
    """Return ``words`` if it is a list or tuple of ints within ``low .. high``.

    TypeError for another type or another item type, ValueError for an int out of range.
    """
    if not isinstance(words, list | tuple):
        raise TypeError(f"{name} must be a list of ints, not {words!r}")
    for index, word in enumerate(words):
        check_between(f"{name}, word {index},", word, low, high)
    return words


def check_values(name, values, numbers, low, high):
    """Return ``values`` if it maps ints in the range ``numbers`` to ints within ``low .. high``.

    TypeError for another type or another item type, ValueError for an int out of range.
    """
    if not isinstance(values, dict):
        raise TypeError(f"{name} must be a dict of ints, not {values!r}")
    for number, value in values.items():
        check_between(f"Number of {name.lower()}", number, numbers[0], numbers[-1])
        check_between(f"{name}, number {number},", value, low, high)
    return values
