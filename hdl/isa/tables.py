# SPDX-License-Identifier: Apache-2.0
"""Lookup tables for the output stage: sampled functions, and their places in table memory."""

import math
from dataclasses import dataclass

from amaranth import unsigned
from amaranth.lib import data

from .codes import Table

__all__ = ["FREE_ENTRY", "OWN_TABLES", "PLACES", "TABLES", "TABLE_ENTRIES", "Place", "Samples",
           "TablePlace", "pack_place", "unpack_place"]

TABLE_ENTRIES = 2048  #: Entries of table memory.
_BITS         = TABLE_ENTRIES.bit_length() - 1
_NO_PLACE     = (1 << 32) - 1  # ends behind the memory


@dataclass(frozen=True)
class Samples:
    """Table contents: function values at ``(index - offset) / 2**frac_bits``.

    The unit of a value is ``2**-out_frac_bits``. Beyond an end of the table, the interpolation
    between its two outermost values repeats.
    """

    values:        tuple
    offset:        int
    frac_bits:     int
    out_frac_bits: int = 15


def _samples(function, count, offset, frac_bits, out_frac_bits=15):
    values = (round(function((index - offset) / (1 << frac_bits)) * (1 << out_frac_bits))
              for index in range(count))
    return Samples(tuple(min(value, 32767) for value in values), offset, frac_bits, out_frac_bits)


def _sigmoid(x):
    return 1 / (1 + math.exp(-x))


#: Source: embARC MLI 1.1, private/src/mli_prv_lut.cc, and MLI 2.0, the tables that its functions
#: ``mli_krn_*_create_lut`` copy. Arguments of the exponentials end at 0, of the root start at 32.
TABLES = {Table.SIGM: _samples(_sigmoid, 180, 90, 3),
          Table.TANH: _samples(math.tanh, 178, 89, 4),
          Table.EXP:  _samples(math.exp, 181, 179, 4),
          Table.SIGM_FINE: _samples(_sigmoid, 320, 160, 4),
          Table.TANH_FINE: _samples(math.tanh, 344, 172, 5),
          Table.EXP_FINE:  _samples(math.exp, 358, 356, 5),
          Table.ROOT: _samples(lambda x: 1 / math.sqrt(x), 97, -32, 0, 17)}


@dataclass(frozen=True)
class TablePlace:
    """A table's place in table memory.

    Parameters
    ----------
    first : int, address of the first entry, even
    entries : int, length, at least 2
    offset : int, index of the entry for element 0; ``first + offset`` within
        0 .. ``TABLE_ENTRIES - 1``
    """

    first:   int
    entries: int
    offset:  int


#: Encoded place, in table memory addresses: the entry for element 0, half the first entry, and the
#: last entry but one.
Place = data.StructLayout({"zero": unsigned(_BITS), "half": unsigned(_BITS - 1),
                           "last": unsigned(_BITS)})


def pack_place(place):
    """Encode a ``TablePlace``, or None for no place, as a 32-bit word of ``Region.PLACES``.

    ValueError for a place that does not fit table memory.
    """
    if place is None:
        return _NO_PLACE
    end = place.first + place.entries
    if place.first % 2 or not 0 <= place.first <= end - 2 <= TABLE_ENTRIES - 2:
        raise ValueError(f"A table must have an even first entry and 2 entries at least within "
                         f"{TABLE_ENTRIES}, not {place.entries} from {place.first} on")
    zero = place.first + place.offset
    if not 0 <= zero < TABLE_ENTRIES:
        raise ValueError(f"first and offset of a table must add up to 0 .. {TABLE_ENTRIES - 1}, "
                         f"not {place.first} and {place.offset}")
    return zero | place.first // 2 << _BITS | end - 2 << 2 * _BITS - 1


def unpack_place(word):
    """Decode a word of ``Region.PLACES``: a ``TablePlace``, or None for no legal place."""
    low  = (1 << _BITS) - 1
    zero, first, last = word & low, word >> _BITS << 1 & low, word >> 2 * _BITS - 1 & low
    if not first <= last < TABLE_ENTRIES - 1:
        return None
    return TablePlace(first, last + 2 - first, zero - first)


def _place_tables():
    """Initial table places, packed from even entries on, and the first free entry."""
    places, first = {}, 0
    for table, samples in TABLES.items():
        places[table] = TablePlace(first, len(samples.values), samples.offset)
        first += len(samples.values) + len(samples.values) % 2
    return places, first


#: Initial places of ``TABLES`` by ``Table``, and the first entry behind them.
PLACES, FREE_ENTRY = _place_tables()
#: Codes of host-written tables.
OWN_TABLES = tuple(table for table in Table if table.value > max(table.value for table in TABLES))
