# SPDX-License-Identifier: Apache-2.0
"""Shared parts of copying kernels: copy words, and the check for movable dimensions."""

import numpy as np

from xymac.host.lower.base import Lowering
from xymac.host.memory.constants import lane_words

__all__ = ["COPY_WORDS", "CopyLowering"]

#: Fill and copy words; the address of the 0 is a multiple of ``ways``.
COPY_WORDS = np.array([0, 1], np.int8)


class CopyLowering(Lowering):
    """A kernel whose passes copy vectors or fill them with zeros."""

    def constants(self, sources):
        """Weight 1 for copies, 0 for fills."""
        return lane_words(COPY_WORDS, self.ways)

    def zero(self, constants):
        """Access to the fill word."""
        return constants.word(0, 8, self.ways)

    def one(self, constants):
        """Access to the copy word."""
        return constants.word(1, 8, self.ways)
