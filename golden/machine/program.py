# SPDX-License-Identifier: Apache-2.0
"""The machine's program memory: passes, and the words that encode them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import PASS_STRIDE, PASS_WORDS, Program, unpack_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Pass

__all__ = ["ProgramMemory"]


class ProgramMemory:
    """Passes by index; None where the words encode no pass.

    Parameters
    ----------
    passes : int, capacity

    Attributes
    ----------
    words : uint64 array [passes, ``PASS_STRIDE``]; call ``decode`` after a change
    """

    def __init__(self, passes: int) -> None:
        self.words   = np.zeros((passes, PASS_STRIDE), "<u8")
        self._passes: list[Pass | None] = [None] * passes

    def __len__(self) -> int:
        """Capacity, passes."""
        return len(self._passes)

    def __getitem__(self, index: int) -> Pass | None:
        """The pass at ``index``, or None."""
        return self._passes[index]

    def load(self, passes: Sequence[Pass], first: int) -> None:
        """Write ``passes`` from index ``first`` on.

        ValueError if a pass cannot be encoded, if there are none, or if they exceed the memory.
        """
        program = Program(passes)
        if not 0 <= first <= first + len(program) <= len(self):
            raise ValueError(f"Program memory holds {len(self)} passes, not {len(program)} from "
                             f"{first}")
        self._passes[first:first + len(program)] = program
        if program:
            self.words[first:first + len(program), :PASS_WORDS] = program.words

    def decode(self, first: int, end: int) -> None:
        """Decode the words in passes ``first .. end - 1``."""
        for index in range(first, end):
            try:
                self._passes[index] = unpack_words(self.words[index, :PASS_WORDS].tolist())
            except ValueError:
                self._passes[index] = None
