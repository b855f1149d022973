# SPDX-License-Identifier: Apache-2.0
"""Stepper: the addresses of all operands over the output loops, and the loop counters."""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import pick
from xymac.hdl.bitwise import BitwiseAdd
from xymac.hdl.carry import SelectAdd
from xymac.hdl.config import SLOTS
from xymac.hdl.isa import ADDRESS_BITS, AguMode, Encoded
from xymac.hdl.limits import check_vendor

from .fetch.loader import Starts
from .recall import RecallParts

__all__ = ["Stepper"]

_RELATIVE = signed(ADDRESS_BITS)
_STRIDE   = signed(16)
_LEVELS   = 3
_COUNT    = 0  # phase that writes the count of a loop; Z, X and Y follow in phases 1 to 3

#: The window of a modulo access.
_Window   = data.StructLayout({"high": unsigned(17), "modulo": 1})


class Stepper(wiring.Component):
    """Step a loop of a pass: its index counter, then the addresses of Z, X and Y.

    All four share a pipeline, a phase (0 .. 3) apart: read in phases 1, 2, 3 and 0, add the stride,
    wrap, and write in phases 0, 1, 2 and 3. A memory stores the address of every loop after its
    step; a restarted loop begins at the address of ``source``. In the first period of a pass, the
    start addresses enter instead of stepped addresses.
    Latency 3 cycles, throughput 1 step in 4 cycles; honours backpressure through ``go``.

    Parameters
    ----------
    vendor : None or "ecp5", see ``bitwise.BitwiseAdd``; ValueError otherwise

    Members
    -------
    coming : In(Encoded), moved : In(Starts), loading : In(``SLOTS``), see ``RecallParts``
    slot : In(slot), current slot; phase : In(2); go : In(1), the phase ends
    first : In(1), the first period of a pass
    level : In(loop), steps next; from phase 1 to the next phase 0
    source : In(loop), supplies the address for the step; from phase 2 on
    renew : In(1), in phase 2: ``level`` is at its first index
    held : In(loop), has stepped; from phase 0 to phase 3
    skip : In(signed), added to the address; for Z in phase 1, X in phase 2, Y in phase 3
    address : Out(signed), in the same phases
    one : Out(1), in phase 3: after its step, ``level`` is at its last index
    """

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        level = range(_LEVELS)
        super().__init__({
            "coming": In(Encoded), "moved": In(Starts), "loading": In(SLOTS),
            "slot": In(range(SLOTS)), "phase": In(2), "go": In(1), "first": In(1),
            "level": In(level), "source": In(level), "renew": In(1), "held": In(level),
            "skip": In(_RELATIVE), "address": Out(_RELATIVE), "one": Out(1)})

    def elaborate(self, platform):
        m = Module()
        number, moved, plain, other = (Signal(_RELATIVE, name=name, reset_less=True) for name in (
            "number", "moved", "plain", "other"))
        stride  = Signal(_STRIDE, reset_less=True)
        window  = Signal(_Window, reset_less=True)
        modulo  = Signal(reset_less=True)
        stepped = Signal(_RELATIVE)
        reader  = self._remember(m, stepped)
        strides = self._strides(m)
        start   = self._recall(m, "starts", [self.moved[n] for n in (2, 0, 1)], self.phase)
        agus    = [self.coming.y.agu, None, self.coming.z, self.coming.x.agu]
        shifted = [agus[n] for n in (3, 0, 1, 2)]
        reach   = self._recall(m, "windows", [_window(agu) for agu in shifted], self.phase)
        sum_, wrapped = self._step(m, number, stride), self._wrap(m, moved, window.high)
        with m.If(self.go):
            m.d.sync += [
                number.eq(reader), stride.eq(pick([*strides, strides[-1]], self.level)),
                moved.eq(sum_), window.eq(reach),
                plain.eq(Mux(self.first & (self.phase != 3), start, moved)),
                other.eq(wrapped),
                modulo.eq(window.modulo & ~self.first)]
        wraps = Signal()
        m.d.comb += [wraps.eq(modulo & (plain[-1] | ~other[-1])),
                     stepped.eq(Mux(wraps, other, plain)), self.one.eq(moved[:16] == 1)]
        m.submodules.skipped = skipped = SelectAdd(width=ADDRESS_BITS, vendor=self._vendor)
        m.d.comb += [skipped.term.eq(self.skip), skipped.high.eq(other), skipped.low.eq(plain),
                     skipped.select.eq(wraps.replicate(ADDRESS_BITS)),
                     self.address.eq(skipped.o)]
        return m

    def _recall(self, m, name, values, part):
        """The stored value ``part`` for the current slot."""
        width = len(values[0])
        m.submodules[name] = kept = RecallParts(unsigned(width), len(values))
        m.d.comb += [*(each.eq(value) for each, value in zip(kept.values, values, strict=True)),
                     kept.loading.eq(self.loading), kept.slot.eq(self.slot), kept.part.eq(part)]
        return kept.o

    def _strides(self, m):
        """Stride of each loop for the operand in turn; in the counter's phase, its first value."""
        coming = self.coming
        return [self._recall(m, f"strides{level}", [
            coming.y.agu.outer[level], coming.outer[level], coming.z.outer[level],
            coming.x.agu.outer[level]], self.phase) for level in range(_LEVELS)]

    def _remember(self, m, stepped):
        """Memory of loop addresses and counts; returns the entry that steps next."""
        m.submodules.addresses = memory = Memory(
            shape=unsigned(ADDRESS_BITS), depth=16, init=[], attrs={"ram_style": "distributed"})
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        level = Mux(self.phase == _COUNT + 1, self.level, self.source)
        m.d.comb += [writer.addr.eq(Cat(self.phase, self.held)), writer.data.eq(stepped),
                     writer.en.eq(1), reader.addr.eq(Cat((self.phase - 1)[:2], level))]
        return reader.data

    def _step(self, m, number, stride):
        """``number + stride``; for a counter, its next value."""
        m.submodules.step = step = BitwiseAdd(
            width=ADDRESS_BITS, vendor=self._vendor,
            first=lambda a, b, c, d: (a & (d | ~c)) | (b & ~d),
            second=lambda a, b, c, d: (b & d) | c)
        count = self.phase == _COUNT + 2
        m.d.comb += [step.a.eq(number), step.b.eq(stride),
                     step.c.eq(count.replicate(ADDRESS_BITS)),
                     step.d.eq((~(count & self.renew)).replicate(ADDRESS_BITS))]
        return step.o

    def _wrap(self, m, moved, high):
        """``moved + high + 1`` for a negative address, else ``moved - high - 1``."""
        m.submodules.wrap = wrap = BitwiseAdd(
            width=ADDRESS_BITS, carried=1, vendor=self._vendor,
            first=lambda a, b, c, d: a ^ ~b, second=lambda a, b, c, d: c)
        m.d.comb += [wrap.a.eq(high), wrap.b.eq(moved[-1].replicate(ADDRESS_BITS)),
                     wrap.c.eq(moved), wrap.carry.eq(moved[-1])]
        return wrap.o


def _window(agu):
    """Window of an access; a counter (None) never wraps."""
    return Const(0, _Window.size) if agu is None else Cat(agu.high, agu.mode == AguMode.MODULO)
