# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x softmax."""

from xymac.golden.mli1 import Softmax
from xymac.hdl.isa import TABLES, Adjust, RoundMode, Table
from xymac.host.frontend.mli1.elementwise import TABLE_SHIFT_MAX
from xymac.host.ir.fields import shift_fields
from xymac.host.ir.normalise import SoftmaxForm

__all__ = ["FORMS", "form_of"]


def form_of(layer, x):
    """The ``SoftmaxForm`` for a layer on a Tensor like ``x``."""
    powers = {"table": Table.EXP, "table_rounding": layer.rounding, **_exponents(x.frac_bits)}
    return SoftmaxForm(True, (powers,), x.bits, shift_fields(16 - x.bits, layer.rounding))


FORMS = {Softmax: form_of}


def _exponents(frac_bits):
    """Fields for a lookup of ``exp(element / 2**frac_bits)``.

    Halved elements have a fraction bit less. This reduces the table shift, or, beyond its limits,
    the shift before the table.
    """
    shift  = frac_bits - TABLES[Table.EXP].frac_bits
    inside = min(max(shift, 0), TABLE_SHIFT_MAX)
    return {"clip": (-(1 << 15), (1 << 15) - 1), "table_shift": inside,
            "adjust": Adjust.TABLE if 0 < shift <= TABLE_SHIFT_MAX else Adjust.SHIFT,
            **shift_fields(shift - inside, RoundMode.FLOOR)}
