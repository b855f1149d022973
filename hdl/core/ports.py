# SPDX-License-Identifier: Apache-2.0
"""Interfaces between the blocks of a core, each seen from its source."""

from amaranth import Shape, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import SLOTS
from xymac.hdl.isa import BIAS_BITS, TRACE_STRIDE, Encoded, Flag, Place, State, Status

from .fetch.loader import PlaceWrite, ProgramWrite, Starts
from .fetch.scan import Rows
from .loop_nest import LoopSlots
from .reduction import Range, Scalars
from .scale import Mode, Record
from .step import Stall, Step
from .tables import TableWrite
from .trace import Wrote
from .xmem import Write

__all__ = [
    "Control", "Elements", "HostFound", "HostTrace", "HostWrites", "Issuing", "Launch", "Load",
    "MemoryWrites", "Passes", "ProgramState", "RegisterBus", "Results", "Running", "Scaling",
    "Stalls", "Steps", "Sums", "TraceBus", "Written", "forward", "join"]

_SLOT = range(SLOTS)


def join(m, signature, source, *sinks):
    """Connect the members of ``signature`` between a source and its sinks, by name.

    Source and sinks are blocks, or interfaces of blocks. A sink may lack members that it has no
    use for; a member that flows to the source comes from a single one of them. ValueError
    otherwise, for a sink without any member, and for a shape other than declared;
    ``wiring.ConnectionError`` for different widths or directions.
    """
    for name, member in signature.members.items():
        shape, found = (Shape.cast(each.shape) for each in (member, source.signature.members[name]))
        if shape != found:
            raise ValueError(f"{name} must be {shape!r}, not {found!r}")
        givers = sum(name in sink.signature.members for sink in sinks)
        if member.flow is In and givers != 1:
            raise ValueError(f"{name} must have 1 source, not {givers}")
    for sink in sinks:
        names = [name for name in signature.members if name in sink.signature.members]
        if not names:
            raise ValueError(f"{type(sink).__name__} has none of {', '.join(signature.members)}")
        wiring.connect(m, _Part(source, names), _Part(sink, names))


def forward(m, members, outer, inner):
    """Connect the ``members`` of a component to the equal ones of a block within it."""
    for name, member in members.items():
        mine, its = getattr(outer, name), getattr(inner, name)
        m.d.comb += its.eq(mine) if member.flow == In else mine.eq(its)


class _Part:
    """Some members of an interface, as an interface."""

    def __init__(self, whole, names):
        members = whole.signature.members
        self.signature = wiring.Signature({name: members[name] for name in names})
        for name in names:
            setattr(self, name, getattr(whole, name))


def _number(passes):
    """Shape of a pass number, with a bit more for the number past the end."""
    return unsigned(exact_log2(passes) + 1)


#: A pass on its way: ``coming``, the pass being loaded into the slot ``loading``; its start
#: addresses ``moved`` and the place ``found`` of its table, both a cycle later. ``live``: the
#: slots with passes that run. ``flush``: discard unissued work.
Passes = wiring.Signature({
    "coming": Out(Encoded), "moved": Out(Starts), "found": Out(Place), "loading": Out(SLOTS),
    "live": Out(SLOTS), "flush": Out(1)})
#: Start of the loop sequencer, which is ``walking`` until it has sent all outputs.
Launch = wiring.Signature({"launch": Out(1), "loop_slots": Out(LoopSlots), "walking": In(1)})
#: Fault of an access at issue; ``starved``: the stall cause while issue has no output.
Issuing = wiring.Signature({
    "issue_fault": Out(Status), "issue_slot": Out(_SLOT), "starved": In(Stall)})
#: Cause of a cycle without a step, and the pass that issues its last step; while ``closed``, no
#: pass may issue it.
Stalls = wiring.Signature({
    "stall": Out(Stall), "pass_issued": Out(1), "issued_slot": Out(_SLOT), "closed": In(1)})
#: A step to the array, and the mode of its accumulators.
Steps = wiring.Signature({"step": Out(Step), "mode": Out(Mode)})
#: The scalars of a reduction, for the output stages.
Scaling = wiring.Signature({"scalars": Out(Scalars)})
#: A result vector on its way to a memory; ``folding``: the reduction still works on one.
Results = wiring.Signature({
    "written": Out(1), "written_slot": Out(_SLOT), "written_final": Out(1), "folding": In(1)})
#: Progress of the outputs: those in flight, those still to be written, the end of a pass, faults.
Written = wiring.Signature({
    "in_flight": Out(1), "unwritten": Out(1), "done": Out(1), "overflow_seen": Out(1),
    "z_fault": Out(1), "z_slot": Out(_SLOT)})
#: Access of the host to a register.
RegisterBus = wiring.Signature({
    "register": Out(8), "register_data": Out(32), "register_write": Out(4),
    "register_word": In(32), "register_known": In(1)})
#: A write of the host to X or Y, for the monitor.
HostWrites = wiring.Signature({"wrote": Out(Wrote)})


def Control(passes):
    """Commands to a program: start at pass ``first``, clear its end, stop."""
    return wiring.Signature({"start": Out(1), "clear": Out(1), "stop": Out(1),
                             "first": Out(_number(passes))})


def ProgramState(passes):
    """State of a program, and its end: status, field and pass at fault."""
    return wiring.Signature({"state": Out(State), "status": Out(Status), "field": Out(4),
                             "pass_": Out(_number(passes))})


def Running(passes):
    """Passes in the slots, for the trace: windows, numbers; ``trace_busy``: a record waits."""
    return wiring.Signature({
        "rows": Out(Rows), "turn": Out(4), "again": Out(SLOTS),
        "index": Out(data.ArrayLayout(_number(passes), SLOTS)), "trace_busy": In(1)})


def Sums(ways):
    """Accumulators of the columns, and the range of the X elements; see ``Array``."""
    return wiring.Signature({
        "acc": Out(data.ArrayLayout(signed(BIAS_BITS), ways)), "valid": Out(ways),
        "record": Out(data.ArrayLayout(Record, ways)), "arriving": Out(1), "range": Out(Range)})


def Elements(ways):
    """Elements of the columns, their arrival, and the marks of their outputs."""
    return wiring.Signature({
        "elements": Out(data.ArrayLayout(16, ways)), "overflow": Out(ways), "arrives": Out(1),
        "soon": In(1), "last": In(1), "short": In(1), "keep": In(1)})


def MemoryWrites(ways, *, dma):
    """Write port of X and Y; with a DMA, of X, and another of Y."""
    names = ("write", "data", "write_y", "data_y")[:4 if dma else 2]
    shapes = (Write(ways), data.ArrayLayout(16, ways)) * 2
    return wiring.Signature({name: Out(shape) for name, shape in zip(names, shapes, strict=False)})


def HostFound(ways):
    """Words of X and Y that are read for the host."""
    return wiring.Signature({"x_found": Out(data.ArrayLayout(16, ways)), "x_valid": Out(1),
                             "y_found": Out(16), "y_valid": Out(1)})


def Load(passes):
    """Writes to program memory, tables and the places of tables."""
    return wiring.Signature({"program": Out(ProgramWrite(passes)), "program_enable": Out(1),
                             "table": Out(TableWrite), "place": Out(PlaceWrite)})


def TraceBus(passes):
    """Access of the host to the trace and to the counters."""
    return wiring.Signature({
        "trace_address": Out(range(passes * TRACE_STRIDE)), "trace_word": In(32),
        "counts": Out(1), "number": Out(range(TRACE_STRIDE)), "counted": In(1)})


def HostTrace(*, dma):
    """Counters and flags for the registers; with a DMA its stalls, and the state of a list."""
    lists = {"dma_stall": Out(32), "begins": In(1), "listing": In(1)} if dma else {}
    return wiring.Signature({"count": Out(32), "flags": Out(Flag)} | lists)
