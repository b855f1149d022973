"""Right shifts of an output by any number of bits."""

from hdl.isa import SHIFT_MAX, SHIFT_MIN

__all__ = ["shift_fields"]


def shift_fields(shift, rounding):
    """Fields of a right shift by any number of bits; beyond the limits nothing changes."""
    return {"shift": min(max(shift, SHIFT_MIN), SHIFT_MAX), "rounding": rounding}
