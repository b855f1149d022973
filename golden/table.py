# SPDX-License-Identifier: Apache-2.0
"""Function tables: samples at equal steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .checks import check_ints, check_kind
from .fixed import container

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OUT_FRAC_BITS", "Table", "check_table", "sample_table"]

OUT_FRAC_BITS = 15  #: Fractional bits of the entries by default.


@dataclass(frozen=True)
class Table:
    """Function samples at ``(index - offset) / 2**frac_bits``.

    Parameters
    ----------
    values : tuple of int, 16 bits each
    offset : int, index for the argument 0
    frac_bits : int, fractional bits of the step
    """

    values:    tuple[int, ...]
    offset:    int
    frac_bits: int


def sample_table(function: Callable, size: int, offset: int, frac_bits: int,
                 out_frac_bits: int = OUT_FRAC_BITS) -> Table:
    """Table with ``size`` function samples, rounded to ``out_frac_bits`` and clipped at 32767."""
    step, one = 1 << frac_bits, 1 << out_frac_bits
    values = (round(function((index - offset) / step) * one) for index in range(size))
    return Table(tuple(min(value, container(16)[1]) for value in values), offset, frac_bits)


def check_table(name: str, table: Table) -> None:
    """Raise TypeError or ValueError unless ``table`` is a Table with 16-bit entries."""
    check_kind(name, table, Table)
    check_kind(f"values of {name}", table.values, tuple)
    check_ints(f"offset and frac_bits of {name}", (table.offset, table.frac_bits), 2)
    low, high = container(16)
    if len(table.values) < 2:
        raise ValueError(f"{name} must have 2 entries at least, not {len(table.values)}")
    for index, value in enumerate(table.values):
        check_ints(f"Entry {index} of {name}", (value,), 1)
        if not low <= value <= high:
            raise ValueError(f"Entries of {name} must be {low} .. {high}, not {value} at {index}")
    if table.frac_bits < 0:
        raise ValueError(f"frac_bits of {name} must not be negative, not {table.frac_bits}")
