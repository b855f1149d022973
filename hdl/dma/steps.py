# SPDX-License-Identifier: Apache-2.0
"""Steps: the step number, and the fields of ``microcode`` that follow from it, in LUTs."""

from amaranth import Const, Mux, Signal
from amaranth.lib import data

from xymac.hdl.arith import delay

from .microcode import CODE, Add, First, Gate, Read, Slot, target_of

__all__ = ["Steps"]

#: Fields of a step for the cycle after it, in which its operand is chosen.
_LATE = data.StructLayout({
    "first": First, "word": 1, "base": 1, "size": 1, "list": 1, "limit": 1, "minus": 1, "carry": 1,
    "small": 1, "large": 1, "gate": Gate, "inner": 1, "signed": 1, "stores": 1, "store": Slot})


class Steps:
    """The step taken by ``Decode``: some fields at once, the others in the cycles after it.

    Each field bit is a function of the step number, two levels of LUTs with four inputs.

    Parameters
    ----------
    m : Module of ``Decode``

    Attributes
    ----------
    slot : Slot to read
    holds : whether the step is repeated; jumps : whether it is left for its other step
    late : the other fields, for the step of the cycle before, whose operand is chosen
    reads : {Read: whether that step has it}
    stores, store : store of the step before that, whose operand is added
    adds : {Add: whether that step has it}
    """

    def __init__(self, m):
        self._m  = m
        self._at = at = Signal(range(len(CODE)), name="step")
        self.slot = self._field("slot", Slot.as_shape().width, lambda step: step.slot.value)
        self.late = late = Signal(_LATE, name="late")
        self.holds, self.jumps = Signal(name="holds"), Signal(name="jumps")
        self.stores, self.store = Signal(name="stores"), Signal.like(self.slot)
        target = self._field("target", len(at), target_of)
        m.d.sync += [
            at.eq(Mux(self.holds, at, Mux(self.jumps, target, at + 1))),
            late.as_value().eq(self._field("fields", _LATE.size, _late)),
            self.stores.eq(late.stores), self.store.eq(late.store.as_value())]
        self.reads = {event: self._mark(event, "read", 1) for event in Read}
        self.adds  = {event: self._mark(event, "add", 2) for event in Add}

    def goes(self, go):
        """Whether the step has the Go."""
        return self._field(f"goes_{go.name.lower()}", 1, lambda step: step.go is go)

    def _mark(self, event, name, cycles):
        """Whether the step ``cycles`` before has the event in its field ``name``."""
        text = f"{name}_{event.name.lower()}"
        now  = self._field(text, 1, lambda step: getattr(step, name) is event)
        return delay(self._m, now, cycles, name=f"{text}_late")

    def _field(self, name, width, value):
        """A Signal of ``width`` bits with ``value(step)``, an int, for the step."""
        field  = Signal(width, name=name)
        values = [int(value(step)) for step in CODE]
        for bit in range(width):
            column = sum((value >> bit & 1) << place for place, value in enumerate(values))
            self._m.d.comb += field[bit].eq(
                Const(column, 1 << len(self._at)).bit_select(self._at, 1))
        return field


def _late(step):
    return _LATE.const({name: getattr(step, name) for name in _LATE.members if name not in (
        "stores", "store")} | {"stores": step.store is not None, "store": step.store or Slot.KIND}
    ).as_bits()
