# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator with scales and zero points that no converter would write."""

from dataclasses import replace

import numpy as np

from tests.support.seed import random_of

from .arithmetic import ARITHMETIC, GOLDEN
from .cases import CASES
from .moves import MOVES
from .picks import PICKS
from .states import STATES

__all__ = ["ALL", "EVERY", "wild_of"]

#: All random networks of one operator that a core runs, and those that golden computes.
ALL   = CASES | MOVES | PICKS | STATES | ARITHMETIC
EVERY = ALL | GOLDEN

#: Scales at both ends of float32, at those of shifts of 32 bits, and of tables.
EDGES = (2.0 ** -149, 2.0 ** -148, 2.0 ** -126, 2.0 ** -60, 3.79e-14, 3.78e-14, 2.0 ** -44,
         2.0 ** -43, 2.0 ** -31, 2.0 ** -28, 2.0 ** -12, 2.0 ** -11, 10 / 65535, 1.0, 8 / 3, 8.0,
         2.0 ** 20, 2.0 ** 34, 2.0 ** 35, 2.0 ** 127)


def wild_of(name, key):
    """Model whose one tensor has scales moved by up to 30 bits or at an end, or other zero points.
    """
    rng    = random_of((key, 7, *name.encode()))
    model  = EVERY[name](rng)
    places = [number for number, tensor in enumerate(model.tensors)
              if tensor.scales and tensor.type.name != "FLOAT32"]
    if not places:  # all of it is bool
        return model
    number = int(rng.choice(places))
    tensor = model.tensors[number]
    factor = 2.0 ** rng.uniform(-30, 30)
    scales = tuple(float(np.float32(scale * factor)) for scale in tensor.scales)
    if rng.integers(4) == 0:
        scales = (float(np.float32(rng.choice(EDGES))),) * len(scales)
    fields = ({"scales": scales} if rng.integers(3) else
              {"zero_points": tuple(rng.integers(-128, 128, len(tensor.scales)).tolist())})
    tensors = list(model.tensors)
    tensors[number] = replace(tensor, **fields)
    return replace(model, tensors=tuple(tensors))
