"""Mapping: a relative address into its window, by the access mode, and the check of it."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay
from hdl.config import SLOTS
from hdl.isa import ADDRESS_BITS, AguMode

from .recall import recall

__all__ = ["AddressMap", "MapConfig", "Mapped", "map_config"]

_RELATIVE = signed(ADDRESS_BITS)

#: What ``AddressMap`` needs of a pass.
MapConfig = data.StructLayout({
    "mode": AguMode, "order": unsigned(5), "low": unsigned(16), "high": unsigned(17),
    "last": _RELATIVE})


def map_config(access, last):
    """MapConfig (a Value) of an encoded access whose last address is ``last``."""
    return Cat(access.mode, access.order, access.low, access.high, last)


def Mapped(tag):
    """Layout of a mapped address: in the unit of its access, ``bad`` outside the window."""
    return data.StructLayout({"address": unsigned(17), "bad": 1, "tag": tag})


class AddressMap(wiring.Component):
    """Map a relative address into the window by the access mode, and check it.

    Latency ``LATENCY`` cycles, throughput 1 address a cycle, no backpressure.

    Parameters
    ----------
    tag : shape of the tag that travels along unchanged; TypeError for any other object

    Members
    -------
    config : In(MapConfig), loading : In(``SLOTS``), a pass and the slot that takes it in this
        cycle, while no address of that slot is inside
    flush : In(1), forget what is inside
    i : In(stream of {relative, slot, tag}), always ready
    o : Out(stream of {address: 17 bits, bad, tag}), taken at once; ``bad`` marks an access outside
        the window
    """

    LATENCY = 7

    def __init__(self, *, tag):
        super().__init__({
            "config": In(MapConfig), "loading": In(SLOTS), "flush": In(1),
            "i": In(stream.Signature(data.StructLayout({
                "relative": _RELATIVE, "slot": range(SLOTS), "tag": tag}), always_ready=True)),
            "o": Out(stream.Signature(Mapped(tag), always_ready=True)),
        })

    def elaborate(self, platform):
        m = Module()
        valid, slots = self.i.valid, [self.i.p.slot]
        for stage in range(1, self.LATENCY + 1):
            slots.append(delay(m, slots[-1], 1, name=f"slot{stage}"))
            before, valid = valid, Signal(name=f"valid{stage}")
            m.d.sync += valid.eq(before & ~self.flush)
        m.d.comb += [self.o.valid.eq(valid),
                     self.o.p.tag.eq(delay(m, self.i.p.tag, self.LATENCY, name="tag"))]
        span  = recall(m, self, slots[1], "high", "mode", name="span")
        bound = recall(m, self, slots[3], "last", "order", name="bound")
        start = recall(m, self, slots[6], "low", name="start")
        wrapped = self._wrap(m, delay(m, self.i.p.relative, 1, name="relative"), span)
        reversed_ = delay(m, span.mode == AguMode.BIT_REVERSED, 2, name="reversed")
        bad = self._judge(m, wrapped, bound.last)
        linear = self._reverse(m, wrapped, reversed_, bound.order)
        m.d.sync += [self.o.p.bad.eq(delay(m, bad, 1, name="bad")),
                     self.o.p.address.eq(linear + start.low)]
        return m

    def _wrap(self, m, relative, span):
        """Stages 2 and 3: one step of modulo, towards the window from where the address lies."""
        plain, other = (Signal(_RELATIVE, name=name) for name in ("plain", "other"))
        wrapped, negative = Signal(_RELATIVE, name="wrapped"), relative[-1]
        # relative + high + 1 or, by the complement, relative - high - 1: the carry is the sign.
        towards = Cat(span.high, 0, 0, 0) ^ (~negative).replicate(ADDRESS_BITS)
        m.d.sync += [
            plain.eq(relative), other.eq((Cat(negative, relative) + Cat(negative, towards)) >> 1),
            wrapped.eq(plain)]
        with m.If(delay(m, span.mode == AguMode.MODULO, 1, name="modulo")
                  & ~other[-1]):  # if not even that reaches the window, both are outside
            m.d.sync += wrapped.eq(other)
        return wrapped

    def _judge(self, m, wrapped, last):
        """Stages 4 and 5: whether the address lies outside the window."""
        negative, over, bad = (Signal(name=name) for name in ("negative", "over", "outside"))
        m.d.sync += [negative.eq(wrapped < 0), over.eq((last - wrapped)[-1]),
                     bad.eq(negative | over)]
        return bad

    def _reverse(self, m, wrapped, reverses, order):
        """Stages 4 to 6: the low ``order`` bits in reverse order, if asked, else the address.

        All 16 bits in reverse order, and right by ``16 - order``; an order of 0 has an address 0.
        """
        turned, coarse, fine = (Signal(17, name=name) for name in ("turned", "coarse", "fine"))
        left, rest = Signal(4, name="left"), Signal(2, name="rest")
        m.d.sync += [
            turned.eq(Mux(reverses, wrapped[:16][::-1], wrapped[:17])),
            left.eq(Mux(reverses, -order[:4], 0)),
            coarse.eq(turned >> Cat(0, 0, left[2:])), rest.eq(left[:2]),
            fine.eq(coarse >> rest)]
        return fine
