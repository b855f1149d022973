# SPDX-License-Identifier: Apache-2.0
"""What a pass must not ask for: refused when it is packed, by one sentence each."""

from dataclasses import replace

import pytest

from tests.hdl.test_isa import SCALED, changed
from xymac.hdl.isa import (
    Access,
    Adjust,
    AguMode,
    Axis,
    Move,
    Op,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    Table,
    pack,
)

SHARE = {"op": Op.SHARE, "inverted": False, "anchored": False}


@pytest.mark.parametrize(("fields", "message"), [
    ({"outer": (1, 65536, 1)}, r"^outer\[1\] must be between 0 and 65535, not 65536$"),
    ({"taps": (1, 1)}, r"^taps must have 3 values, not 2$"),
    ({"hold": True, "beats": 4, "adjust": Adjust.NONE},
     r"^A pass that holds its sums cannot use .*: table TANH, reduce SUM, adjust NONE"),
    ({"resume": True},
     r"^A pass that resumes sums must be a MAC or a CROSS without a bias, not .* bias_row 5$"),
    ({"resume": True, "bias_row": None, "entry": 15},
     r"^A pass has 16 entries to hold or resume sums, not 2 from entry 15 on$"),
    ({"resume": True, "hold": True, "bias_row": None, "table": Table.NONE, "reduce": Reduce.NONE,
      "adjust": Adjust.NONE, "anchored": False, "inverted": False},
     r"^A pass that resumes and holds its sums must have 1 output for an entry, not 56$"),
    ({"back": 64}, r"^back must be between 0 and 63, not 64$"),
    ({"z": Access(0, 0, 9, mode=AguMode.MODULO, move=Move.FIRST)},
     r"^The base of a modulo access must not move, not by FIRST$"),
    ({"shift": 64}, r"^shift must be between -64 and 63, not 64$"),
    ({"clip": (0, 131072)}, r"^clip\[1\] must be between -131072 and 131071, not 131072$"),
    ({"beats": 8}, r"^beats must be between 0 and 7, not 8$"),
    ({"bias_row": 65536}, r"^bias_row must be between 0 and 65535, not 65536$"),
    ({"rows": Axis(-1, 1, 7)}, r"^rows\.pad must be between 0 and 65535, not -1$"),
    ({"x": Access(0, 0, 9, taps=(40000, 0, 0))},
     r"^x\.taps\[0\] must be between -32768 and 32767, not 40000$"),
    ({"x": Access(1 << 20, 0, 9)},
     r"^x\.agu\.start must be between -524288 and 524287, not 1048576$"),
    ({"y": Access(0, 0, 9, mode=AguMode.BIT_REVERSED)},
     r"^The window of a bit-reversed access must be a power of two long, not 10$"),
    ({"y": Access(0, 0, 9, (11, 0, 0), mode=AguMode.MODULO)},
     r"^Outer strides of a modulo access must be within its window of 10, not 11$"),
    ({"z": Access(-1, 0, 9, mode=AguMode.MODULO)},
     r"^The base of a modulo access must be in its window, not -1$"),
    ({"reduce": Reduce.MAX},
     r"^A pass cannot use the range that it makes: reduce MAX, anchored True, adjust PLACES$"),
    ({"reduce": Reduce.RANK},
     r"^A pass cannot use the range that it makes: reduce RANK, anchored True, adjust PLACES$"),
    ({"reduce": Reduce.RANK, "anchored": False, "resume": True},
     r"^A pass with reduce RANK must not hold, resume or scale sums: .*, resume True, scale NONE$"),
    ({"reduce": Reduce.POP, "anchored": False, "scale": Scale.BITS16},
     r"^A pass with reduce POP must not .*: hold False, resume False, scale BITS16$"),
    ({"reduce": Reduce.POP, "anchored": False, "hold": True},
     r"^A pass with reduce POP must not .*: hold True, resume False, scale NONE$"),
    ({"drop": 4}, r"^drop must be between 0 and 3, not 4$"),
    ({"x_shape": Shape.LANES, "x": Access(0, 0, 7, mode=AguMode.BIT_REVERSED)},
     r"^A bit-reversed access of X by lanes must have 1 beat, not 3$"),
    ({"zero": 32672, "table": Table.NONE},
     r"^A limit of the output and its zero point must add up to 16 bits, not 96 and 32672$"),
    ({"clip": (7, 6)}, r"^The lower limit of the output must not exceed the upper, not 7 and 6$"),
    ({"clip": (-130973, 96)},
     r"^A limit of the output and its zero point must add up to 18 bits, not -130973 and -100$"),
    ({"zero": -32769}, r"^zero must be between -32768 and 32767, not -32769$"),
    ({"addend": True}, r"^A pass with an addend must be scaled, not of scale NONE$"),
    ({"once": True}, r"^A pass with parameters once must be scaled, not of scale NONE$"),
    ({"rounding": RoundMode.TWICE},
     r"^A pass that rounds twice must be scaled, not of scale NONE$"),
    ({"table_rounding": RoundMode.TWICE}, r"^What is looked up must not be rounded twice$"),
    ({"floor": 16}, r"^floor must be between 0 and 15, not 16$"),
    ({"floor": 1, "op": Op.MIN}, r"^A pass that floors its sums must be a MAC, not MIN$"),
    ({"op": Op.CROSS, "x_shape": Shape.LANES},
     r"^A pass that crosses groups of X must have X by VECTOR, not by LANES$"),
    ({"reduce": Reduce.RANGE},
     r"^A pass cannot use the range that it makes: reduce RANGE, anchored True, adjust PLACES$"),
    ({"reduce": Reduce.RANGE, "anchored": False},
     r"^A pass with reduce RANGE must have X by LANES and 4 beats, not by VECTOR and 3$"),
    ({"op": Op.SHARE},
     r"^A pass that shares must have adjust PLACES and no .*, not anchored, inverted$"),
    (SHARE | {"adjust": Adjust.NONE, "scale": Scale.BITS16},
     r"^A pass that shares must .*, not scale BITS16, adjust NONE$"),
    (SHARE | {"resume": True, "bias_row": None}, r"^A pass that resumes sums must be a MAC"),
    (SHARE | {"floor": 3}, r"^A pass that shares must .*, not floor$"),
    ({"x_zero": 1}, r"^A zero point of X must be of 8-bit elements, not of BITS16$"),
])
def test_what_does_not_fit_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        pack(changed(**fields))


@pytest.mark.parametrize(("fields", "message"), [
    ({"anchored": True}, "anchored"), ({"adjust": Adjust.PLACES}, "adjust"),
    ({"inverted": True}, "inverted"), ({"shift": 1}, "shift"), ({"bias_row": None}, "no bias"),
    ({"hold": True, "table": Table.NONE, "reduce": Reduce.NONE}, "hold"),
    ({"resume": True, "bias_row": None, "shift": -1}, "resume, shift, no bias")])
def test_what_does_not_go_with_a_scale_is_refused(fields, message):
    with pytest.raises(ValueError, match=rf"^A scaled pass must have .* shift, not {message}$"):
        pack(replace(SCALED, **fields))


@pytest.mark.parametrize("zero", [-32641, 32641])
def test_zero_point_of_x_beyond_what_operands_hold_is_refused(zero):
    with pytest.raises(ValueError, match=rf"^x_zero must be between -32640 and 32640, not {zero}$"):
        pack(replace(SCALED, x_zero=zero))


def test_what_pops_may_use_the_range_once():
    assert pack(changed(reduce=Reduce.POP, outer=(1, 1, 1)))
    with pytest.raises(ValueError, match=r"^A pass cannot use the range that it makes: reduce POP"):
        pack(changed(reduce=Reduce.POP, outer=(1, 2, 1)))
