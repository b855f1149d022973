# SPDX-License-Identifier: Apache-2.0
"""The sizes of a core that a machine needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from xymac.hdl.isa import Op, Reduce

__all__ = ["MachineCapabilities", "MachineConfig"]


class MachineCapabilities(Protocol):
    """Operations and reductions, whether a host can write tables, data bits of the DMA."""

    @property
    def operations(self) -> AbstractSet[Op]: ...
    @property
    def reductions(self) -> AbstractSet[Reduce]: ...
    @property
    def tables(self) -> bool: ...
    @property
    def dma(self) -> int: ...


class MachineConfig(Protocol):
    """Lanes, ways, rows of both memories, passes of program memory, and words of a FIFO."""

    @property
    def lanes(self) -> int: ...
    @property
    def ways(self) -> int: ...
    @property
    def x_rows(self) -> int: ...
    @property
    def y_rows(self) -> int: ...
    @property
    def passes(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def capabilities(self) -> MachineCapabilities: ...
