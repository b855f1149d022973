# SPDX-License-Identifier: Apache-2.0
"""Byte sums beyond a single pass, with an operand as two table outputs."""

from xymac.host.ir.pair import TabledPair

from .passes import BinaryLowering

__all__ = ["TableSumLowering"]


class TableSumLowering(BinaryLowering):
    """A sum or difference computed through tables."""

    forms        = (TabledPair,)
    needs_tables = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.tables = self.form.each.tables
