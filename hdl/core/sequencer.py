"""Sequencer: fetch passes ahead, check them, launch them in order, repeat them, stop."""

from amaranth import Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.config import SLOTS
from hdl.isa import Encoded, Place, State, Status
from hdl.limits import check_passes, check_slots

from .loader import Loader, Moves, PlaceWrite, ProgramWrite, Starts
from .step import Stall
from .walker import WalkSlots

__all__ = ["Sequencer"]

class Sequencer(wiring.Component):
    """Run a program: ``slots`` slots hold the pass that runs and those fetched behind it.

    A slot is free again when its pass is written. A fault ends the program in program order: what
    was issued before it is written, then the state becomes fault. So does ``stop``, at once.
    Latency ``Loader.cycles + 3`` cycles from ``start`` to the first ``launch``, throughput one
    pass in ``Loader.cycles + 1`` cycles while those before it run, one more behind the end of a
    loop; backpressure is a slot that is not free, or ``walking``.

    Parameters
    ----------
    passes : int, of the program memory, a power of two from 2 to 256
    ways : int, products a lane forms a cycle: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    slots : int, passes that are held, 2 or 4; slots from there on look like the first
    functions : int, word of ``Register.FUNCTIONS``

    TypeError for what is no int, ValueError otherwise.

    Members
    -------
    start, clear, stop : In(1); first : In(pass number)
    write, write_enable : In, program memory; place : In(PlaceWrite), a table
    slots : Out(``SLOTS`` Encoded), live : Out(``SLOTS``), the slot's pass has been launched and is
        not written; starts : Out(``SLOTS`` Starts); places : Out(``SLOTS`` Place)
    coming : Out(Encoded), the pass that is loaded; loading : Out(``SLOTS``), where, from its load
        to the cycle after it
    index : Out(``SLOTS`` pass numbers), again : Out(``SLOTS``), not the first iteration of a loop
    launch : Out(1), walk_slots : Out(WalkSlots); walking : In(1), the walker is busy
    issue_fault : In(Status), z_fault : In(1); issue_slot, z_slot : In(slot)
    in_flight, trace_busy : In(1); done : In(1), a pass is written
    flush : Out(1); starved : Out(Stall)
    state : Out(State), status : Out(Status), field : Out(4), pass_ : Out(pass number)
    """

    def __init__(self, *, passes, ways, x_rows, y_rows, slots, functions):
        self._passes, self._count = check_passes(passes), check_slots(slots)
        self._loader = Loader(passes=passes, ways=ways, x_rows=x_rows, y_rows=y_rows, slots=slots,
                              functions=functions)
        number = unsigned(exact_log2(passes) + 1)  # one more for the pass past the end
        slot   = range(SLOTS)
        super().__init__({
            "start": In(1), "clear": In(1), "stop": In(1), "first": In(number),
            "write": In(ProgramWrite(passes)), "write_enable": In(1), "place": In(PlaceWrite),
            "slots": Out(data.ArrayLayout(Encoded, SLOTS)), "live": Out(SLOTS),
            "starts": Out(data.ArrayLayout(Starts, SLOTS)),
            "places": Out(data.ArrayLayout(Place, SLOTS)),
            "coming": Out(Encoded), "loading": Out(SLOTS),
            "index": Out(data.ArrayLayout(number, SLOTS)), "again": Out(SLOTS),
            "launch": Out(1), "walk_slots": Out(WalkSlots), "walking": In(1),
            "issue_fault": In(Status), "issue_slot": In(slot), "z_fault": In(1),
            "z_slot": In(slot),
            "in_flight": In(1), "trace_busy": In(1), "done": In(1),
            "flush": Out(1), "starved": Out(Stall),
            "state": Out(State), "status": Out(Status), "field": Out(4), "pass_": Out(number)})

    def elaborate(self, platform):
        m = Module()
        self._full   = Signal(self._count)  # loaded or being loaded, until written
        self._judged = Signal(self._count)  # good in this cycle
        self._ready  = Signal(self._count)  # checked, not launched
        self._retire = Signal(range(self._count))  # slot of the oldest pass that is not written
        self._stop  = Signal()    # nothing more to fetch: last pass, bad pass, end of memory
        self._found = Signal(Status)
        self._field = Signal(4)
        self._final = Signal.like(self.pass_)  # the last pass, or the one that cannot run
        self._fetch(m)
        self._launch(m)
        self._state(m)
        return m

    def _fetch(self, m):
        """Load the free slot, then judge what it holds."""
        m.submodules.loader = loader = self._loader
        number = Signal.like(self.pass_)
        slot   = Signal(range(self._count))
        pass_  = loader.pass_
        m.d.comb += [
            loader.write.eq(self.write), loader.write_enable.eq(self.write_enable),
            loader.place.eq(self.place), self.places.eq(loader.places),
            loader.number.eq(number), loader.slot.eq(slot), loader.flush.eq(self.flush),
            self.slots.eq(loader.slots), self.starts.eq(loader.starts),
            self.coming.eq(pass_), self.loading.eq(loader.loading)]
        go_on = self._repeat(m, pass_, number)
        follows = Signal()  # the next pass has a free slot, and this one is in no loop
        m.d.sync += follows.eq(~self._full.bit_select((slot + 1)[:len(slot)], 1)
                               & (pass_.repeat == 0))
        with m.FSM():
            with m.State("Wait-Slot"):
                with m.If(self.start):
                    m.d.sync += [number.eq(self.first), slot.eq(0), self._iteration.eq(0),
                                 self._moves.eq(0)]
                with m.Elif((self.state == State.BUSY) & ~self._stop
                            & ~self._full.bit_select(slot, 1)):
                    m.next = "Claim"
            with m.State("Claim"):
                m.next = "Wait-Slot"
                with m.If(~self.flush):
                    m.d.comb += loader.load.eq(1)  # past the end to no effect
                    m.d.sync += [self._full.bit_select(slot, 1).eq(1), self.index[slot].eq(number),
                                 self.again.bit_select(slot, 1).eq(self._iteration != 0)]
                    m.next = "Load"
                    with m.If(number == self._passes):
                        m.d.sync += [self._stop.eq(1), self._found.eq(Status.END),
                                     self._field.eq(0), self._final.eq(number)]
                        m.next = "Wait-Slot"
            with m.State("Load"):
                m.d.comb += loader.load.eq(1)
                with m.If(loader.loaded):
                    m.next = "Judge"
                with m.If(self.flush):
                    m.next = "Wait-Slot"
            with m.State("Judge"):
                m.d.sync += [slot.eq(slot + 1), number.eq(number + 1), self._final.eq(number)]
                m.next = "Wait-Slot"
                with m.If(loader.status == Status.OK):
                    m.d.comb += self._judged.eq(1 << slot)
                    go_on()
                    with m.If(follows & ~pass_.last):
                        m.next = "Claim"
                with m.Else():
                    m.d.sync += [self._stop.eq(1), self._found.eq(loader.status),
                                 self._field.eq(loader.field)]

    def _repeat(self, m, pass_, number):
        """Find out where a pass that is being checked leads; returns what goes there.

        What it finds takes effect a cycle later, before a slot can be claimed.
        """
        self._iteration, self._moves = Signal(16), Signal(Moves)
        m.d.comb += self._loader.moves.eq(self._moves)
        moved = Signal(Moves)
        repeats, ends = Signal(), Signal()  # the loop goes back, or is left
        loops, again, beyond, back = Signal(), Signal(), Signal(), Signal.like(number)
        m.d.sync += [loops.eq(pass_.repeat != 0), again.eq(self._iteration != pass_.repeat),
                     beyond.eq(pass_.back > number), back.eq(number - pass_.back)]
        for after, before, step in zip(moved, self._moves, pass_.advance, strict=True):
            m.d.sync += after.eq(before + step)
        m.d.sync += [repeats.eq(0), ends.eq(0)]
        with m.If(repeats):
            m.d.sync += [number.eq(back), self._moves.eq(moved),
                         self._iteration.eq(self._iteration + 1)]
        with m.If(ends):
            m.d.sync += [self._moves.eq(0), self._iteration.eq(0)]

        def go_on():
            """Stop, repeat or leave the loop after the pass that is judged."""
            with m.If(~loops):
                m.d.sync += self._stop.eq(pass_.last)
            with m.Elif(~again):
                m.d.sync += [self._stop.eq(pass_.last), ends.eq(1)]
            with m.Elif(beyond):
                m.d.sync += [self._stop.eq(1), self._found.eq(Status.END), self._field.eq(0)]
            with m.Else():
                m.d.sync += repeats.eq(1)

        return go_on

    def _launch(self, m):
        """Hand checked passes to the walker in order; free slots in order.

        Whether the next one is ready is known a cycle ahead; its slot is live a cycle late.
        """
        launched, ahead, next_walk = Signal(), Signal(), Signal(range(self._count))
        retire = self._retire
        # Every copy counts by itself, or synthesis would make them one with too many ends.
        walks  = [Signal(range(self._count), name=f"walk{part}")
                  for part in range(len(self.walk_slots))]
        walk   = walks[0]
        m.d.comb += [
            *(copy.eq(each) for copy, each in zip(self.walk_slots, walks, strict=True)),
            next_walk.eq(walk + (launched & ~self.walking)),
            self.launch.eq(ahead & ~self.walking & ~launched & ~self.flush),
        ]
        m.d.sync += [
            self._ready.eq(self._ready | self._judged),
            ahead.eq((self._ready | self._judged).bit_select(next_walk, 1)),
            self.starved.eq(Mux(self.walking | launched, Stall.X,
                                Mux(self._stop & ~self._ready.any(), Stall.DRAIN, Stall.FETCH))),
        ]
        with m.If(launched):
            m.d.sync += [self._ready.bit_select(walk, 1).eq(0), self.live.bit_select(walk, 1).eq(1)]
        with m.If(self.launch):
            m.d.sync += launched.eq(1)
        with m.Elif(launched & ~self.walking):
            m.d.sync += [launched.eq(0), *(each.eq(each + 1) for each in walks)]
        with m.If(self.done):
            m.d.sync += [retire.eq(retire + 1), self._full.bit_select(retire, 1).eq(0),
                         self.live.bit_select(retire, 1).eq(0)]
        with m.If(self.start | self.flush):
            m.d.sync += [launched.eq(0), ahead.eq(0), retire.eq(0),
                         *(each.eq(0) for each in walks),
                         self._full.eq(0), self._ready.eq(0), self.live.eq(0)]
        with m.If(self.start):
            m.d.sync += [self._stop.eq(0), self._found.eq(Status.OK), self._field.eq(0),
                         self.starved.eq(Stall.FETCH)]

    def _state(self, m):
        """Idle, busy, done or fault; a fault first lets what was issued be written."""
        first_slot = Signal(range(SLOTS))
        # A cycle late, to part conditions from what follows; a step may go while flush rises.
        over, flushed, self._quiet = Signal(), Signal(), Signal()
        stopping = Signal()
        m.d.sync += stopping.eq((stopping | self.stop) & (self.state == State.BUSY))
        m.d.sync += [over.eq(self._stop & ~self.live.any() & ~self._ready.any() & ~self.trace_busy
                             & ~self.start),
                     flushed.eq(self.flush), self._quiet.eq(flushed & ~self.in_flight)]
        with m.Switch(self.state):
            with m.Case(State.IDLE, State.DONE):
                with m.If(self.start):
                    m.d.sync += [self.state.eq(State.BUSY), self.status.eq(Status.OK),
                                 self.field.eq(0), self.pass_.eq(0)]
                with m.Elif(self.clear):
                    m.d.sync += self.state.eq(State.IDLE)
            with m.Case(State.BUSY):
                with m.If(self.flush):
                    self._fault(m, first_slot)
                with m.Elif(self.z_fault | (self.issue_fault != Status.OK)):
                    m.d.sync += [self.flush.eq(1), self.status.eq(self.issue_fault),
                                 first_slot.eq(self.issue_slot)]
                # Only a slot in use has a number; if there is none, the next is claimed soon.
                with m.Elif(stopping & self._full.bit_select(self._retire, 1)):
                    m.d.sync += [self.flush.eq(1), self.status.eq(Status.STOPPED),
                                 first_slot.eq(self._retire)]
                with m.Elif(over):
                    m.d.sync += [
                        self.state.eq(Mux(self._found == Status.OK, State.DONE, State.FAULT)),
                        self.status.eq(self._found), self.field.eq(self._field),
                        self.pass_.eq(self._final)]
            with m.Case(State.FAULT):
                m.d.sync += self.flush.eq(0)
                with m.If(self.clear):
                    m.d.sync += [self.state.eq(State.IDLE), self.status.eq(Status.OK),
                                 self.field.eq(0), self.pass_.eq(0)]

    def _fault(self, m, first_slot):
        """Wait until all issued results are written; a write outside its window came first."""
        with m.If(self._quiet):
            m.d.sync += [self.state.eq(State.FAULT), self.field.eq(0)]
            with m.If(self.z_fault):
                m.d.sync += [self.status.eq(Status.Z_ACCESS),
                             self.pass_.eq(self.index[self.z_slot])]
            with m.Else():
                m.d.sync += self.pass_.eq(self.index[first_slot])
