# SPDX-License-Identifier: Apache-2.0
"""Mapping: move a relative address into its window by the access mode, and check it."""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.carry import FlipAdd, SelectAdd, SelectGreater
from xymac.hdl.config import SLOTS
from xymac.hdl.core.recall import recall
from xymac.hdl.isa import ADDRESS_BITS, AguMode
from xymac.hdl.limits import check_one_of, check_vendor

__all__ = ["AddressMap", "MapConfig", "Mapped", "map_config"]

_RELATIVE = signed(ADDRESS_BITS)
_ADDRESS  = 17  # bits of an address
_REVERSED = 16  # bits of the longest window in reverse order

#: Pass fields for ``AddressMap``; ``last`` is the highest valid relative address.
MapConfig = data.StructLayout({
    "mode": AguMode, "order": unsigned(5), "low": unsigned(16), "high": unsigned(17),
    "last": _RELATIVE})
#: A mapped address in the unit of its access; ``bad`` marks an address outside the window.
Mapped = data.StructLayout({"address": unsigned(_ADDRESS), "bad": 1})


def map_config(access, last):
    """MapConfig (a Value) of an encoded access with the last address ``last``."""
    return Cat(access.mode, access.order, access.low, access.high, last)


class AddressMap(wiring.Component):
    """Map a relative address into the window by the access mode, and check it.

    Stage 1 adds or subtracts the window length, or reverses the address bits and shifts them right
    by a multiple of 4. Stage 2 shifts by the remaining 0 to 3 bits, selects the address of the
    mode, adds ``low`` and compares with ``last``. Latency ``LATENCY`` cycles, throughput 1 address
    a cycle, no backpressure.

    Parameters
    ----------
    whole : int, 1 if ``last`` always equals ``high``, else 0; TypeError unless an int, ValueError
        otherwise
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    config : In(MapConfig), the fields of a pass; loading : In(``SLOTS``), the slot to load in this
        cycle; the pipeline must hold no address of this slot
    relative : In(signed), a relative address; slot : In(slot), its pass
    o : Out(Mapped); ``bad`` marks an access outside the window
    """

    LATENCY = 2

    def __init__(self, *, whole, vendor=None):
        self._whole  = check_one_of("Whole", whole, (0, 1))
        self._vendor = check_vendor(vendor)
        super().__init__({"config": In(MapConfig), "loading": In(SLOTS), "relative": In(_RELATIVE),
                          "slot": In(range(SLOTS)), "o": Out(Mapped)})

    def elaborate(self, platform):
        m = Module()
        given = self.config, self.loading
        span  = recall(m, *given, self.slot, "high", "mode", "order", name="span")
        late  = delay(m, self.slot, 1, name="slot")
        low   = recall(m, *given, late, "low", name="base").low
        last  = delay(m, span.high, 1, name="last") if self._whole else recall(
            m, *given, late, "last", name="bound").last
        reverses = span.mode == AguMode.BIT_REVERSED
        plain, other = (Signal(_RELATIVE, name=name) for name in ("plain", "other"))
        modulo, reversed_, near = (Signal(name=name) for name in ("modulo", "reversed", "near"))
        coarse, rest = self._reverse(m, span, reverses)
        m.d.sync += [
            plain.eq(self.relative), reversed_.eq(reverses), modulo.eq(span.mode == AguMode.MODULO),
            other.eq(self._move(m, span.high))]
        with m.If(reverses):
            m.d.sync += other[:_ADDRESS].eq(coarse)
        # If the modulo step does not reach the window, both addresses are outside.
        m.submodules.add = base = SelectAdd(width=_ADDRESS, vendor=self._vendor)
        m.submodules.judge = judge = SelectGreater(width=ADDRESS_BITS, vendor=self._vendor)
        m.d.comb += [
            near.eq(modulo & ~other[-1]),
            base.term.eq(low), base.high.eq(other[:_ADDRESS] >> rest), base.low.eq(plain),
            base.select.eq((near | reversed_).replicate(_ADDRESS)),
            judge.term.eq(last), judge.high.eq(other), judge.low.eq(plain),
            judge.select.eq(near)]
        m.d.sync += [self.o.address.eq(base.o), self.o.bad.eq((plain[-1] & ~near) | judge.o)]
        return m

    def _move(self, m, high):
        """Move the address towards the window by the window length.

        A negative address becomes ``relative + high + 1``, any other address ``relative - high -
        1``. The subtraction adds the complement of ``high``; bit 0 generates the carry-in.
        """
        negative = self.relative[-1]
        m.submodules.towards = towards = FlipAdd(width=ADDRESS_BITS + 1, vendor=self._vendor)
        m.d.comb += [
            towards.term.eq(Cat(negative, self.relative)),
            towards.other.eq(Cat(Const(1, 1), high)),
            towards.flip.eq((~negative).replicate(ADDRESS_BITS + 1))]
        return towards.o[1:]

    def _reverse(self, m, span, reverses):
        """Reverse the low ``order`` bits; returns a coarse result and the remaining right shift.

        All 16 bits are reversed, then shifted right by ``16 - order``. The shift amount has four
        bits; with ``order`` 0 the only address is 0, so any shift is right.
        """
        left, rest = -span.order[:4], Signal(2, name="rest")
        m.d.sync += rest.eq(Mux(reverses, left[:2], 0))
        return self.relative[:_REVERSED][::-1] >> Cat(Const(0, 2), left[2:4]), rest
