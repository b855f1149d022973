# SPDX-License-Identifier: Apache-2.0
"""What kernels that move elements share: words to copy with, and which dimensions they can move."""

import numpy as np

from xymac.host.lower.base import Lowering
from xymac.host.memory.constants import lane_words

__all__ = ["COPY_WORDS", "CopyLowering", "check_outer"]

#: Words to fill and to copy with; the 0 at an address that is a multiple of the ways.
COPY_WORDS = np.array([0, 1], np.int8)


class CopyLowering(Lowering):
    """A kernel whose passes copy groups, or fill them with zeros."""

    def constants(self, sources):
        """1 to copy and 0 to fill."""
        return lane_words(COPY_WORDS, self.ways)

    def zero(self, constants):
        """Access to the word to fill with."""
        return constants.word(0, 8, self.ways)

    def one(self, constants):
        """Access to the word to copy with."""
        return constants.word(1, 8, self.ways)


def check_outer(name, axes, source):
    """Raise ValueError unless the dimensions ``axes`` of ``source`` are steps of whole runs."""
    for axis in axes:
        if axis not in source.outer_axes:
            raise ValueError(f"{name} moves dimension {axis}, which does not lie apart from "
                             f"others in its input of shape {source.shape} in the order "
                             f"{source.order}")
