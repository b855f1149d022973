# SPDX-License-Identifier: Apache-2.0
"""What the two libraries make of elements on the way to their share of a sum."""

from dataclasses import dataclass

__all__ = ["SoftmaxForm"]


@dataclass(frozen=True)
class SoftmaxForm:
    """A softmax.

    Parameters
    ----------
    halves : bool, whether elements are halved where their range exceeds half of the container
    powers : tuple of dict, fields of the passes that make exponentials, from the elements less the
        largest one on; each goes on with what the one before leaves
    bits : int, of the exponentials and of what comes before them
    share : dict, fields of the pass that multiplies an exponential by the inverse of the sum
    records : tuple of int, parameters of the passes of ``powers`` that are scaled, the bias last
    tables : tuple of OwnTable, for the first codes of ``OWN_TABLES``
    axis : int, dimension along which to sum, -1 for the whole tensor
    """

    halves:  bool
    powers:  tuple
    bits:    int
    share:   dict
    records: tuple = ()
    axis:    int = -1
    tables:  tuple = ()
