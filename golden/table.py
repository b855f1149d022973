"""Tables of functions: samples at even steps."""

from dataclasses import dataclass

from .fixed import container

__all__ = ["OUT_FRAC_BITS", "Table", "sample_table"]

OUT_FRAC_BITS = 15  #: Of the entries, unless a table says otherwise.


@dataclass(frozen=True)
class Table:
    """Samples of a function at ``(index - offset) / 2**frac_bits``.

    Parameters
    ----------
    values : tuple of int, of 16 bits
    offset : int, index of the argument 0
    frac_bits : int, of the step
    """

    values:    tuple
    offset:    int
    frac_bits: int


def sample_table(function, size, offset, frac_bits, out_frac_bits=OUT_FRAC_BITS):
    """Table of ``size`` samples of a function, rounded to ``out_frac_bits``, saturated at the top.
    """
    step, one = 1 << frac_bits, 1 << out_frac_bits
    values = (round(function((index - offset) / step) * one) for index in range(size))
    return Table(tuple(min(value, container(16)[1]) for value in values), offset, frac_bits)
