# SPDX-License-Identifier: Apache-2.0
"""Steps: the microcode in a block RAM, and the step number."""

from amaranth import Mux, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory

from .microcode import CODE, Event, First, Gate, Go, Slot, target_of

__all__ = ["Steps"]

_COLUMNS = 5  # events of a row: an event is a row and a column, so that the code fits a block RAM
_ROWS    = -(-(len(Event) - 1) // _COLUMNS)
#: Fields of a step for the cycle after it; ``NONE`` has no row.
_OPERANDS = {"first": First, "word": 1, "base": 1, "size": 1, "list": 1, "limit": 1, "minus": 1,
             "carry": 1, "small": 1, "large": 1, "gate": Gate, "inner": 1, "signed": 1}
_NOW  = data.StructLayout({"at": range(len(CODE)), "go": Go, "slot": Slot})
_LATE = data.StructLayout(_OPERANDS | {"row": _ROWS, "column": _COLUMNS, "stores": 1,
                                       "store": Slot})


class Steps:
    """The step taken by ``Decode``: some fields at once, the others in the next cycle.

    The others come from a block RAM and its output register, which know no reset. So a waiting step
    is repeated, and so is step 1. The fields at once are registers: a step leads to the following
    step or to a fixed other step, whose fields are chosen together with its number.

    Parameters
    ----------
    m : Module of ``Decode``

    Attributes
    ----------
    go, slot : step fields
    holds : whether the step is repeated; jumps : whether it is left for its other step
    late : the other fields, for the step of the cycle before
    intact : step 1 has come out of the block RAM as it should: without initial values, none does
    """

    def __init__(self, m):
        now   = Signal(_NOW, init=_now(0), name="now")
        after = Signal(_NOW, name="next")
        follows, target = Signal(_NOW, name="follows"), Signal(_NOW, name="target")
        self.late = late = Signal(_LATE, name="late", reset_less=True)
        self.holds, self.jumps = Signal(name="holds"), Signal(name="jumps")
        self.intact = Signal(name="intact")
        self.go, self.slot = now.go, now.slot
        with m.Switch(now.at):
            for number, step in enumerate(CODE):
                with m.Case(number):
                    m.d.comb += [follows.eq(_NOW.const(_now((number + 1) % len(CODE)))),
                                 target.eq(_NOW.const(_now(target_of(step))))]
        m.d.comb += after.eq(Mux(self.holds, now, Mux(self.jumps, target, follows)))
        m.submodules.code = memory = Memory(
            shape=len(late.as_value()), depth=1 << len(now.at), init=[_word(step) for step in CODE],
            attrs={"ram_style": "block"})
        reader = memory.read_port()
        m.d.comb += reader.addr.eq(after.at)
        m.d.sync += [now.eq(after), late.as_value().eq(reader.data),
                     self.intact.eq(self.intact | (late.as_value() == _word(CODE[1])))]

    def marks(self, event):
        """Whether the step of the cycle before has the Event."""
        row, column = divmod(event.value - 1, _COLUMNS)
        return self.late.row[row] & self.late.column[column]


def _now(number):
    """Fields at once for the step ``number``, a dict."""
    step = CODE[number]
    return {"at": number, "go": step.go, "slot": step.slot}


def _word(step):
    """Content of the block RAM for a step, int."""
    row, column = divmod(step.event.value - 1, _COLUMNS)
    return _LATE.const({name: getattr(step, name) for name in _OPERANDS} | {
        "row": 1 << row if step.event.value else 0, "column": 1 << column,
        "stores": step.store is not None, "store": step.store or Slot.KIND}).as_bits()
