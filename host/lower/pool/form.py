"""Means of windows of all libraries in one form, which the loops of passes take."""

from dataclasses import dataclass, field

__all__ = ["Mean"]


@dataclass(frozen=True)
class Mean:
    """What becomes of the elements of a window.

    Parameters
    ----------
    factor : int, 16 bits, what every element is multiplied by
    records : tuple of int, as a pass reads them: parameters if scaled, the bias last; or none
    output : dict of the fields of a Pass
    """

    factor:  int
    records: tuple = ()
    output:  dict = field(default_factory=dict)
