# SPDX-License-Identifier: Apache-2.0
"""Random stimuli of benches: a stream of its own for every key, new with every seed."""

import random

import cocotb

__all__ = ["random_of"]


def random_of(key):
    """A ``random.Random`` for ``key`` (int) and the plusarg ``stimuli``; without it always one.

    The seed is that of ``pytest --seed``.
    """
    seed = int(cocotb.plusargs.get("stimuli", 0))
    return random.Random(f"{seed} {key}" if seed else key)
