# SPDX-License-Identifier: Apache-2.0
"""The machine's memories as bytes in the core's address map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import PASS_STRIDE, Region, Table, pack_place, unpack_place

if TYPE_CHECKING:
    from enum import IntEnum

    from .machine import Machine

__all__ = ["Regions"]

_PASS_BYTES  = 8 * PASS_STRIDE
_PLACE_BYTES = 4


class Regions:
    """Bytes in a ``Machine``'s X, Y, program memory, tables and table places.

    Parameters
    ----------
    machine : Machine
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        places = [pack_place(machine.tables.places.get(table)) for table in Table]
        self._places = np.array(places, "<u4")
        self._lanes = machine.lanes
        self._bytes = {
            region: cells.reshape(-1).view(np.uint8) for region, cells in (
                (Region.X, machine.x), (Region.Y, machine.y),
                (Region.PROGRAM, machine.program.words), (Region.TABLES, machine.tables.entries),
                (Region.PLACES, self._places))}

    def find(self, address: int) -> tuple[IntEnum, int] | None:
        """Region that contains the byte ``address``, and the offset in it, or None."""
        for region, cells in self._bytes.items():
            if region.value <= address < region.value + len(cells):
                return region, address - region.value
        return None

    def bytes_of(self, region: IntEnum) -> np.ndarray:
        """All bytes in ``region``, a view; call ``commit`` after a change."""
        return self._bytes[region]

    def row(self, start: int, size: int, *, narrow: bool) -> np.ndarray | slice:
        """Byte indices in a row of ``size`` bytes, as an array or slice; see ``Command``."""
        if not narrow:
            return slice(start, start + size)
        block, element = np.divmod(np.arange(start, start + size), 2 * self._lanes)
        half, lane = np.divmod(element, self._lanes)
        return 2 * (block * self._lanes + lane) + half

    def commit(self, region: IntEnum, first: int, end: int) -> None:
        """Tell the machine about the changed bytes ``first .. end - 1`` in ``region``."""
        if region is Region.PROGRAM:
            self._machine.program.decode(first // _PASS_BYTES, (end - 1) // _PASS_BYTES + 1)
        if region is Region.PLACES:
            for index in range(first // _PLACE_BYTES, (end - 1) // _PLACE_BYTES + 1):
                if Table(index) is not Table.NONE:
                    self._machine.tables.place(Table(index), unpack_place(int(self._places[index])))
