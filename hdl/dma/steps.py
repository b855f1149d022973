# SPDX-License-Identifier: Apache-2.0
"""Steps: the microcode in a block RAM, and the step number."""

from amaranth import Cat, Const, Mux, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory

from .microcode import CODE, Event, First, Gate, Go, Slot

__all__ = ["Steps"]

_COLUMNS = 5  # events of a row: an event is a row and a column, so that the code fits a block RAM
_ROWS    = -(-(len(Event) - 1) // _COLUMNS)
#: Fields of a step for the cycle after it; ``NONE`` has no row.
_OPERANDS = {"first": First, "word": 1, "base": 1, "size": 1, "list": 1, "limit": 1, "minus": 1,
             "carry": 1, "small": 1, "large": 1, "gate": Gate, "inner": 1, "signed": 1}
_LATE = data.StructLayout(_OPERANDS | {"row": _ROWS, "column": _COLUMNS, "stores": 1,
                                       "store": Slot})


class Steps:
    """The step taken by ``Decode``: some fields at once, the others in the next cycle.

    The others come from a block RAM and its output register, which know no reset. So a waiting step
    is repeated, and so is step 1.

    Parameters
    ----------
    m : Module of ``Decode``

    Attributes
    ----------
    go, slot, inner, dense : step fields
    goes : strobe, the step is left or repeated; stays : it is repeated
    late : the other fields, for the step of the cycle before
    intact : step 1 has come out of the block RAM as it should: without initial values, none does
    """

    def __init__(self, m):
        at, after = Signal(range(len(CODE)), name="at"), Signal(range(len(CODE)), name="next_at")
        self.late = late = Signal(_LATE, name="late", reset_less=True)
        self.goes, self.stays = Signal(name="goes"), Signal(name="stays")
        self.intact = Signal(name="intact")
        self._to, self._jumps = Signal.like(at, name="to"), Signal(name="jumps")
        self.go, self.slot    = Signal(Go, name="go"), Signal(Slot, name="slot")
        self.inner, self.dense = Signal(name="now_inner"), Signal(name="now_dense")
        with m.Switch(at):
            for number, step in enumerate(CODE):
                with m.Case(number):
                    m.d.comb += [self.go.eq(step.go), self.slot.eq(step.slot),
                                 self.inner.eq(step.inner), self.dense.eq(step.dense)]
        m.d.comb += after.eq(Mux(self.goes & ~self.stays, Mux(self._jumps, self._to, at + 1), at))
        m.submodules.code = memory = Memory(
            shape=len(late.as_value()), depth=1 << len(at), init=[_word(step) for step in CODE],
            attrs={"ram_style": "block"})
        reader = memory.read_port()
        m.d.comb += reader.addr.eq(after)
        m.d.sync += [at.eq(after), late.as_value().eq(reader.data),
                     self.intact.eq(self.intact | (late.as_value() == _word(CODE[1])))]

    def marks(self, event):
        """Whether the step of the cycle before has the Event."""
        row, column = divmod(event.value - 1, _COLUMNS)
        return self.late.row[row] & self.late.column[column]

    def jump(self, number, condition):
        """Statement: with ``condition`` the next step is ``number``."""
        return Cat(self._to, self._jumps).eq(Cat(Const(number, len(self._to)), condition))


def _word(step):
    """Content of the block RAM for a step, int."""
    row, column = divmod(step.event.value - 1, _COLUMNS)
    return _LATE.const({name: getattr(step, name) for name in _OPERANDS} | {
        "row": 1 << row if step.event.value else 0, "column": 1 << column,
        "stores": step.store is not None, "store": step.store or Slot.KIND}).as_bits()
