# SPDX-License-Identifier: Apache-2.0
"""Element transformations of the MLI libraries before the softmax quotient."""

from dataclasses import dataclass

__all__ = ["SoftmaxForm"]


@dataclass(frozen=True)
class SoftmaxForm:
    """A softmax.

    Parameters
    ----------
    halves : bool, elements are halved if their range exceeds half of the container
    powers : tuple of dict, fields for the passes computing exponentials; the first reads elements
        minus the maximum, each further pass the previous results
    bits : int, width of the exponentials and of the intermediate results
    share : dict, fields for the pass multiplying an exponential by the inverse sum
    records : tuple of int, parameters of the scaled passes in ``powers``, the bias last
    tables : tuple of OwnTable, for the first codes of ``OWN_TABLES``
    axis : int, dimension along which to sum, -1 for the full tensor
    """

    halves:  bool
    powers:  tuple
    bits:    int
    share:   dict
    records: tuple = ()
    axis:    int = -1
    tables:  tuple = ()
