# SPDX-License-Identifier: Apache-2.0
"""Steps: the microcode as logic, and the step number."""

from amaranth import Cat, Const, Mux, Signal
from amaranth.lib import data

from .microcode import CODE, Event, First, Gate, Go, Slot

__all__ = ["Steps"]

#: Fields of a step for the cycle after it.
_OPERANDS = {"first": First, "word": 1, "base": 1, "size": 1, "list": 1, "limit": 1, "minus": 1,
             "carry": 1, "small": 1, "large": 1, "gate": Gate, "inner": 1, "signed": 1,
             "event": Event}
_LATE = data.StructLayout(_OPERANDS | {"stores": 1, "store": Slot})

class Steps:
    """The step taken by ``Decode``: some fields at once, the others in the next cycle.

    Parameters
    ----------
    m : Module of ``Decode``

    Attributes
    ----------
    go, slot, inner, dense : step fields
    goes : strobe, the step is left or repeated; stays : it is repeated
    late : the other fields, for a step left in the cycle before, else 0, which does nothing
    """

    def __init__(self, m):
        at, now = Signal(range(len(CODE)), name="at"), Signal(_LATE, name="now")
        self.late = late = Signal(_LATE, name="late")
        self.goes, self.stays = Signal(name="goes"), Signal(name="stays")
        self._to, self._jumps = Signal.like(at, name="to"), Signal(name="jumps")
        self.go, self.slot    = Signal(Go, name="go"), Signal(Slot, name="slot")
        self.inner, self.dense = now.inner, Signal(name="now_dense")
        with m.Switch(at):
            for number, step in enumerate(CODE):
                with m.Case(number):
                    m.d.comb += [self.go.eq(step.go), self.slot.eq(step.slot),
                                 self.dense.eq(step.dense), now.stores.eq(step.store is not None),
                                 now.store.eq(step.store or Slot.KIND),
                                 *(now[name].eq(getattr(step, name)) for name in _OPERANDS)]
        m.d.sync += late.as_value().eq(Mux(self.goes, now.as_value(), 0))
        with m.If(self.goes & ~self.stays):
            m.d.sync += at.eq(Mux(self._jumps, self._to, at + 1))

    def jump(self, number, condition):
        """Statement: with ``condition`` the next step is ``number``."""
        return Cat(self._to, self._jumps).eq(Cat(Const(number, len(self._to)), condition))
