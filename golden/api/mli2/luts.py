# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 tables in the structures that its functions fill and read.

Source: MLI 2.0, "Look-Up Tables (LUT) Manipulation".
"""

from __future__ import annotations

from xymac.golden.api.rules import CFG, MEMORY, UNSUPPORTED, Condition
from xymac.golden.mli2.lut import EXP, OUT_FRAC_BITS, ROOT, ROOT_FRAC_BITS, SIGMOID, TANH
from xymac.golden.mli2.softmax import divisor_flaw
from xymac.golden.table import Table

from .configs import mli_lut
from .flaws import container_flaw
from .status import within
from .types import mli_element_type

__all__ = ["create", "creation", "filled", "lut_size", "to_table"]

_ENTRY  = 2  #: Bytes.
_TABLES = {"sigm": SIGMOID, "tanh": TANH, "softmax": EXP, "l2_normalize": ROOT}


def lut_size(name: str) -> int:
    """Table size in bytes, the result of ``mli_krn_<name>_get_lut_size``."""
    return _ENTRY * len(_TABLES[name].values)


def _fields(name):
    """Field values in a filled table, a dict."""
    table = _TABLES[name]
    bits  = ROOT_FRAC_BITS if table is ROOT else OUT_FRAC_BITS
    return {"type": mli_element_type.MLI_EL_FX_16, "length": len(table.values),
            "in_frac_bits": table.frac_bits, "out_frac_bits": bits, "input_offset": table.offset,
            "output_offset": 0}


def create(name: str, lut: mli_lut) -> None:
    """Fill an ``mli_lut``: memory and fields."""
    lut.data.mem.pi16[:len(_TABLES[name].values)] = _TABLES[name].values
    for field, value in _fields(name).items():
        setattr(lut, field, value)


def _flaw(lut, writes):
    if not isinstance(lut, mli_lut):
        return f"{type(lut).__name__}, no mli_lut"
    return container_flaw(lut.data, writes)


def _room(lut):
    return min(int(lut.data.capacity), lut.data.mem.memory.size)


def creation(name: str) -> tuple[Condition, Condition]:
    """Conditions on ``mli_krn_<name>_create_lut``."""
    return (Condition(CFG, "lut must be an mli_lut with memory",
                      lambda call: _flaw(call.lut, writes=True), lambda flaw: flaw is None),
            Condition(MEMORY, "lut must have room for all bytes",
                      lambda call: (lut_size(name), _room(call.lut)), within))


def filled(name: str, argument: str = "lut") -> tuple[Condition, ...]:
    """Conditions: an argument has the fields that ``mli_krn_<name>_create_lut`` fills, and enough
    memory.

    The entries can be any values, but a softmax table must give positive sums.
    """
    def flaw(call):
        lut = getattr(call, argument)
        return _flaw(lut, writes=False) or next(
            (f"{field} {getattr(lut, field)}, not {value}"
             for field, value in _fields(name).items() if getattr(lut, field) != value), None) or (
                 None if _room(lut) >= lut_size(name) else
                 f"capacity of {_room(lut)} bytes, not {lut_size(name)}")

    conditions = (Condition(CFG, f"{argument} must be filled by mli_krn_{name}_create_lut", flaw,
                            lambda flaw: flaw is None),)
    if name != "softmax":
        return conditions
    return (*conditions, Condition(
        UNSUPPORTED, "Exponentials must have a positive sum",
        lambda call: divisor_flaw(to_table(call.lut).values, call.lut.input_offset),
        lambda flaw: flaw is None))


def to_table(lut: mli_lut) -> Table:
    """Table in an ``mli_lut``."""
    return Table(tuple(lut.data.mem.pi16[:lut.length].tolist()), lut.input_offset,
                 lut.in_frac_bits)
