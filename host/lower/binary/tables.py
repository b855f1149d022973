# SPDX-License-Identifier: Apache-2.0
"""Sums of bytes that no single pass makes, with one operand as two words out of tables."""

from xymac.golden.tflm import Add, Sub

from .passes import BinaryLowering
from .tflm import find_single, form_of_sum
from .wide_sum import table_sum

__all__ = ["TableSumLowering"]


class TableSumLowering(BinaryLowering):
    """An ADD or SUB of INT8 that takes tables."""

    layers       = (Add, Sub)
    needs_tables = True

    @classmethod
    def takes(cls, layer, inputs):
        """Sums of 8 bits that one pass does not make."""
        return inputs[0].bits == 8 and find_single(layer, *inputs) is None

    def _find_form(self):
        form, self.tables = form_of_sum(self.layer, *self.inputs, make=table_sum)
        return form
