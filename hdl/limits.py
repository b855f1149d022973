"""What constructor arguments must be, checked when a component is made."""

from .config import SLOTS, CoreConfig
from .isa import BANKS

__all__ = ["PASSES_MAX", "ROWS_MAX", "WAYS", "check_between", "check_config", "check_int",
           "check_lane", "check_one_of", "check_passes", "check_rows", "check_slots",
           "check_values", "check_vendor", "check_ways", "check_words"]

WAYS       = (1, 2, 4)  #: Products a lane forms a cycle.
ROWS_MAX   = 4096       #: Rows of a memory: an address of a row has 12 bits.
PASSES_MAX = 256        #: Passes of a program memory.


def check_int(quantity, value):
    """Return ``value`` if it is an int; TypeError if not."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{quantity} must be an int, not {value!r}")
    return value


def check_between(quantity, value, low, high, *, multiple=1):
    """Return ``value`` if it is an int of ``low .. high``, and a multiple of what is asked.

    TypeError for what is no int, ValueError for one outside.
    """
    if not low <= check_int(quantity, value) <= high or value % multiple:
        kind = f"a multiple of {multiple} from {low} to" if multiple > 1 else f"between {low} and"
        raise ValueError(f"{quantity} must be {kind} {high}, not {value!r}")
    return value


def check_one_of(quantity, value, choices):
    """Return ``value`` if it is one of the ints ``choices``; TypeError or ValueError if not."""
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
    """Return ``rows``, those of ``memory``, if it is 2 .. ``ROWS_MAX``; else as check_between."""
    return check_between(f"Rows of {memory}", rows, 2, ROWS_MAX)


def check_lane(lane, ways):
    """Return ``lane`` if a core of so many ``ways`` has it; TypeError or ValueError if not."""
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
    """Return ``vendor`` if it is None or the ``known`` one; ValueError if not."""
    if vendor not in (None, known):
        raise ValueError(f"Vendor must be None or {known!r}, not {vendor!r}")
    return vendor


def check_words(name, words, low, high):
    """Return ``words``, a list or tuple of ints of ``low .. high``.

    TypeError if it is something else or one is no int, ValueError if one does not fit.
    """
    if not isinstance(words, list | tuple):
        raise TypeError(f"{name} must be a list of ints, not {words!r}")
    for index, word in enumerate(words):
        check_between(f"{name}, word {index},", word, low, high)
    return words


def check_values(name, values, numbers, low, high):
    """Return ``values``, a dict of ints of ``low .. high`` by ``numbers``.

    TypeError if it is something else or one is no int, ValueError if one does not fit.
    """
    if not isinstance(values, dict):
        raise TypeError(f"{name} must be a dict of ints, not {values!r}")
    for number, value in values.items():
        check_between(f"Number of {name.lower()}", number, numbers[0], numbers[-1])
        check_between(f"{name}, number {number},", value, low, high)
    return values
