# SPDX-License-Identifier: Apache-2.0
"""Choice of passes for product sums in a recurrent cell."""

from .affine import AffineSums
from .fixed import FixedSums
from .wide import WideSums

__all__ = ["dense_sums"]


def dense_sums(space, form, inputs, count):
    """Sum passes for the gates of a ``DenseSums``.

    Parameters
    ----------
    space : Workspace
    inputs : Input list
    count : int, tiles per gate
    """
    if not form.is_affine:
        return FixedSums(space, form, inputs, count)
    return (AffineSums if AffineSums.takes(form) else WideSums)(space, form, inputs, count)
