# SPDX-License-Identifier: Apache-2.0
"""Tables that the core has of itself, written by who cannot rely on its initial values."""

import numpy as np

from xymac.hdl.isa import PLACES, TABLES

__all__ = ["TableHolder"]


class TableHolder:
    """Base of a class with ``write_table`` and ``place_table`` that holds the tables of the core.

    Block RAM has no initial values in some devices, and some tools ignore those of the Verilog.

    Members
    -------
    config : CoreConfig, set by the class itself
    writes_tables : bool, whether the class has these methods
    """

    writes_tables = True
    _written      = frozenset()

    def load_tables(self, tables):
        """Write those of ``tables`` (Table) that ``hdl.isa.TABLES`` has, each once in the life of
        the object; nothing where tables cannot be written."""
        if not (self.config.capabilities.tables and self.writes_tables):
            return
        for table in sorted({*tables} & TABLES.keys() - self._written, key=lambda each: each.value):
            self.write_table(PLACES[table].first, np.array(TABLES[table].values, np.int16))
            self.place_table(table, PLACES[table])
            self._written |= {table}
