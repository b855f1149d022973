"""Softmax of MLI 2.0."""

from golden.mli2 import Softmax
from hdl.isa import TABLES, Table
from host.lower.fields.mli2 import affine_clip
from host.lower.sweep import container_clip
from host.lower.table.mli2 import affine_argument, table_fields

from .form import SoftmaxForm

__all__ = ["FORMS", "form_of"]

_UNIT = 15  #: Fractional bits of an exponential, and of the inverse of a sum of 1.


def form_of(layer, x):
    """The ``SoftmaxForm`` of a layer for a QuantTensor like ``x``."""
    mode = layer.build.rounding
    if not x.is_affine:
        powers = table_fields(Table.EXP_FINE, x.format.frac_bits, mode)
        return SoftmaxForm(False, (powers,), x.bits, {"shift": 0, "rounding": mode},
                           axis=layer.axis)
    record, powers = affine_argument(TABLES[Table.EXP_FINE], Table.EXP_FINE, x.format, mode)
    share = {"shift": _UNIT - layer.out.scale_frac_bits, "rounding": mode,
             **affine_clip(container_clip(x.bits), layer.out.zero_point)}
    return SoftmaxForm(False, ({}, powers), _UNIT + 1, share, (record, 0), layer.axis)


FORMS = {Softmax: form_of}
