# SPDX-License-Identifier: Apache-2.0
"""DMA: runs command lists between the bus, the program and the core memories."""

from amaranth import Module, Mux, ResetInserter, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.core.ports import forward
from xymac.hdl.core.registers import Image
from xymac.hdl.core.step import HostRead
from xymac.hdl.core.writeback import WideWrite
from xymac.hdl.isa import COMMANDS_MAX, ListStatus, State
from xymac.hdl.limits import check_config

from .bus import Bus, bus_members
from .decode import Decode
from .mover import Mover
from .outcome import Outcome
from .records import Run
from .sequence import Sequence

__all__ = ["Dma"]


class Dma(wiring.Component):
    """Fetch a command list, check it, and run its programs and transfers beside each other.

    Latency, throughput and backpressure as in its parts: ``Decode``, ``Sequence``, ``Mover``,
    ``Bus``, ``Outcome``. All parts but the bus are in reset unless a list runs, and in its first
    cycle.

    Parameters
    ----------
    config : CoreConfig with a ``dma``, the core size; TypeError for another type
    most : int, most commands in a list, see ``Decode``
    vendor : None or "ecp5", see ``carry.SelectAdd``

    Members
    -------
    image : In(Image), stable while a list runs
    begin, clear, stop : In(1), as in ``Outcome``; state : Out(State), status : Out(ListStatus),
        entry : Out(16)
    program_state : In(State); start : Out(1), start the program at pass first : Out; stops :
        Out(1), stop it
    write, read, found, mine, program, program_enable, table, place, busy : as in ``Mover``
    bus_reset, m_axi_* : as in ``Bus``
    """

    def __init__(self, config, *, most=COMMANDS_MAX, vendor=None):
        width, ways, passes = check_config(config).dma, config.ways, config.passes
        self._width = width
        self._mover = Mover(width=width, ways=ways, passes=passes, vendor=vendor)
        self._decode = Decode(width=width, ways=ways, x_rows=config.x_rows, y_rows=config.y_rows,
                              passes=passes, most=most)
        self._same  = ("mine", "program", "program_enable", "table", "place")
        super().__init__(bus_members(width) | {
            "image": In(Image), "begin": In(1), "clear": In(1), "stop": In(1), "state": Out(State),
            "status": Out(ListStatus), "entry": Out(16), "program_state": In(State),
            "start": Out(1), "first": Out(Run["first"].shape), "stops": Out(1),
            "bus_reset": In(1), "busy": In(1),
            "write": Out(stream.Signature(WideWrite(ways))),
            "read": Out(stream.Signature(HostRead)), "found": In(data.ArrayLayout(16, ways)),
            **{name: self._mover.signature.members[name] for name in self._same}})

    def elaborate(self, platform):
        m = Module()
        m.submodules.bus = bus = Bus(width=self._width)
        m.submodules.outcome = outcome = Outcome()
        sequence = Sequence()
        rests = Signal(name="rests", init=1)
        m.d.sync += rests.eq(outcome.gives_up | (outcome.state != State.BUSY))
        for name, block in (("decode", self._decode), ("sequence", sequence),
                            ("mover", self._mover)):
            m.submodules[name] = ResetInserter(rests)(block)
        self._commands(m, sequence)
        self._end(m, sequence, outcome, bus, rests)
        self._transfers(m, bus)
        mover = self._mover
        m.d.comb += [
            mover.found.eq(self.found), mover.busy.eq(self.busy),
            *(getattr(self, name).eq(getattr(mover, name)) for name in self._same)]
        wiring.connect(m, mover.write, wiring.flipped(self.write))
        wiring.connect(m, mover.read, wiring.flipped(self.read))
        forward(m, bus_members(self._width) | {"bus_reset": In(1)}, self, bus)
        return m

    def _commands(self, m, sequence):
        """Send commands from memory to the programs and transfers."""
        decode, mover = self._decode, self._mover
        wiring.connect(m, decode.runs, sequence.runs)
        wiring.connect(m, decode.moves, sequence.moves)
        m.d.comb += [
            decode.image.eq(self.image), sequence.state.eq(self.program_state),
            sequence.moved.eq(mover.done), mover.move.eq(decode.moves.p),
            mover.take.eq(sequence.moves.ready), mover.start.eq(sequence.moves_start),
            self.start.eq(sequence.start), self.first.eq(sequence.run.first)]

    def _end(self, m, sequence, outcome, bus, rests):
        """Report every list-ending event to the outcome.

        A stop waits while a command is between the decoder and the sequence, and a cycle more, as
        the outcome compares entries in a cycle of its own.
        """
        decode = self._decode
        between, waits = Signal(name="between"), Signal(name="stop_waits")
        m.d.sync += [
            between.eq(((decode.brings_run | decode.runs.valid)
                        & (~sequence.run_valid | sequence.run_ends))
                       | ((decode.brings_move | decode.moves.valid)
                          & (~sequence.moves_valid | sequence.moves_end))),
            waits.eq((self.stop | waits) & between)]
        m.d.comb += [
            outcome.stop.eq((self.stop | waits) & ~between),
            *(getattr(outcome, name).eq(getattr(self, name)) for name in ("begin", "clear")),
            *(getattr(self, name).eq(getattr(outcome, name))
              for name in ("state", "status", "entry", "stops")),
            outcome.end.eq(decode.end), outcome.ended.eq(decode.ended & ~rests),
            outcome.next_entry.eq(decode.entry), outcome.run_entry.eq(sequence.run.order.entry),
            outcome.run_valid.eq(sequence.run_valid | decode.runs.valid),
            outcome.move_valid.eq(sequence.moves_valid | decode.moves.valid),
            outcome.move_entry.eq(sequence.moves_entry),
            outcome.failed.eq(bus.failed),
            outcome.busy.eq(self.program_state == State.BUSY),
            bus.drop.eq(outcome.gives_up)]
        m.d.sync += [outcome.idle.eq(bus.idle), outcome.fault.eq(sequence.fault)]

    def _transfers(self, m, bus):
        """Share the bus: commands go before data, and each gets its own beats."""
        decode, mover, asks, answers = self._decode, self._mover, bus.asks, bus.answers
        wiring.connect(m, mover.bursts, bus.bursts)
        wiring.connect(m, mover.parts, bus.parts)
        own = answers.p.command
        m.d.comb += [
            asks.p.eq(Mux(decode.asks.valid, decode.asks.p, mover.asks.p)),
            asks.valid.eq(decode.asks.valid | mover.asks.valid), decode.asks.ready.eq(asks.ready),
            mover.asks.ready.eq(asks.ready & ~decode.asks.valid),
            decode.beats.p.eq(answers.p.data), decode.beats.valid.eq(answers.valid & own),
            decode.failed.eq(bus.command_failed), mover.beats.p.eq(answers.p.data),
            mover.beats.valid.eq(answers.valid & ~own),
            answers.ready.eq(own | mover.beats.ready), mover.written.eq(bus.written)]
