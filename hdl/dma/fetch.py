# SPDX-License-Identifier: Apache-2.0
"""Fetch: read the commands of a list out of the image, one after the other."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import WIDTHS
from xymac.hdl.isa import COMMAND_BYTES, COMMAND_WORDS, COMMANDS_MAX, ListStatus
from xymac.hdl.limits import check_between, check_one_of

from .bus import Ask
from .records import ADDRESS

__all__ = ["Fetch", "Fetched", "Image"]

_BITS  = 8 * COMMAND_BYTES
_PLACE = exact_log2(COMMAND_BYTES)

#: The registers: ``base`` and ``size`` in bytes, ``list`` in commands.
Image = data.StructLayout({"base": ADDRESS, "size": ADDRESS, "list": ADDRESS - _PLACE})
#: A command and its number, or the reason why there is none.
Fetched = data.StructLayout({"words": data.ArrayLayout(32, COMMAND_WORDS), "entry": 16,
                             "status": ListStatus})


class Fetch(wiring.Component):
    """Read a command and offer it; read the next one when it is accepted.

    Starts after a reset. A command outside the image, an image that ends beyond the 32 bits of an
    address, and a list of more than ``most`` commands are not read. Latency of a command 2
    cycles and the beats of its burst, plus the latency of the bus; honours backpressure.

    Parameters
    ----------
    width : int, data bits of the bus: 32, 64 or 128
    most : int, most commands of a list, 2 .. ``COMMANDS_MAX``

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    image : In(Image), stable
    asks : Out(stream of Ask); beats : In(stream of ``width`` bits), always ready
    failed : In(1), with a beat: it has an error
    o : Out(stream of Fetched)
    """

    def __init__(self, *, width, most=COMMANDS_MAX):
        self._width = check_one_of("Width", width, WIDTHS)
        self._most  = check_between("Most", most, 2, COMMANDS_MAX)
        super().__init__({
            "image": In(Image), "asks": Out(stream.Signature(Ask)),
            "beats": In(stream.Signature(width, always_ready=True)), "failed": In(1),
            "o": Out(stream.Signature(Fetched))})

    def elaborate(self, platform):
        m = Module()
        entry, failed = Signal(16), Signal()
        words = Signal(_BITS, reset_less=True)
        place = Signal(ADDRESS - _PLACE + 1)  # of the command in the image, in commands
        wraps, outside = Signal(), Signal()
        image = self.image
        after = (image.base + image.size)[:ADDRESS + 1]
        m.d.sync += [wraps.eq(after[-1] & after[:-1].any()), place.eq(image.list + entry),
                     outside.eq(place >= image.size >> _PLACE)]
        burst = self.asks.p.burst
        beats = _BITS // self._width
        left  = Signal(range(beats))
        reason = Mux(failed, ListStatus.BUS, Mux(entry == self._most, ListStatus.ENDLESS, Mux(
            outside | wraps, ListStatus.OUTSIDE, ListStatus.OK)))
        m.d.comb += [
            burst.address.eq(image.base + (place << _PLACE)), burst.beats.eq(beats - 1),
            self.asks.p.command.eq(1), self.o.p.words.eq(words), self.o.p.entry.eq(entry),
            self.o.p.status.eq(reason)]
        with m.FSM():
            with m.State("Locate"):
                m.next = "Compare"
            with m.State("Compare"):
                m.next = "Ask"
            with m.State("Ask"):
                refused = reason != ListStatus.OK
                m.d.comb += self.asks.valid.eq(~refused)
                m.d.sync += left.eq(beats - 1)
                with m.If(refused):
                    m.next = "Offer"
                with m.Elif(self.asks.ready):
                    m.next = "Take"
            with m.State("Take"):
                with m.If(self.beats.valid):
                    m.d.sync += [words.eq(Cat(words[self._width:], self.beats.p)),
                                 failed.eq(failed | self.failed), left.eq(left - 1)]
                    with m.If(left == 0):
                        m.next = "Offer"
            with m.State("Offer"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.d.sync += entry.eq(entry + 1)
                    m.next = "Locate"
        return m
