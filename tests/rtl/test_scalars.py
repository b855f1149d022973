"""Scalars on the RTL against the golden machine: they are of elements as they are written."""

from dataclasses import replace

import pytest

from hdl.config import SIZES
from hdl.isa import Access, Adjust, Pass, Reduce, Shape, Width
from tests.support.rtl_device import assert_equals_machine

#: Results of 16 bits, most of them beyond 8: the maximum of low bytes is not that of words. So few
#: that the range of low bytes is sometimes narrow.
PASS = Pass(x=Access(40, 40, 99, outer=(0, 0, 4)), y=Access(20, 20, 20),
            z=Access(200, 200, 299, outer=(0, 0, 4)), outer=(1, 1, 1), x_shape=Shape.LANES,
            y_shape=Shape.LANES, x_width=Width.BITS16, y_width=Width.BITS16, shift=15,
            z_width=Width.BITS8, clip=(-(1 << 15), (1 << 15) - 1))
USER = replace(PASS, z=Access(400, 400, 499, outer=(0, 0, 4)), z_width=Width.BITS16, wait=True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("width", [Width.BITS8, Width.BITS16])
@pytest.mark.parametrize(("kinds", "use"), [
    ((Reduce.SUM,), {"inverted": True}), ((Reduce.SUM,), {"adjust": Adjust.PLACES}),
    ((Reduce.MAX, Reduce.MIN), {"anchored": True}),
    ((Reduce.MIN, Reduce.MAX), {"adjust": Adjust.SHIFT, "x_width": Width.BITS8})])
def test_scalars_of_what_is_written(size, width, kinds, use, rtl):
    folding = [replace(PASS, reduce=kind, z_width=width) for kind in kinds]
    for seed in range(4):
        assert_equals_machine(rtl(size), [*folding, replace(USER, **use)], seed=seed)
