# SPDX-License-Identifier: Apache-2.0
"""Sums of bytes that no single pass makes, with an operand as two words out of tables."""

from xymac.host.ir.pair import TabledPair

from .passes import BinaryLowering

__all__ = ["TableSumLowering"]


class TableSumLowering(BinaryLowering):
    """A sum or difference that takes tables."""

    forms        = (TabledPair,)
    needs_tables = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.tables = self.form.each.tables
