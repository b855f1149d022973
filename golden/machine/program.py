# SPDX-License-Identifier: Apache-2.0
"""Program memory of the machine: passes, and the words that encode them."""

import numpy as np

from xymac.hdl.isa import PASS_STRIDE, PASS_WORDS, Program, unpack_words

__all__ = ["ProgramMemory"]


class ProgramMemory:
    """Passes by index; None where the words are not those of a pass.

    Parameters
    ----------
    passes : int, capacity

    Attributes
    ----------
    words : array of uint64 [passes, ``PASS_STRIDE``]; call ``decode`` after a change
    """

    def __init__(self, passes):
        self.words   = np.zeros((passes, PASS_STRIDE), "<u8")
        self._passes = [None] * passes

    def __len__(self):
        """Capacity, passes."""
        return len(self._passes)

    def __getitem__(self, index):
        """The pass at ``index``, or None."""
        return self._passes[index]

    def load(self, passes, first):
        """Write ``passes`` from index ``first`` on.

        ValueError if a pass cannot be encoded, if there are none, or if they exceed the memory.
        """
        passes = Program(passes)
        if not 0 <= first <= first + len(passes) <= len(self):
            raise ValueError(f"Program memory holds {len(self)} passes, not {len(passes)} from "
                             f"{first}")
        self._passes[first:first + len(passes)] = passes
        if passes:
            self.words[first:first + len(passes), :PASS_WORDS] = passes.words

    def decode(self, first, end):
        """Decode the words of passes ``first .. end - 1``."""
        for index in range(first, end):
            try:
                self._passes[index] = unpack_words(self.words[index, :PASS_WORDS].tolist())
            except ValueError:
                self._passes[index] = None
