# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream to and from a device under test."""

import numpy as np
from cocotbext.axi import AxiStreamBus, AxiStreamSink, AxiStreamSource

from .ports import bus_of, reset_of

__all__ = ["Stream"]


class Stream:
    """A device under test's two AXI-Stream ports; create it in the Adapter's ``start``.

    Parameters
    ----------
    dut : cocotb handle
    adapter : Adapter, which names clock and reset
    to, back : str, port name prefixes without the trailing ``_`` for the stream to the device and
        the stream back; "" if the device has none
    """

    def __init__(self, dut, adapter, *, to="s_axis", back="m_axis"):
        ends = getattr(dut, adapter.clock), *reset_of(dut, adapter)
        self._to   = to and AxiStreamSource(bus_of(AxiStreamBus, dut, to), *ends)
        self._back = back and AxiStreamSink(bus_of(AxiStreamBus, dut, back), *ends)

    async def send(self, array):
        """Send an array's bytes, in its own type and order, as a frame, which ends with tlast."""
        await self._to.send(np.ascontiguousarray(array).tobytes())

    async def receive(self, case):
        """The next frame as a Case's result: an array with its type and shape.

        ValueError for a frame with another byte count.
        """
        frame = bytes(await self._back.read())
        size  = int(np.prod(case.shape)) * case.dtype.itemsize
        if len(frame) != size:
            raise ValueError(f"A frame must have {size} bytes, not {len(frame)}")
        return np.frombuffer(frame, case.dtype).reshape(case.shape)

    def pause(self, *, to=False, back=False):
        """Hold tvalid low on the stream to the device, or tready on the stream back."""
        for end, is_held in ((self._to, to), (self._back, back)):
            if end:
                end.pause = is_held
