# SPDX-License-Identifier: Apache-2.0
"""Sequencer: prefetch, check, launch and repeat the passes of a program."""

from amaranth import Module, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import SLOTS
from xymac.hdl.core.loop_nest import LoopSlots
from xymac.hdl.core.step import Stall
from xymac.hdl.isa import Encoded, Place, State, Status
from xymac.hdl.limits import check_passes, check_slots, check_vendor

from .loader import Loader, PlaceWrite, ProgramWrite, Starts
from .outcome import End, Outcome
from .queue import Queue
from .repeat import Repeat
from .scan import Rows

__all__ = ["Sequencer"]


class Sequencer(wiring.Component):
    """Run a program: the slots hold the current pass and prefetched passes.

    A slot is free again once its pass is written. A fault ends the program in program order:
    results issued earlier are written, then the state becomes fault. ``stop`` ends it likewise,
    without waiting for a pass end. Latency ``Loader.cycles + 3`` cycles from ``start`` to the first
    ``launch``. Throughput 1 pass in ``Loader.cycles + 1`` cycles while earlier passes run, a cycle
    more after a loop end. Backpressure: fetch waits for a free slot, launch for ``walking`` to
    fall.

    Parameters
    ----------
    passes : int, capacity of program memory, a power of two from 2 to 256
    ways : int, MACs per lane: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    slots : int, physical slots, 2 or 4; higher slot numbers mirror them
    functions : int, value of ``Register.FUNCTIONS``
    vendor : None or "ecp5", see ``Scan``

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    start, clear, stop : In(1); first : In(pass number)
    program, program_enable : In, write to program memory; place : In(PlaceWrite), write to a table
        place; both take effect a cycle later
    live : Out(``SLOTS``), passes launched and not written
    coming : Out(Encoded), the pass being loaded; moved : Out(Starts), its start addresses, and
        found : Out(Place), the place of its table, both a cycle later
    rows : Out(Rows), turn : Out(4), its windows, as in ``Scan``
    loading : Out(``SLOTS``), mask of its slot, from its load to the cycle after it
    index : Out(``SLOTS`` pass numbers); again : Out(``SLOTS``), not the first iteration of a loop
    launch : Out(1), start a pass; loop_slots : Out(LoopSlots), its slot; walking : In(1), the loop
        sequencer is busy
    issue_fault : In(Status), z_fault : In(1), faults; issue_slot, z_slot : In(slot), their passes
    in_flight : In(1), an issued result is not written yet; trace_busy : In(1), a trace record is
        not written yet; done : In(1), a pass is written
    flush : Out(1), discard unissued work; starved : Out(Stall), see ``Queue``
    state : Out(State), status : Out(Status), field : Out(4), pass_ : Out(pass number)
    """

    def __init__(self, *, passes, ways, x_rows, y_rows, slots, functions, vendor=None):
        self._passes, self._count = check_passes(passes), check_slots(slots)
        self._vendor = check_vendor(vendor)
        self._loader = Loader(passes=passes, ways=ways, x_rows=x_rows, y_rows=y_rows, slots=slots,
                              functions=functions, vendor=vendor)
        number = unsigned(exact_log2(passes) + 1)  # a bit more, for the number past the end
        slot   = range(SLOTS)
        super().__init__({
            "start": In(1), "clear": In(1), "stop": In(1), "first": In(number),
            "program": In(ProgramWrite(passes)), "program_enable": In(1), "place": In(PlaceWrite),
            "live": Out(SLOTS),
            "moved": Out(Starts), "found": Out(Place),
            "coming": Out(Encoded), "loading": Out(SLOTS), "rows": Out(Rows), "turn": Out(4),
            "index": Out(data.ArrayLayout(number, SLOTS)), "again": Out(SLOTS),
            "launch": Out(1), "loop_slots": Out(LoopSlots), "walking": In(1),
            "issue_fault": In(Status), "issue_slot": In(slot), "z_fault": In(1),
            "z_slot": In(slot),
            "in_flight": In(1), "trace_busy": In(1), "done": In(1),
            "flush": Out(1), "starved": Out(Stall),
            "state": Out(State), "status": Out(Status), "field": Out(4), "pass_": Out(number)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.loader = loader = self._loader
        m.submodules.repeat = repeat = Repeat(
            passes=self._passes, vendor=self._vendor)
        m.submodules.queue = queue = Queue(slots=self._count)
        m.submodules.outcome = outcome = Outcome(passes=self._passes)
        stop = Signal()  # fetch has ended: last pass, bad pass, or end of memory
        self._fetch(m, loader, repeat, queue, outcome, stop)
        m.d.comb += [
            loader.number.eq(repeat.number),
            loader.moves.eq(repeat.moves), loader.again.eq(repeat.again),
            loader.flush.eq(self.flush),
            self.moved.eq(loader.moved),
            self.found.eq(loader.found), self.coming.eq(loader.pass_),
            self.loading.eq(loader.loading), self.rows.eq(loader.rows),
            self.turn.eq(loader.turn),
            repeat.start.eq(self.start), repeat.first.eq(self.first),
            repeat.pass_.eq(loader.pass_),
            queue.start.eq(self.start), queue.flush.eq(self.flush), queue.done.eq(self.done),
            queue.walking.eq(self.walking), queue.last.eq(stop),
            self.launch.eq(queue.launch), self.loop_slots.eq(queue.loop_slots),
            self.live.eq(queue.live), self.starved.eq(queue.starved),
            outcome.start.eq(self.start), outcome.clear.eq(self.clear),
            outcome.stop.eq(self.stop), outcome.issue_fault.eq(self.issue_fault),
            outcome.issue_slot.eq(self.issue_slot), outcome.z_fault.eq(self.z_fault),
            outcome.z_slot.eq(self.z_slot), outcome.in_flight.eq(self.in_flight),
            outcome.index.eq(self.index), outcome.oldest.eq(queue.oldest),
            outcome.held.eq(queue.full.bit_select(queue.oldest, 1)),
            outcome.over.eq(stop & ~queue.live.any() & ~queue.waiting & ~self.trace_busy),
            self.flush.eq(outcome.flush), self.state.eq(outcome.state),
            self.status.eq(outcome.status), self.field.eq(outcome.field),
            self.pass_.eq(outcome.pass_)]
        # Registers: the strobes leave the host port's decoder late in the cycle.
        m.d.sync += [loader.write.eq(self.program), loader.write_enable.eq(self.program_enable),
                     loader.place.eq(self.place)]
        return m

    def _fetch(self, m, loader, repeat, queue, outcome, stop):
        """Load a pass into a free slot and evaluate its check; record why fetch ends."""
        number, pass_ = repeat.number, loader.pass_
        slot    = Signal(range(self._count))
        follows = Signal()  # the next slot is free, and this pass ends no loop
        end     = Signal(End(self._passes))
        m.d.comb += [loader.slot.eq(slot), outcome.end.eq(end)]
        m.d.sync += follows.eq(~queue.full.bit_select((slot + 1)[:len(slot)], 1)
                               & (pass_.repeat == 0))
        with m.If(self.start):
            m.d.sync += [slot.eq(0), stop.eq(0), end.status.eq(Status.OK), end.field.eq(0)]
        with m.FSM():
            with m.State("Wait-Slot"):
                with m.If((self.state == State.BUSY) & ~stop & ~queue.full.bit_select(slot, 1)):
                    m.next = "Claim"
            with m.State("Claim"):
                m.next = "Wait-Slot"
                with m.If(~self.flush):
                    m.d.comb += [loader.load.eq(1), queue.claim.eq(1 << slot)]
                    m.d.sync += [self.index[slot].eq(number),
                                 self.again.bit_select(slot, 1).eq(repeat.again)]
                    m.next = "Load"
                    with m.If(number == self._passes):  # the load has no effect
                        m.d.sync += [stop.eq(1), end.status.eq(Status.END), end.field.eq(0),
                                     end.pass_.eq(number)]
                        m.next = "Wait-Slot"
            with m.State("Load"):
                m.d.comb += loader.load.eq(1)
                with m.If(loader.loaded):
                    m.next = "Judge"
                with m.If(self.flush):
                    m.next = "Wait-Slot"
            with m.State("Judge"):
                m.d.comb += repeat.judged.eq(1)
                m.d.sync += [slot.eq(slot + 1), end.pass_.eq(number)]
                m.next = "Wait-Slot"
                with m.If(loader.status == Status.OK):
                    m.d.comb += [repeat.good.eq(1), queue.judged.eq(1 << slot)]
                    m.d.sync += stop.eq(repeat.over)
                    with m.If(repeat.astray):
                        m.d.sync += [end.status.eq(Status.END), end.field.eq(0)]
                    with m.If(follows & ~pass_.last):
                        m.next = "Claim"
                with m.Else():
                    m.d.sync += [stop.eq(1), end.status.eq(loader.status),
                                 end.field.eq(loader.field)]
