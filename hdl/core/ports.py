# SPDX-License-Identifier: Apache-2.0
"""Interfaces between a core's blocks, with directions as seen from the source."""

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

    Source and sinks are blocks or block interfaces. A sink may lack members; a member that flows to
    the source exists in exactly one sink. ValueError otherwise, for a sink without any member, and
    for a shape other than declared; ``wiring.ConnectionError`` for different widths or
    directions.
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
    """Connect the ``members`` of a component to the same members of its subblock ``inner``."""
    for name, member in members.items():
        outside, inside = getattr(outer, name), getattr(inner, name)
        m.d.comb += inside.eq(outside) if member.flow == In else outside.eq(inside)


class _Part:
    """An interface with some members of another interface."""

    def __init__(self, whole, names):
        members = whole.signature.members
        self.signature = wiring.Signature({name: members[name] for name in names})
        for name in names:
            setattr(self, name, getattr(whole, name))


def _number(passes):
    """Shape of a pass number; a further bit represents the number past the end."""
    return unsigned(exact_log2(passes) + 1)


#: Fetched passes. ``coming``: the pass being loaded into the slot ``loading``; ``moved``, its start
#: addresses, and ``found``, its table's place, follow a cycle later. ``live``: slots with running
#: passes. ``flush``: discard unissued work.
Passes = wiring.Signature({
    "coming": Out(Encoded), "moved": Out(Starts), "found": Out(Place), "loading": Out(SLOTS),
    "live": Out(SLOTS), "flush": Out(1)})
#: Start of the loop sequencer; ``walking`` until it has sent all outputs.
Launch = wiring.Signature({"launch": Out(1), "loop_slots": Out(LoopSlots), "walking": In(1)})
#: Access fault at issue; ``starved``: the stall cause while issue has no output.
Issuing = wiring.Signature({
    "issue_fault": Out(Status), "issue_slot": Out(_SLOT), "starved": In(Stall)})
#: ``stall``: cause of a cycle without a step. ``pass_issued``: the pass in ``issued_slot`` issues
#: its last step; no pass may do so while ``closed``.
Stalls = wiring.Signature({
    "stall": Out(Stall), "pass_issued": Out(1), "issued_slot": Out(_SLOT), "closed": In(1)})
#: A step for the array, and its accumulators' mode.
Steps = wiring.Signature({"step": Out(Step), "mode": Out(Mode)})
#: Reduction scalars for the output stages.
Scaling = wiring.Signature({"scalars": Out(Scalars)})
#: A result vector to be written; ``folding``: the reduction still processes a result.
Results = wiring.Signature({
    "written": Out(1), "written_slot": Out(_SLOT), "written_final": Out(1), "folding": In(1)})
#: Output progress: outputs in flight, unwritten outputs, the end of a pass, faults.
Written = wiring.Signature({
    "in_flight": Out(1), "unwritten": Out(1), "done": Out(1), "overflow_seen": Out(1),
    "z_fault": Out(1), "z_slot": Out(_SLOT)})
#: Host access to a register.
RegisterBus = wiring.Signature({
    "register": Out(8), "register_data": Out(32), "register_write": Out(4),
    "register_word": In(32), "register_known": In(1)})
#: Host write to X or Y, for the monitor.
HostWrites = wiring.Signature({"wrote": Out(Wrote)})


def Control(passes):
    """Program commands: start at pass ``first``, clear the end status, stop."""
    return wiring.Signature({"start": Out(1), "clear": Out(1), "stop": Out(1),
                             "first": Out(_number(passes))})


def ProgramState(passes):
    """Program state, and status, field and pass number at its end."""
    return wiring.Signature({"state": Out(State), "status": Out(Status), "field": Out(4),
                             "pass_": Out(_number(passes))})


def Running(passes):
    """Windows and numbers of the passes in the slots; ``trace_busy``: a trace record waits."""
    return wiring.Signature({
        "rows": Out(Rows), "turn": Out(4), "again": Out(SLOTS),
        "index": Out(data.ArrayLayout(_number(passes), SLOTS)), "trace_busy": In(1)})


def Sums(ways):
    """Column accumulators, and the X elements' range; see ``Array``."""
    return wiring.Signature({
        "acc": Out(data.ArrayLayout(signed(BIAS_BITS), ways)), "valid": Out(ways),
        "record": Out(data.ArrayLayout(Record, ways)), "arriving": Out(1), "range": Out(Range)})


def Elements(ways):
    """Column elements, their arrival, and their outputs' marks."""
    return wiring.Signature({
        "elements": Out(data.ArrayLayout(16, ways)), "overflow": Out(ways), "arrives": Out(1),
        "soon": In(1), "last": In(1), "short": In(1), "keep": In(1)})


def MemoryWrites(ways, *, dma):
    """Common write port for X and Y; with a DMA, a port for X and a port for Y."""
    names = ("write", "data", "write_y", "data_y")[:4 if dma else 2]
    shapes = (Write(ways), data.ArrayLayout(16, ways)) * 2
    return wiring.Signature({name: Out(shape) for name, shape in zip(names, shapes, strict=False)})


def HostFound(ways):
    """X and Y words read for the host."""
    return wiring.Signature({"x_found": Out(data.ArrayLayout(16, ways)), "x_valid": Out(1),
                             "y_found": Out(16), "y_valid": Out(1)})


def Load(passes):
    """Writes to program memory, table memory and table places."""
    return wiring.Signature({"program": Out(ProgramWrite(passes)), "program_enable": Out(1),
                             "table": Out(TableWrite), "place": Out(PlaceWrite)})


def TraceBus(passes):
    """Host access to the trace and the counters."""
    return wiring.Signature({
        "trace_address": Out(range(passes * TRACE_STRIDE)), "trace_word": In(32),
        "counts": Out(1), "number": Out(range(TRACE_STRIDE)), "counted": In(1)})


def HostTrace(*, dma):
    """Counters and flags for the registers; with a DMA, its stalls and the list state too."""
    lists = {"dma_stall": Out(32), "begins": In(1), "listing": In(1)} if dma else {}
    return wiring.Signature({"count": Out(32), "flags": Out(Flag)} | lists)
