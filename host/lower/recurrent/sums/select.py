# SPDX-License-Identifier: Apache-2.0
"""Choice of passes for product sums in an MLI 2.0 recurrent kernel."""

from .affine import AffineSums, scale_sums
from .fixed import FixedSums
from .wide import WideSums

__all__ = ["dense_sums"]


def dense_sums(space, build, kind, inputs, gates, count):
    """Sum passes for several gates in the format ``kind``.

    Parameters
    ----------
    space : Workspace
    inputs : Input list
    gates : list of (weights, bias): a QuantTensor per input, and a QuantTensor
    count : int, tiles per gate
    """
    if not inputs[0].like.is_affine:
        return FixedSums(space, build, kind, inputs, gates, count)
    scaled = scale_sums(build, kind, inputs, gates)
    sums   = AffineSums if AffineSums.takes(kind, scaled) else WideSums
    return sums(space, build, kind, inputs, count, scaled)
