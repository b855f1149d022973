# SPDX-License-Identifier: Apache-2.0
"""The far end of a UART line in cocotb: bits in picoseconds, 8N1."""

import cocotb
from cocotb.triggers import FallingEdge, Timer, ValueChange
from cocotb.utils import get_sim_time

__all__ = ["CYCLE", "LineSource", "receive_line"]

CYCLE = 10_000  #: ps of the clock that ``xymac.sim.agents.stream.start`` makes.
_BITS = 8


class LineSource:
    """Sends bytes on ``line``; ``bit`` is in ps, and need not be whole."""

    def __init__(self, line, bit):
        self._line, self._bit = line, bit

    async def send(self, byte, stop=1):
        """Send ``byte`` with a start bit and the stop bit ``stop``; return when it ends."""
        frame, sent = byte << 1 | stop << _BITS + 1, 0
        for place in range(1, _BITS + 3):  # waits once for each run of equal bits
            if place == _BITS + 2 or (frame >> place ^ frame >> sent) & 1:
                self._line.value = frame >> sent & 1
                await Timer(round(place * self._bit) - round(sent * self._bit), "ps")
                sent = place


async def _note_edges(line, edges):
    while True:
        await ValueChange(line)
        edges.append((int(get_sim_time("ps")), int(line.value)))


async def receive_line(line, bit, times=None):
    """Return the next byte on ``line``; AssertionError unless each bit lasts ``bit`` ps.

    Bits may begin and end a quarter early or late. The time at which the byte begins is added to
    ``times``.
    """
    await FallingEdge(line)
    began = int(get_sim_time("ps"))
    if times is not None:
        times.append(began)
    edges    = [(began, 0)]
    watching = cocotb.start_soon(_note_edges(line, edges))
    try:
        await Timer((_BITS + 2) * bit - bit // 4, "ps")
    finally:
        watching.cancel()
    levels = [0] * (_BITS + 2)
    for time, level in edges:
        place, early = divmod(time - began + bit // 4, bit)
        assert early < 2 * (bit // 4), f"bit {place} changes in its middle"
        levels[place:] = [level] * (_BITS + 2 - place)
    assert levels[0] == 0, "the start bit is high"
    assert levels[-1] == 1, "the stop bit is low"
    return sum(level << place for place, level in enumerate(levels[1:-1]))
