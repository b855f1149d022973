# SPDX-License-Identifier: Apache-2.0
"""Which of the vendor's cases a test takes."""

from xymac.host.vectors.files import read_arrays

__all__ = ["smallest"]


def smallest(cases):
    """The case with the fewest elements in all its arrays."""
    return min(cases, key=lambda case: sum(array.size for array in read_arrays(case).values()))
