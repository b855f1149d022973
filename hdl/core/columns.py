# SPDX-License-Identifier: Apache-2.0
"""Columns: from finished accumulators to elements, a column a cycle behind the previous one."""

from amaranth import Module, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.config import SLOTS
from xymac.hdl.isa import BIAS_BITS, Encoded, Place, Scale
from xymac.hdl.limits import check_between, check_slots, check_vendor, check_ways

from .output import OutputStage
from .reduction import Scalars
from .scalar_override import ScalarOverride
from .scale import Mode, Record, ScaleUnit
from .tables import COLUMNS, Tables, TableWrite

__all__ = ["Columns"]

_STEPS_MAX = 64  # most cycles from a step to its accumulator


class Columns(wiring.Component):
    """Scale, shift, clip and look up the accumulators of every column.

    Each column has a ``ScaleUnit`` and an ``OutputStage``; two columns share ``Tables``. Pass
    fields and modes enter at the first column and move on a column a cycle, as the accumulators
    do. Latency ``OutputStage.LATENCY`` cycles from an accumulator to its element,
    ``ScaleUnit.LATENCY - OutputStage.PRODUCT`` more if scaled; throughput 1 accumulator a cycle
    and column, no backpressure.

    Parameters
    ----------
    ways : int, columns: 1, 2 or 4
    slots : int, passes in flight, 2 or 4
    first_sum : int, cycles from the last step of an output to its first accumulator
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    TypeError unless an int, ValueError out of range.

    Members
    -------
    coming : In(Encoded), found : In(Place), loading : In(``SLOTS``), start : In(1), scalars :
        In(Scalars), soon, last, short, keep : In(1), see ``ScalarOverride``
    mode : In(Mode), with a step; table : In(TableWrite)
    acc : In(``ways`` signed(48)), valid : In(``ways``), record : In(``ways`` Record), see ``Array``
    arriving : In(1), the first column has an accumulator in the next cycle; arrives : Out(1), the
        first output stage starts on it in the next cycle
    elements : Out(``ways`` 16-bit words), overflow : Out(``ways``), see ``OutputStage``
    """

    def __init__(self, *, ways, slots, first_sum, vendor=None):
        self._ways, self._vendor = check_ways(ways), check_vendor(vendor)
        self._slots     = check_slots(slots)
        self._first_sum = check_between("First sum", first_sum, 1, _STEPS_MAX)
        super().__init__({
            "coming": In(Encoded), "found": In(Place), "loading": In(SLOTS), "start": In(1),
            "scalars": In(Scalars), "soon": In(1), "last": In(1), "short": In(1), "keep": In(1),
            "mode": In(Mode), "table": In(TableWrite),
            "acc": In(data.ArrayLayout(signed(BIAS_BITS), ways)), "valid": In(ways),
            "record": In(data.ArrayLayout(Record, ways)), "arriving": In(1), "arrives": Out(1),
            "elements": Out(data.ArrayLayout(16, ways)), "overflow": Out(ways)})

    def elaborate(self, platform):
        m = Module()
        self._arrive(m)
        # A new mode arrives a cycle before its first accumulator and after all earlier ones.
        mode    = delay(m, self.mode, self._first_sum + 1, name="mode")
        inverse = delay(m, self.scalars.inverse, 1, name="inverse")
        config  = self._adjust(m)
        for column in range(self._ways):
            config = self._column(m, column, mode, inverse, config)
            mode   = delay(m, mode, 1, name=f"mode{column}")
        return m

    def _arrive(self, m):
        """Mark arrivals at the first output stage: accumulators, or their products if scaled."""
        longer = ScaleUnit.LATENCY - OutputStage.PRODUCT
        scales = delay(m, self.mode.scale != Scale.NONE, self._first_sum - 1, name="scales")
        late   = delay(m, self.arriving & scales, longer, name="late")
        m.d.comb += self.arrives.eq(late | (self.arriving & ~scales))

    def _adjust(self, m):
        """Read the pass fields of the accumulators; returns the first column's."""
        m.submodules.override = adjust = ScalarOverride(slots=self._slots)
        m.d.comb += [adjust.table.eq(self.found), adjust.restart.eq(self.start), *(
            getattr(adjust, name).eq(getattr(self, name)) for name in (
                "coming", "loading", "scalars", "soon", "last", "short", "keep"))]
        return adjust.o

    def _column(self, m, column, mode, inverse, config):
        """Add a column's stages; returns the pass fields for the next column."""
        m.submodules[f"output_{column}"] = stage = OutputStage(vendor=self._vendor)
        m.submodules[f"scale_{column}"] = scale = ScaleUnit(vendor=self._vendor)
        acc = self.acc[column]
        m.d.comb += [scale.acc.eq(acc), scale.valid.eq(self.valid[column]),
                     scale.record.eq(self.record[column]), scale.mode.eq(mode),
                     scale.inverse.eq(inverse), stage.product.eq(scale.product),
                     stage.post.eq(scale.post), stage.beyond.eq(scale.beyond),
                     stage.config.eq(config), stage.acc.eq(acc),
                     self.elements[column].eq(stage.o), self.overflow[column].eq(stage.overflow)]
        name = f"tables_{column // COLUMNS * COLUMNS}"
        if column % COLUMNS == 0:
            m.submodules[name] = tables = Tables(columns=min(self._ways - column, COLUMNS))
            m.d.comb += tables.write.eq(self.table)
        wiring.connect(m, stage.tables, getattr(m.submodules, name).readers[column % COLUMNS])
        return stage.next_config
