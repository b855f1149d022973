# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 softmax."""

from dataclasses import replace

from xymac.golden.mli2 import Softmax
from xymac.hdl.isa import OWN_TABLES
from xymac.host.frontend.mli2.fields import affine_clip
from xymac.host.frontend.mli2.own_tables import (
    affine_fields,
    direct_fields,
    fixed_fields,
    table_of_bytes,
)
from xymac.host.frontend.mli2.table import CODES, affine_argument, table_fields
from xymac.host.ir.fields import container_clip
from xymac.host.ir.normalise import SoftmaxForm
from xymac.host.memory.tables import OwnTable

__all__ = ["FORMS", "form_of"]

_UNIT  = 15  #: Fractional bits of an exponential, and of the inverse of a sum of 1.
_BELOW = range(-255, 1)  #: SA_8 elements minus the largest element.


def form_of(layer, x):
    """The ``SoftmaxForm`` for a layer on a QuantTensor like ``x``."""
    mode, code = layer.build.rounding, CODES.get(layer.table)
    if code is None:
        return _own_form(layer, x)
    if not x.is_affine:
        powers = table_fields(code, x.format.frac_bits, mode)
        return SoftmaxForm(False, (powers,), x.bits, {"shift": 0, "rounding": mode},
                           axis=layer.axis)
    record, powers = affine_argument(layer.table, code, x.format, mode)
    return SoftmaxForm(False, ({}, powers), _UNIT + 1, _affine_share(layer, x), (record, 0),
                       layer.axis)


def _affine_share(layer, x):
    return {"shift": _UNIT - layer.out.scale_frac_bits, "rounding": layer.build.rounding,
            **affine_clip(container_clip(x.bits), layer.out.zero_point)}


def _own_form(layer, x):
    """SoftmaxForm for a table that the core does not have."""
    mode, table, code = layer.build.rounding, layer.table, {"table": OWN_TABLES[0]}
    if not x.is_affine:
        powers, own = fixed_fields(table, x.format.frac_bits, mode)
        return SoftmaxForm(False, (powers | code,), x.bits, {"shift": 0, "rounding": mode},
                           axis=layer.axis, tables=(own,))
    form = SoftmaxForm(False, (), _UNIT + 1, _affine_share(layer, x), axis=layer.axis)
    scaled = affine_fields(table, x.format, mode, _BELOW)
    if scaled is None:
        return replace(form, powers=(direct_fields(mode) | code,),
                       tables=(table_of_bytes(table, x.format, mode, _BELOW),))
    record, powers = scaled
    return replace(form, powers=({}, powers | code), records=(record, 0),
                   tables=(OwnTable(table.values, table.offset),))


FORMS = {Softmax: form_of}
