"""What the output stages need of a pass, with the scalars that it uses already in place."""

from amaranth import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.config import SLOTS
from hdl.isa import SHIFT_MAX, SHIFT_MIN, Adjust, Encoded, Place, Table, table_of

from .lookup import OutputConfig
from .reduction import Scalars

__all__ = ["Adjuster"]


class Adjuster(wiring.Component):
    """Take the fields of each pass for the output stages, and add what scalars change in them.

    Scalars, like passes, stand long before a pass uses them. Latency ``LATENCY`` cycles, throughput
    1 set of fields a cycle, no backpressure. Takes no parameters.

    Members
    -------
    passes : In(``SLOTS`` Encoded), places : In(``SLOTS`` Place), of their tables; scalars :
        In(Scalars)
    o : Out(``SLOTS`` OutputConfig)
    """

    LATENCY = 3

    def __init__(self):
        super().__init__({"passes": In(data.ArrayLayout(Encoded, SLOTS)),
                          "places": In(data.ArrayLayout(Place, SLOTS)), "scalars": In(Scalars),
                          "o": Out(data.ArrayLayout(OutputConfig, SLOTS))})

    def elaborate(self, platform):
        m = Module()
        scalars = self.scalars
        config  = Signal(data.ArrayLayout(OutputConfig, SLOTS), reset_less=True)
        m.d.comb += self.o.eq(config)
        for pass_, place, target in zip(self.passes, self.places, config, strict=True):
            wide   = scalars.wide_range[pass_.x_width.as_value()]
            anchor = scalars.anchor[pass_.x_width.as_value()]
            more, shift = Signal(signed(6)), Signal(signed(8))
            m.d.sync += [
                more.eq(Mux(pass_.adjust == Adjust.PLACES, scalars.places,
                            Mux(wide & (pass_.adjust == Adjust.SHIFT), -1, 0))),
                shift.eq(pass_.shift + more),
                target.shift.eq(Mux(shift > SHIFT_MAX, SHIFT_MAX,
                                    Mux(shift < SHIFT_MIN, SHIFT_MIN, shift))),
                target.table_shift.eq(pass_.table_shift - (
                    wide & (pass_.adjust == Adjust.TABLE) & (pass_.table_shift != 0))),
                target.anchor.eq(Mux(pass_.anchored, anchor, 0)),
                target.halve.eq(pass_.anchored & wide),
                target.inverse.eq(scalars.inverse), target.inverted.eq(pass_.inverted),
                target.rounding.eq(pass_.rounding), target.acc_range.eq(pass_.acc_range),
                target.clip.eq(pass_.clip), target.wide.eq(pass_.z_width),
                target.zero.eq(pass_.zero), target.hold.eq(pass_.hold),
                target.looks.eq(table_of(pass_) != Table.NONE), target.place.eq(place),
                target.table_rounding.eq(pass_.table_rounding)]
        return m
