# SPDX-License-Identifier: Apache-2.0
"""Program run properties: its end, its faults, STOP, and no deadlock.

The passes come from a loader with any contents; the loop sequencer and the write-back answer at any
time within some cycles.
"""

from contextlib import contextmanager
from unittest.mock import patch

from amaranth import Module, Mux, Signal
from amaranth.hdl import Assert, Assume, Cover

from xymac.hdl.core.fetch import sequencer as sequencer_module
from xymac.hdl.core.fetch.loader import Loader
from xymac.hdl.core.fetch.outcome import Outcome
from xymac.hdl.core.fetch.queue import Queue
from xymac.hdl.core.fetch.sequencer import Sequencer
from xymac.hdl.isa import State, Status

from .follow import within
from .property import Bench, Fault, Method, Property

__all__ = ["PROPERTIES"]

_PASSES, _SLOTS = 4, 2
_SIZES = {"passes": _PASSES, "ways": 1, "x_rows": 8, "y_rows": 8, "slots": _SLOTS,
          "functions": (1 << 32) - 1}
_PATIENCE = 3   # cycles within which the surroundings answer
_PROGRESS = 24  # cycles within which something happens in a busy program
_STOPPED  = 24  # cycles from a stop to the end of a program


class _AnyPass(Loader):
    """A loader with free contents for a pass, after a free cycle count."""

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.free  = {"pass_": Signal.like(self.pass_.as_value(), name="free_pass"),
                      "status": Signal(Status, name="free_status"),
                      "field": Signal(4, name="free_field"), "ready": Signal(name="free_ready")}
        self.takes = Signal()

    def elaborate(self, platform):
        m = Module()
        waited, begun, came = Signal(range(_PATIENCE + 1)), Signal(), Signal()
        m.d.sync += [begun.eq(self.load), waited.eq(Mux(self.load & begun, waited + 1, 0)),
                     came.eq(self.load & ~begun)]
        m.d.comb += [self.loaded.eq(self.load & begun & ~came & (
            self.free["ready"] | (waited == _PATIENCE))), self.takes.eq(came)]
        with m.If(came):
            m.d.sync += [self.pass_.eq(self.free["pass_"]), self.status.eq(self.free["status"]),
                         self.field.eq(self.free["field"])]
        return m


@contextmanager
def _free_loader(loaders):
    def make(**sizes):
        loaders.append(_AnyPass(**sizes))
        return loaders[0]
    with patch.object(sequencer_module, "Loader", make):
        yield


class _World:
    """A sequencer and its surroundings: passes run, are written in order, and may fault."""

    def __init__(self, faults):
        loaders = []
        with _free_loader(loaders):
            self.unit = Sequencer(**_SIZES)
        self.loader, unit, self._faults = loaders[0], self.unit, faults
        self.over, self.written, self.quiet = (Signal(name=name) for name in (
            "walk_over", "pass_written", "is_quiet"))
        self.inputs = [unit.start, unit.clear, unit.stop, unit.first, self.over, self.written,
                       self.quiet, *self.loader.free.values()]
        if faults:
            self.inputs += [unit.issue_fault, unit.z_fault]

    def build(self, m):
        """Add the sequencer and the rules for its surroundings."""
        unit = m.submodules.unit = self.unit
        busy = unit.state == State.BUSY
        walks, inside = Signal(name="walks"), Signal(range(_SLOTS + 2), name="inside")
        ready = Signal(range(_SLOTS + 2), name="walked")  # walked and not written
        ends  = walks & self.over
        with m.If(unit.launch):
            m.d.sync += walks.eq(1)
        with m.Elif(ends | unit.flush):
            m.d.sync += walks.eq(0)
        m.d.sync += [ready.eq(Mux(unit.flush | unit.start, 0, ready + ends - unit.done)),
                     inside.eq(Mux(unit.flush | unit.start, 0, inside + unit.launch - unit.done))]
        m.d.comb += [
            unit.walking.eq(walks), unit.done.eq(self.written & (ready != 0) & ~unit.flush),
            unit.in_flight.eq(~self.quiet), unit.trace_busy.eq(0),
            Assume(unit.first < _PASSES), Assume(~unit.start | ~busy), Assume(~unit.clear | ~busy),
            Assume(~(unit.start & unit.clear)), Assume(~unit.stop | busy)]
        if self._faults:  # they belong to a running pass, and stay until the flush is over
            fault, now = Signal(name="faulty"), Signal(name="faults_now")
            m.d.comb += [now.eq((unit.issue_fault != Status.OK) | unit.z_fault),
                         Assume(~now | fault | (inside != 0)), Assume(~fault | now)]
            m.d.sync += fault.eq(now & (busy | unit.flush))
        for name, waits, event in (
                ("walks", walks, ends), ("writes", ready != 0, unit.done | unit.flush),
                ("drains", unit.flush, self.quiet)):
            waited = Signal(range(_PATIENCE + 2), name=f"{name}_waited")
            m.d.sync += waited.eq(Mux(waits & ~event, waited + 1, 0))
            m.d.comb += Assume(waited <= _PATIENCE)
        return unit, busy


def _illegal():
    """A pass refused by the check: it is never launched, and its status ends the program."""
    world = _World(faults=False)

    def build(m):
        unit, busy = world.build(m)
        loader = world.loader
        judged, number = Signal(name="judged"), Signal.like(loader.number, name="number")
        bad, status = Signal(name="refused"), Signal(Status, name="refused_status")
        field, which = Signal(4, name="refused_field"), Signal.like(number, name="refused_number")
        good = Signal(range(_SLOTS + 2), name="good")  # accepted and not launched
        stopped = Signal(name="stopped")
        m.d.sync += [judged.eq(loader.loaded & ~unit.flush), number.eq(loader.number),
                     stopped.eq((stopped | unit.stop) & busy & ~unit.start)]
        refuses = judged & (loader.status != Status.OK) & ~bad
        m.d.sync += good.eq(Mux(unit.flush | unit.start, 0, good - unit.launch + (
            judged & (loader.status == Status.OK))))
        with m.If(unit.start):
            m.d.sync += bad.eq(0)
        with m.Elif(refuses):
            m.d.sync += [bad.eq(1), status.eq(loader.status), field.eq(loader.field),
                         which.eq(number)]
        ended = (unit.state == State.FAULT) | (unit.state == State.DONE)
        m.d.comb += [
            Assert(~unit.launch | (good != 0)), Assert(~(bad & busy) | ~loader.load),
            Assert(~(bad & ended) | stopped | (unit.status == Status.STOPPED) | (
                (unit.state == State.FAULT) & (unit.status == status)
                & (unit.field == field) & (unit.pass_ == which))),
            Assert((unit.state != State.DONE) | (unit.status == Status.OK)),
            Cover(bad & ended & (which == 2) & (status == Status.COUNT)),
            Cover((unit.state == State.DONE) & ~bad)]
        within(m, _PROGRESS, bad & busy, ended)
    return Bench(world.inputs, build)


def _ends():
    """STOP and a running pass's faults end the program; without them something always happens."""
    world = _World(faults=True)

    def build(m):
        unit, busy = world.build(m)
        stopping = Signal(name="stop_seen")
        m.d.sync += stopping.eq((stopping | unit.stop) & busy)
        moves = unit.launch | unit.done | world.loader.takes | ~busy
        faulty = (unit.issue_fault != Status.OK) | unit.z_fault
        within(m, _STOPPED, stopping, ~busy)
        within(m, _STOPPED, faulty & busy, ~busy)
        within(m, _PROGRESS, busy, moves)
        m.d.comb += [
            Assert(~unit.flush | busy | (unit.state == State.FAULT)),
            Assert((unit.state != State.DONE) | (unit.status == Status.OK)),
            Cover((unit.state == State.FAULT) & (unit.status == Status.STOPPED)),
            Cover((unit.state == State.FAULT) & (unit.status == Status.Z_ACCESS))]
    return Bench(world.inputs, build)


def _blind(original):
    """Fault: an outcome reports success for a refused pass."""
    def elaborate(self, platform):
        m = original(self, platform)
        with m.If(self.over & (self.end.status != Status.OK) & (self.state == State.BUSY)):
            m.d.sync += self.status.eq(Status.OK)
        return m
    return elaborate


def _deaf(original):
    """Fault: an outcome never sees a stop."""
    def elaborate(self, platform):
        return original(_Deaf(self), platform)
    return elaborate


class _Deaf:
    """An outcome whose stop is 0."""

    def __init__(self, unit):
        self._unit = unit
        self.stop  = Signal(name="no_stop")

    def __getattr__(self, name):
        return getattr(self._unit, name)


def _stuck(original):
    """Fault: a queue does not free a written pass's slot."""
    def elaborate(self, platform):
        m = original(self, platform)
        m.d.sync += self.full.eq(self.full | self.claim)
        return m
    return elaborate


PROPERTIES = (
    Property("program: illegal pass", "A pass that the check refuses is never launched; its "
             "status, field and number end the program, which loads no other", _illegal, 24,
             (Fault("a refused pass ends the program without its status", Outcome, "elaborate",
                    _blind),), Method.GATES),
    Property("program: end", f"STOP and a fault end a program within {_STOPPED} cycles beyond the "
             f"patience of its surroundings, and every {_PROGRESS} cycles of a running program "
             "load, launch or finish a pass: no deadlock", _ends, 44,
             (Fault("a stop is not seen", Outcome, "elaborate", _deaf),
              Fault("slots stay occupied", Queue, "elaborate", _stuck)), Method.GATES),
)
