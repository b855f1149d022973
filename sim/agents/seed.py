# SPDX-License-Identifier: Apache-2.0
"""Random bench stimuli: an independent stream per key and seed."""

import random

import cocotb

__all__ = ["random_of"]


def random_of(key):
    """A ``random.Random`` for ``key`` (int) and the plusarg ``stimuli``; reproducible without it.

    ``pytest --seed`` sets the seed.
    """
    seed = int(cocotb.plusargs.get("stimuli", 0))
    return random.Random(f"{seed} {key}" if seed else key)
