"""The far end of a UART line in cocotb: bits in picoseconds, 8N1."""

from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time

__all__ = ["CYCLE", "LineSource", "receive_line"]

CYCLE = 10_000  #: ps of the clock that ``sim.agents.stream.start`` makes.
_BITS = 8


class LineSource:
    """Sends bytes on ``line``; ``bit`` is in ps, and need not be whole."""

    def __init__(self, line, bit):
        self._line, self._bit = line, bit

    async def send(self, byte, stop=1):
        """Send ``byte`` with a start bit and the stop bit ``stop``; return at the end of it."""
        for place in range(_BITS + 2):
            self._line.value = (byte << 1 | stop << _BITS + 1) >> place & 1
            await Timer(round((place + 1) * self._bit) - round(place * self._bit), "ps")


async def receive_line(line, bit, times=None):
    """Return the next byte on ``line``; AssertionError unless each bit lasts ``bit`` ps.

    Bits are looked at a quarter after their beginning and a quarter before their end. The time at
    which the byte begins is added to ``times``.
    """
    await FallingEdge(line)
    if times is not None:
        times.append(get_sim_time("ps"))
    levels = []
    for _ in range(_BITS + 2):
        await Timer(bit // 4, "ps")
        first = int(line.value)
        await Timer(bit // 2, "ps")
        assert first == int(line.value), f"bit {len(levels)} changes in its middle"
        levels.append(first)
        if len(levels) < _BITS + 2:
            await Timer(bit - bit // 4 - bit // 2, "ps")
    assert levels[0] == 0, "the start bit is high"
    assert levels[-1] == 1, "the stop bit is low"
    return sum(level << place for place, level in enumerate(levels[1:-1]))
