# SPDX-License-Identifier: Apache-2.0
"""DMA channels for the move functions: handles, and callbacks when a move ends.

Source: embARC MLI 2.0.2, mli_mov_api.cc, built without DMA: a move ends when it is prepared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .configs import mli_mov_handle_t, mli_mov_state

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_DMA_CHAN", "Channels"]

MAX_DMA_CHAN = 16


class Channels:
    """A library's DMA channels: the free and the allocated ones.

    All channels are unavailable until ``set_num``; a handle without channels is always available.
    """

    def __init__(self) -> None:
        self._first, self._free = 0, set()
        self._callbacks = {}

    def set_num(self, first: int, count: int) -> None:
        """Make ``count`` channels from ``first`` on available."""
        self._first, self._free = first, set(range(first, first + count))

    def find(self, count: int) -> int | None:
        """First channel in a run of ``count`` adjacent free channels, or None."""
        if not count:
            return self._first
        return next((first for first in sorted(self._free)
                     if self._free >= set(range(first, first + count))), None)

    def acquire(self, count: int, handle: mli_mov_handle_t) -> None:
        """Allocate ``count`` channels, which ``find`` must find, to a handle."""
        first = self.find(count)
        assert first is not None, f"no {count} adjacent channels are free"
        self._free -= set(range(first, first + count))
        handle.dma_ch, handle.num_ch = first, count
        handle.state = mli_mov_state.MLI_MOV_STATE_OPEN

    def release(self, handle: mli_mov_handle_t) -> None:
        """Take a handle's channels back."""
        self._free |= set(range(handle.dma_ch, handle.dma_ch + handle.num_ch))
        handle.dma_ch = handle.num_ch = 0
        handle.state = mli_mov_state.MLI_MOV_STATE_INVALID

    def register(self, handle: mli_mov_handle_t, callback: Callable, cookie: int) -> None:
        """Store the callback for when a move on the handle's channel ends."""
        self._callbacks[handle.dma_ch] = callback, cookie

    def finish(self, handle: mli_mov_handle_t) -> None:
        """End a handle's move."""
        handle.state = mli_mov_state.MLI_MOV_STATE_DONE
        callback, cookie = self._callbacks.get(handle.dma_ch, (None, 0))
        if callback is not None:
            callback(cookie)

    def open(self) -> mli_mov_handle_t:
        """A handle without a channel."""
        handle = mli_mov_handle_t()
        self.acquire(0, handle)
        return handle
