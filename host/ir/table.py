# SPDX-License-Identifier: Apache-2.0
"""Functions of an element by a table."""

from dataclasses import dataclass

import numpy as np

from .requantiser import Requantiser

__all__ = ["ByteTable", "TableForm"]


@dataclass(frozen=True)
class TableForm:
    """A look-up in a table of the core.

    Parameters
    ----------
    bits : int, of an element that is looked up
    look_up : dict, fields of the pass that looks up
    records : tuple of int, parameters of that pass, the bias last
    narrow : dict, fields of the pass from what is looked up to the output, or None if that is it
    tables : tuple of OwnTable, for the first codes of ``OWN_TABLES``
    """

    bits:    int
    look_up: dict
    records: tuple = ()
    narrow:  dict | None = None
    tables:  tuple = ()

    def evaluate(self, bits, a):
        """Outputs of ``bits`` each, of an array of signed integers."""
        found = Requantiser(self.bits, self.records, self.look_up, self.tables).compute(a)
        return found if self.narrow is None else Requantiser(bits, (), self.narrow).compute(found)


@dataclass(frozen=True)
class ByteTable:
    """A function of a byte.

    Parameters
    ----------
    outputs : tuple of 256 int of 8 bits with a sign, from the one of -128 on
    """

    outputs: tuple

    def evaluate(self, bits, a):
        """Outputs of 8 ``bits`` each, of an array of bytes."""
        return np.array(self.outputs)[a.astype(np.int8).astype(int) + 128]
