# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 softmax and L2 normalisation."""

from dataclasses import replace

from xymac.golden.mli2 import L2Normalize, Softmax
from xymac.hdl.isa import OWN_TABLES
from xymac.host.frontend.mli2.fields import check_zero
from xymac.host.frontend.mli2.own_tables import (
    affine_fields,
    direct_fields,
    fixed_fields,
    table_of_bytes,
)
from xymac.host.frontend.mli2.table import CODES, affine_argument, table_fields
from xymac.host.ir.fields import affine_clip, container_clip
from xymac.host.ir.normalise import L2Norm, SoftmaxForm
from xymac.host.memory.tables import OwnTable

__all__ = ["FORMS", "L2_NORMS", "form_of"]

_UNIT  = 15  #: Fractional bits of an exponential, and of the inverse for a sum of 1.
_ROOT_IN = 8  #: Fractional bits of an inverse root's argument.
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
    """SoftmaxForm for a table missing in the core."""
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


def l2_of(layer, x):
    """The ``L2Norm`` for a layer on a QuantTensor like ``x``."""
    table, zero = layer.table, x.format.zero_point if x.is_affine else 0
    check_zero("the input", zero)
    return L2Norm(layer.axis, zero, CODES.get(table) or OwnTable(table.values, table.offset),
                  _ROOT_IN - table.frac_bits, layer.build.rounding,
                  layer.out.scale_frac_bits if x.is_affine else x.bits - 1)


FORMS    = {Softmax: form_of}
L2_NORMS = {L2Normalize: l2_of}
