# SPDX-License-Identifier: Apache-2.0
"""Registers of the core: the host's view of ``isa.REGISTERS``."""

from functools import reduce
from operator import or_

from amaranth import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.isa import (
    COMMAND_BYTES,
    PLAIN_REGISTERS,
    REGISTERS,
    Flag,
    ListStatus,
    Register,
    State,
    Status,
)
from xymac.hdl.limits import check_between, check_passes, check_values

__all__ = ["Image", "Lists", "Registers"]

_WORD   = 32  # bits
_LOW    = exact_log2(_WORD // 8)  # address bits within a word
_COUNTS = Register.CYCLES.value   # counters lie from here on

#: Where a command list lies: ``base`` and ``size`` in bytes, ``list`` in commands.
Image = data.StructLayout({"base": _WORD, "size": _WORD,
                           "list": _WORD - exact_log2(COMMAND_BYTES)})
#: Commands to the lists of a DMA, and their state; see ``dma.outcome.Outcome``.
Lists = wiring.Signature({
    "image": Out(Image), "begin": Out(1), "clear": Out(1), "stop": Out(1), "state": In(State),
    "status": In(ListStatus), "entry": In(16)})


class Registers(wiring.Component):
    """Answer reads of the register map, store its writable fields, and pulse its commands.

    Latency ``LATENCY`` cycles from a stable ``register`` to ``register_word`` and
    ``register_known``, 1 cycle from ``count`` to a counter's word, and 1 cycle to a command.
    Throughput 1 access in ``LATENCY`` cycles, no backpressure.

    Parameters
    ----------
    constants : dict, byte offset : word, for every register with access ``const``
    passes : int, depth of program memory, a power of two from 2 to 256
    dma : int, 1 for the registers of a DMA and the members marked *; 0 omits them

    TypeError for another kind, ValueError for a value out of range.

    Members
    -------
    register : In(8), register_word : Out(32), register_known : Out(1), the address names a register
    register_write : In(4) byte strobes, register_data : In(32)
    state, status, field, pass_ : In, from the sequencer; flags : In(Flag)
    count : In(32), the counter at ``register``, if there is a counter
    start, clear, stop, irq : Out(1); first : Out(pass number); with ``dma`` a start comes a cycle
        earlier, for ``ShareProgram``
    * lists : Out(Lists), begins : Out(1), a list or a program of the host starts
    * listing : Out(1), a list runs; dma_stall : In(32), cycles in which the DMA stalled the array
    """

    LATENCY = 4

    def __init__(self, *, constants, passes, dma=0):
        self._dma = check_between("Dma", dma, 0, 1)
        self._constants = check_values("Constants", constants, range(256), 0, (1 << _WORD) - 1)
        number = unsigned(exact_log2(check_passes(passes)) + 1)
        super().__init__({
            "register": In(8), "register_word": Out(_WORD), "register_known": Out(1),
            "register_write": In(4), "register_data": In(_WORD),
            "state": In(State), "status": In(Status), "field": In(4), "pass_": In(number),
            "count": In(_WORD), "flags": In(Flag),
            "start": Out(1), "clear": Out(1), "stop": Out(1), "irq": Out(1), "first": Out(number)}
            | ({"lists": Out(Lists), "begins": Out(1), "listing": Out(1), "dma_stall": In(_WORD)}
               if dma else {}))

    def elaborate(self, platform):
        m = Module()
        enable = Signal()
        self._read(m, {
            Register.STATUS: {"state": self.state, "status": self.status, "field": self.field,
                              "pass": self.pass_},
            Register.FLAGS: {"flags": self.flags}, Register.FIRST: {"first": self.first},
            Register.IRQ_MASK: {"enable": enable}} | self._dma_values())
        ended = (self.state == State.DONE) | (self.state == State.FAULT)
        m.d.comb += self.irq.eq(enable & ended)
        if not self._dma:
            m.d.sync += [self.start.eq(self._command("start") & (self.state != State.BUSY)
                                       & (self.state != State.FAULT)),
                         self.clear.eq(self._command("clear") & (self.state != State.BUSY)),
                         self.stop.eq(self._command("stop") & (self.state == State.BUSY))]
        self._keep(m, Register.IRQ_MASK, "enable", enable)
        self._keep(m, Register.FIRST, "first", self.first)
        if self._dma:
            self._run_lists(m, enable)
        return m

    def _dma_values(self):
        """Field values of the registers of a DMA."""
        if not self._dma:
            return {}
        lists, image = self.lists, self.lists.image
        return {Register.BASE: {"base": image.base[6:]}, Register.SIZE: {"size": image.size},
                Register.LIST: {"list": image.list}, Register.STALL_DMA: {"dma": self.dma_stall},
                Register.LIST_STATUS: {"state": lists.state, "status": lists.status,
                                       "entry": lists.entry}}

    def _run_lists(self, m, enable):
        """Start and stop lists; a list runs programs of its own, so the host cannot."""
        lists, image, listing = self.lists, self.lists.image, self.listing
        ended = lists.state == State.FAULT
        self._keep(m, Register.BASE, "base", image.base[6:])
        self._keep(m, Register.SIZE, "size", image.size)
        self._keep(m, Register.LIST, "list", image.list)
        free = ~listing & ~ended & (self.state != State.BUSY) & (self.state != State.FAULT)
        started = Signal(name="started")
        m.d.comb += [
            self.start.eq(self._command("start") & free),
            listing.eq(lists.state == State.BUSY), lists.clear.eq(self.clear | started),
            self.begins.eq(started | lists.begin), self.irq.eq(enable & Mux(
                lists.state == State.IDLE, (self.state == State.DONE) | (self.state == State.FAULT),
                (lists.state == State.DONE) | ended))]
        m.d.sync += [
            started.eq(self.start),
            lists.begin.eq(self._command("list") & free & ~self._command("start")),
            self.clear.eq(self._command("clear") & ~listing & (self.state != State.BUSY)),
            self.stop.eq(self._command("stop") & ~listing & (self.state == State.BUSY)),
            lists.stop.eq(self._command("stop") & listing)]

    def _field(self, register, name):
        """Data bit and byte strobe for each bit of a field."""
        strobes = Mux(self.register == register.value, self.register_write, 0)
        [field] = [field for field in REGISTERS[register].fields if field.name == name]
        places  = range(field.offset, field.offset + field.width)
        return [(self.register_data[place], strobes[place // 8]) for place in places]

    def _command(self, name):
        """Whether a field of ``CONTROL`` is written as 1."""
        [(bit, strobe)] = self._field(Register.CONTROL, name)
        return bit & strobe

    def _keep(self, m, register, name, kept):
        """Write a stored field, the signal ``kept``."""
        for place, (bit, strobe) in zip(kept, self._field(register, name), strict=False):
            with m.If(strobe):
                m.d.sync += place.eq(bit)

    def _read(self, m, values):
        """Multiplex constants and fields first, then add the counter.

        ``values`` are dicts of field values by Register; constants need none.
        """
        address  = delay(m, self.register, 1, name="address")
        is_count = address[_COUNTS.bit_length() - 1:].any()
        if self._dma:
            is_count = is_count & (address != Register.STALL_DMA.value)
        words = [Mux(address == register.value, self._word(register, fields), 0)
                 for register, fields in values.items()]
        words += [Mux(is_count, 0, self._constant(address[_LOW:6]))]
        known = Cat(address == register.value for register in
                    (REGISTERS if self._dma else PLAIN_REGISTERS)).any()
        count = delay(m, is_count & known, 1, name="is_count")
        word  = reduce(or_, words, Mux(count, self.count, 0))
        m.d.comb += [self.register_word.eq(delay(m, word, 1, name="word")),
                     self.register_known.eq(delay(m, known, 1, name="known"))]

    def _constant(self, place):
        """The constant with word index ``place``."""
        words = [Const(self._constants.get(number << _LOW, 0), _WORD)
                 for number in range(_COUNTS >> _LOW)]
        for bit in place:
            words = [Mux(bit, one, zero) for zero, one in zip(words[::2], words[1::2], strict=True)]
        return words[0]

    @staticmethod
    def _word(register, values):
        """A register's word: fields at their offsets, 0 in between."""
        word, end = [], 0
        for field in REGISTERS[register].fields:
            value = Value.cast(values[field.name])[:field.width]
            word += [Const(0, field.offset - end), value]
            end   = field.offset + len(value)
        return Cat(*word, Const(0, _WORD - end))
